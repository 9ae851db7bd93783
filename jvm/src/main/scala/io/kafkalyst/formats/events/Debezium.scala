package io.kafkalyst.formats
package events

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.TextNode
import org.apache.spark.sql.types.{MapType, StringType, TimestampType}

/** The parts of a Debezium event that do not depend on its encoding. Source: Debezium's data change events. */
private[formats] object Debezium {
  val schema: EventKey =
    EventKey("schema", StringType, "The event's schema as text; of JSON, where it stands beside the payload.")
  val ingestion: EventKey = EventKey("ingestion-timestamp", TimestampType, "When the connector met the change.")
  val time: EventKey = EventKey("source.timestamp", TimestampType, "When the source system made the change.")
  val database: EventKey = EventKey("source.database", StringType, "The database of the change.")
  val sourceSchema: EventKey = EventKey("source.schema", StringType, "The schema within the database.")
  val table: EventKey = EventKey("source.table", StringType, "The table or collection of the change.")
  val properties: EventKey =
    EventKey("source.properties", MapType(StringType, StringType), "All that the event says of its source, as text.")

  /** The changes of an event with this `op`. */
  def changes[T](op: String)(inserted: => Seq[T], updated: => Seq[T], deleted: => Seq[T]): Seq[T] = op match {
    // Read from a snapshot, or inserted.
    case "r" | "c" => inserted
    case "u" => updated
    case "d" => deleted
    // A message that an application wrote to the database's log has no row.
    case "m" => Nil
    case "t" => throw new BadBytes("the table was truncated, which no change of a single row can say")
    case other => throw new BadBytes(s"op '$other' is not one of Debezium's r, c, u, d")
  }

  /** For JSON: whether the event is Kafka Connect's pair of schema and payload. */
  private def isWrapped(event: JsonNode): Boolean = event.path("payload").isObject && !event.has("op")

  def payload(event: JsonNode): JsonNode = if (isWrapped(event)) event.get("payload") else event

  def schemaIn(event: JsonNode): JsonNode =
    if (isWrapped(event) && event.hasNonNull("schema")) TextNode.valueOf(event.get("schema").toString) else null

  /** The first of these fields that is present in the event's source. */
  def source(event: JsonNode, fields: String*): JsonNode = {
    val source = payload(event).path("source")
    fields.map(source.get).find(found => found != null && !found.isNull).orNull
  }
}
