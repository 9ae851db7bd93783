package io.kafkalyst.metadata

/**
 * The headers that a dead letter has after the record's own, as UTF-8 text: first the record's origin, then for each
 * bad side a group of side, format, schema id (if the bytes have one) and error.
 */
object DeadLetterHeaders {
  val prefix = "kafkalyst.dlq."
  val topic = "topic"
  val partition = "partition"
  val offset = "offset"

  /** The record's timestamp, in milliseconds since 1970; -1 if it has none. */
  val timestamp = "timestamp"
  val side = "side"
  val format = "format"
  val schemaId = "schema.id"
  val error = "error"

  /** The most bytes that a dead letter adds to its record. */
  val size = 64 * 1024
}
