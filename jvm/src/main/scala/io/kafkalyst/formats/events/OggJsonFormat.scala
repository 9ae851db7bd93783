package io.kafkalyst.formats
package events

import com.fasterxml.jackson.databind.JsonNode
import io.kafkalyst.formats.events.JsonEventFormat._
import org.apache.spark.sql.types._

/** OGG_JSON: row events of Oracle GoldenGate's JSON formatter. Times without a zone are in UTC. */
private[formats] object OggJsonFormat
    extends JsonEventFormat(
      "OGG_JSON",
      new WrittenEvent("""{"before":null,"after":*,"op_type":"I"}""", """{"before":*,"after":null,"op_type":"D"}"""),
      EventKey("table", StringType, "The table of the change, with its schema.") -> (_.get("table")),
      EventKey("primary-keys", ArrayType(StringType), "The columns of the table's primary key.") ->
        (_.get("primary_keys")),
      time("ingestion-timestamp", "current_ts", "When GoldenGate met the change."),
      time("event-timestamp", "op_ts", "When the source system made the change.")
    ) {

  override protected def changes(event: JsonNode, rows: JsonRows): Seq[(ChangeKind, JsonNode)] =
    text(event, "op_type") match {
      case "I" => rows.inserted(row(event, "after"))
      case "U" => rows.updated(row(event, "before"), row(event, "after"))
      case "D" => rows.deleted(row(event, "before"))
      case "T" => throw new BadBytes("the table was truncated, which no change of a single row can say")
      case kind => throw new BadBytes(s"op_type '$kind' is not one of GoldenGate's I, U, D")
    }
}
