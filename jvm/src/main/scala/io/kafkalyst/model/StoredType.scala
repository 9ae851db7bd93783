package io.kafkalyst.model

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.types.DataType

import scala.jdk.CollectionConverters._

/**
 * Types as entries and options store them, in Spark's JSON. Others may have written them, and from one kind of type Spark
 * makes an instance of the class that it names; no column of a topic is of that kind.
 */
object StoredType {
  private val mapper = new ObjectMapper()

  /** IllegalArgumentException if the text has a type that names a class, other exceptions if it is no type. */
  def of(json: String): DataType = {
    if (namesClass(mapper.readTree(json))) throw new IllegalArgumentException("a type of a class")
    DataType.fromJson(json)
  }

  private def namesClass(node: JsonNode): Boolean =
    node.path("type").asText.equalsIgnoreCase("udt") || node.elements.asScala.exists(namesClass)
}
