package io.kafkalyst.formats
package json

import java.util.Locale

import scala.jdk.CollectionConverters._

import io.kafkalyst.model.TimeOfDay

import com.fasterxml.jackson.databind.JsonNode
import com.fasterxml.jackson.databind.node._
import org.apache.spark.sql.types._

/**
 * Adapts JSON to BOOLEAN columns: change data capture writes booleans as strings (Canal) or as 0 and 1 (MySQL has no
 * boolean type). A number for a TIME becomes text, which the reader rejects: the number's unit depends on the database.
 * Other values stay unchanged.
 */
private[formats] object FittedJson {
  private val make = JsonNodeFactory.withExactBigDecimals(true)

  /** Adapts a row with these columns. */
  def apply(row: JsonNode, columns: Seq[String], types: Seq[DataType]): JsonNode = row match {
    case fields: ObjectNode =>
      val fitted = make.objectNode()
      fields.fields.asScala.foreach { field =>
        val exact = columns.indexOf(field.getKey)
        val at = if (exact >= 0) exact else columns.indexWhere(_.equalsIgnoreCase(field.getKey))
        fitted.set[JsonNode](field.getKey, if (at < 0) field.getValue else apply(field.getValue, types(at)))
      }
      fitted
    case other => other
  }

  def apply(value: JsonNode, as: DataType): JsonNode = (as, value) match {
    case (_, none) if none.isNull => none
    case (BooleanType, flag) =>
      flag.asText.toLowerCase(Locale.ROOT) match {
        case "1" | "true" => BooleanNode.TRUE
        case "0" | "false" => BooleanNode.FALSE
        case _ => flag
      }
    case (t, number) if number.isNumber && TimeOfDay.is(t) => make.textNode(number.asText)
    case (s: StructType, row) => apply(row, s.fieldNames.toSeq, s.map(_.dataType))
    case (a: ArrayType, items: ArrayNode) =>
      make.arrayNode().addAll(items.asScala.map(apply(_, a.elementType)).toSeq.asJava)
    case (m: MapType, entries: ObjectNode) =>
      val fitted = make.objectNode()
      entries.fields.asScala.foreach(e => fitted.set[JsonNode](e.getKey, apply(e.getValue, m.valueType)))
      fitted
    case _ => value
  }
}
