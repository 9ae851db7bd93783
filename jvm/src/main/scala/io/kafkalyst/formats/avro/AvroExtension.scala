package io.kafkalyst.formats
package avro

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import com.fasterxml.jackson.databind.node.{ArrayNode, ObjectNode}
import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import io.kafkalyst.registry.RegisteredSchema

/**
 * Adds fields to the record of an Avro schema. It edits the schema text, so that names, docs, aliases, defaults and
 * references stay unchanged.
 */
private[formats] object AvroExtension {
  private val json = new ObjectMapper

  /**
   * The text with the added columns as nullable fields, null by default, after its own; None if the side is not a
   * record.
   */
  def apply(known: RegisteredSchema, added: Seq[TopicColumn], side: Side, as: SideFormat): Option[String] = for {
    chosen <- AvroSchemas.chosen(AvroSchemas.parse(known), as.options.get(SideFormat.schemaFullName)).toOption
    record <- AvroSchemas.recordOf(chosen)
    text = json.readTree(known.schema)
    node <- recordIn(text, record.getName)
  } yield {
    val options = as.options - SideFormat.wrapSingle + (SideFormat.schemaFullName -> record.getFullName)
    val derived = AvroSchemas.schema(added, side, record.getName, as.copy(options = options))
    node.get("fields").asInstanceOf[ArrayNode].addAll(json.readTree(derived).get("fields").asInstanceOf[ArrayNode])
    text.toString
  }

  /** The record of that name, at the top level or in a top-level union. */
  private def recordIn(node: JsonNode, name: String): Option[ObjectNode] = node match {
    case o: ObjectNode if o.path("type").asText == "record" =>
      if (o.path("name").asText.split('.').last == name) Some(o) else None
    case o: ObjectNode => Option(o.get("type")).filterNot(_.isTextual).flatMap(recordIn(_, name))
    case union: ArrayNode => union.elements.asScala.flatMap(recordIn(_, name)).nextOption()
    case _ => None
  }
}
