package io.kafkalyst.formats
package events

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.LongNode
import io.kafkalyst.formats.events.JsonEventFormat._
import org.apache.spark.sql.types._

/** MAXWELL_JSON: Maxwell's row events from MySQL's binary log. */
private[formats] object MaxwellJsonFormat
    extends JsonEventFormat(
      "MAXWELL_JSON",
      new WrittenEvent("""{"data":*,"type":"insert"}""", """{"data":*,"type":"delete"}"""),
      EventKey("database", StringType, "The database of the change.") -> (_.get("database")),
      EventKey("table", StringType, "The table of the change.") -> (_.get("table")),
      EventKey("primary-key-columns", ArrayType(StringType), "The columns of the table's primary key.") ->
        (_.get("primary_key_columns")),
      EventKey("ingestion-timestamp", TimestampType, "When the change was made, to the second.") ->
        (event => MaxwellTime(event.get("ts")))
    ) {

  override protected def changes(event: JsonNode, rows: JsonRows): Seq[(ChangeKind, JsonNode)] =
    text(event, "type") match {
      case "insert" | "bootstrap-insert" => rows.inserted(row(event, "data"))
      case "update" =>
        val (now, old) = (row(event, "data"), row(event, "old"))
        rows.updated(if (now == null) null else CanalJsonFormat.before(now, old), now)
      case "delete" => rows.deleted(row(event, "data"))
      // Does not change rows.
      case "bootstrap-start" | "bootstrap-complete" => Nil
      case kind => throw new BadBytes(s"type '$kind' is not one of Maxwell's insert, update, delete")
    }
}

/** Converts Maxwell's seconds to milliseconds. */
private object MaxwellTime {
  def apply(seconds: JsonNode): JsonNode =
    if (seconds != null && seconds.canConvertToLong && math.abs(seconds.longValue) < Long.MaxValue / 1000) {
      LongNode.valueOf(seconds.longValue * 1000)
    } else seconds
}
