package io.kafkalyst.formats
package jsonschema

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.{ArrayNode, JsonNodeFactory, ObjectNode}
import io.kafkalyst.formats.json.JsonOneOf
import io.kafkalyst.model.{TimeOfDay, TopicColumn}
import io.kafkalyst.registry.RegisteredSchema
import org.apache.spark.sql.types._

import scala.jdk.CollectionConverters._

/**
 * JSON Schema (draft 7) for columns, with the hints of Confluent's JSON Schema converter, as ksqlDB writes it: every
 * field is nullable, numbers state their width, DATE, TIMESTAMP and DECIMAL are numbers with Kafka Connect's titles.
 */
private[formats] object JsonSchemaText {
  private val nodes = JsonNodeFactory.instance
  private val mapper = new ObjectMapper
  private val connect = "org.apache.kafka.connect.data"

  /** @param wrapped whether the value is an object of the columns */
  def of(columns: Seq[TopicColumn], wrapped: Boolean, title: Option[String]): String = {
    val top =
      if (wrapped) fields(columns.map(c => (c.name, c.dataType)))
      else schema(columns.head.dataType)
    // Without the draft a registry may not recognise a JSON Schema.
    val whole = nodes.objectNode.put("$schema", "http://json-schema.org/draft-07/schema#")
    title.foreach(whole.put("title", _))
    whole.setAll[ObjectNode](top).toString
  }

  /** The schema as JSON without the draft's name, and without null beside the only other type. */
  def plain(known: RegisteredSchema): JsonNode = {
    val whole = mapper.readTree(known.schema)
    whole.path("oneOf").elements.asScala.filterNot(_.path("type").asText == "null").toSeq match {
      case Seq(only) => only
      case _ =>
        whole match {
          case fields: ObjectNode => fields.without[ObjectNode]("$schema")
          case any => any
        }
    }
  }

  private def fields(columns: Seq[(String, DataType)]): ObjectNode = {
    val properties = nodes.objectNode
    columns.zipWithIndex.foreach { case ((name, t), i) =>
      val field = nodes.objectNode.put("connect.index", i)
      properties.set[ObjectNode](name, field.setAll[ObjectNode](orNull(t)))
    }
    typed("object").set[ObjectNode]("properties", properties)
  }

  private def orNull(t: DataType): ObjectNode = {
    val orNull = nodes.arrayNode.add(typed("null"))
    nodes.objectNode.set(
      "oneOf",
      t match {
        case s: StructType if JsonOneOf.is(s) => orNull.addAll(alternatives(s))
        case _ => orNull.add(schema(t))
      }
    )
  }

  /** Connect's struct of alternatives becomes a `oneOf` again. */
  private def alternatives(s: StructType): ArrayNode =
    s.fields.foldLeft(nodes.arrayNode)((all, f) => all.add(schema(f.dataType)))

  private def typed(name: String): ObjectNode = nodes.objectNode.put("type", name)

  private def typed(name: String, connectType: String): ObjectNode = typed(name).put("connect.type", connectType)

  private def logical(name: String, t: String, connectType: String): ObjectNode =
    typed(t).put("title", s"$connect.$name").put("connect.version", 1).put("connect.type", connectType)

  private def schema(t: DataType): ObjectNode = t match {
    case _: BooleanType => typed("boolean")
    case time if TimeOfDay.is(time) => logical("Time", "integer", "int32")
    case _: ByteType => typed("integer", "int8")
    case _: ShortType => typed("integer", "int16")
    case _: IntegerType => typed("integer", "int32")
    case _: LongType => typed("integer", "int64")
    case _: FloatType => typed("number", "float32")
    case _: DoubleType => typed("number", "float64")
    case _: StringType => typed("string")
    case _: BinaryType => typed("string", "bytes")
    case d: DecimalType =>
      val parameters = nodes.objectNode
        .put("scale", d.scale.toString)
        .put("connect.decimal.precision", d.precision.toString)
      logical("Decimal", "number", "bytes").set("connect.parameters", parameters)
    case _: DateType => logical("Date", "integer", "int32")
    case _: TimestampType => logical("Timestamp", "integer", "int64")
    case _: TimestampNTZType => typed("string").put("format", JsonSchemas.localTime)
    case a: ArrayType => typed("array").set("items", orNull(a.elementType))
    case m: MapType => typed("object", "map").set("additionalProperties", orNull(m.valueType))
    case s: StructType if JsonOneOf.is(s) => nodes.objectNode.set("oneOf", alternatives(s))
    case s: StructType => fields(s.fields.toSeq.map(f => (f.name, f.dataType)))
    case other => throw new IllegalArgumentException(s"validate lets no ${other.sql} through")
  }
}
