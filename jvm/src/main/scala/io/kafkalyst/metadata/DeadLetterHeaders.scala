package io.kafkalyst.metadata

/**
 * The headers that a dead letter has behind the record's own, as UTF-8 text: first where it was read, then for each
 * bad side a group of side, format, schema id (where the bytes have one) and error.
 */
object DeadLetterHeaders {
  val prefix = "kafkalyst.dlq."
  val topic = "topic"
  val partition = "partition"
  val offset = "offset"

  /** Of the record, in milliseconds since 1970; -1 where it has none. */
  val timestamp = "timestamp"
  val side = "side"
  val format = "format"
  val schemaId = "schema.id"
  val error = "error"
}
