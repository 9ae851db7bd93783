package io.kafkalyst.formats
package events

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node.ObjectNode
import io.kafkalyst.formats.events.JsonEventFormat._
import io.kafkalyst.model.SideFormat
import org.apache.spark.sql.types._

/**
 * CANAL_JSON: Canal's flat messages from MySQL's binary log, each with all rows that a statement changed.
 * DATABASE_INCLUDE and TABLE_INCLUDE select the databases and tables.
 */
private[formats] object CanalJsonFormat
    extends JsonEventFormat(
      "CANAL_JSON",
      new WrittenEvent("""{"data":[*],"type":"INSERT"}""", """{"data":[*],"type":"DELETE"}"""),
      EventKey("database", StringType, "The database of the change.") -> (_.get("database")),
      EventKey("table", StringType, "The table of the change.") -> (_.get("table")),
      EventKey("sql-type", MapType(StringType, IntegerType), "The columns' types in JDBC's numbers.") ->
        (_.get("sqlType")),
      EventKey("pk-names", ArrayType(StringType), "The columns of the table's primary key.") -> (_.get("pkNames")),
      time("ingestion-timestamp", "ts", "When Canal met the change."),
      time("event-timestamp", "es", "When the source system made the change.")
    ) {
  override def properties: Seq[String] =
    super.properties ++ Seq(SideFormat.databaseInclude, SideFormat.tableInclude)

  override protected def included(as: SideFormat): JsonNode => Boolean = {
    val wanted = Seq("database" -> SideFormat.databaseInclude, "table" -> SideFormat.tableInclude).flatMap {
      case (field, option) => as.options.get(option).map(field -> _.r)
    }
    event => wanted.forall { case (field, names) => names.matches(event.path(field).asText) }
  }

  private val ddl = Set("CREATE", "ALTER", "RENAME", "CINDEX", "DINDEX", "QUERY")

  override protected def changes(event: JsonNode, rows: JsonRows): Seq[(ChangeKind, JsonNode)] =
    text(event, "type") match {
      case "INSERT" => data(event).flatMap(rows.inserted)
      case "DELETE" => data(event).flatMap(rows.deleted)
      case "UPDATE" =>
        val (after, old) = (data(event), list(event, "old"))
        if (after.size != old.size) {
          throw new BadBytes(s"an update of ${after.size} rows with the old values of ${old.size}")
        }
        after.zip(old).flatMap { case (now, changed) => rows.updated(before(now, changed), now) }
      // Does not change rows.
      case kind if ddl(kind) => Nil
      case kind => throw new BadBytes(s"type '$kind' is not one of Canal's INSERT, UPDATE, DELETE")
    }

  /** Old values are present only for changed fields. */
  private[formats] def before(now: JsonNode, changed: JsonNode): JsonNode = changed match {
    case _: ObjectNode => now.deepCopy[ObjectNode]().setAll[ObjectNode](changed.asInstanceOf[ObjectNode])
    case _ => null
  }

  private def data(event: JsonNode): Seq[JsonNode] = {
    val found = list(event, "data")
    found.find(!_.isObject).foreach(_ => throw new BadBytes("field data: an array of objects expected"))
    found
  }

  private def list(event: JsonNode, field: String): Seq[JsonNode] = {
    val found = event.path(field)
    if (!found.isArray) throw new BadBytes(s"field $field: an array expected")
    found.elements.asScala.toSeq
  }
}
