package io.kafkalyst.formats
package events

import com.fasterxml.jackson.databind.JsonNode
import io.kafkalyst.formats.events.JsonEventFormat._

/** DEBEZIUM_JSON: Debezium's change events as JSON, with or without Kafka Connect's schema beside the payload. */
private[formats] object DebeziumJsonFormat
    extends JsonEventFormat(
      "DEBEZIUM_JSON",
      new WrittenEvent("""{"before":null,"after":*,"op":"c"}""", """{"before":*,"after":null,"op":"d"}"""),
      Debezium.schema -> Debezium.schemaIn,
      Debezium.ingestion -> (Debezium.payload(_).get("ts_ms")),
      Debezium.time -> (Debezium.source(_, "ts_ms")),
      Debezium.database -> (Debezium.source(_, "db")),
      Debezium.sourceSchema -> (Debezium.source(_, "schema")),
      Debezium.table -> (Debezium.source(_, "table", "collection")),
      Debezium.properties -> (event => row(Debezium.payload(event), "source"))
    ) {

  override protected def changes(event: JsonNode, rows: JsonRows): Seq[(ChangeKind, JsonNode)] = {
    val change = Debezium.payload(event)
    def before = row(change, "before")
    def after = row(change, "after")
    Debezium.changes(text(change, "op"))(rows.inserted(after), rows.updated(before, after), rows.deleted(before))
  }
}
