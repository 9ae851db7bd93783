package io.kafkalyst.catalog.cluster

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import io.kafkalyst.catalog.ObjectCodec
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.TopicObject
import org.apache.spark.sql.types.StructType

import scala.jdk.CollectionConverters._

/**
 * An object as a record in the catalog's topic: its key is `{"kind":"object","name":…}`, its value
 * `{"version":1,"properties":{…}}` with the properties of a catalog entry, including the columns.
 *
 * @param properties by lower-case names
 * @param fault      why the record cannot be used; `properties` is then empty
 */
private[cluster] final case class Definition(properties: Map[String, String], fault: Option[String] = None) {

  /** Throws CATALOG_TOPIC_RECORD if the record has a newer version, or is not Kafkalyst's. */
  def require(): Unit = fault.foreach(reason => throw KafkalystException("CATALOG_TOPIC_RECORD", "reason" -> reason))

  lazy val topic: TopicObject = {
    require()
    ObjectCodec.decode(ObjectCodec.schemaIn(properties).getOrElse(new StructType), properties)
  }

  def json: String = {
    val root = Definition.mapper.createObjectNode().put("version", Definition.version)
    val all = root.putObject("properties")
    properties.toSeq.sorted.foreach { case (name, value) => all.put(name, value) }
    Definition.mapper.writeValueAsString(root)
  }
}

private[cluster] object Definition {

  /** The version of the records written here. */
  val version = 1
  private val kind = "object"
  private val mapper = new ObjectMapper()

  /** @param more properties beside those of the definition itself, which come first */
  def made(topic: TopicObject, more: Map[String, String]): Definition =
    Definition(more ++ ObjectCodec.encodeWithSchema(topic).map { case (k, v) => k.toLowerCase -> v })

  def keyOf(name: String): String =
    mapper.writeValueAsString(mapper.createObjectNode().put("kind", kind).put("name", name))

  /** The name in a definition's key. */
  object Key {
    def unapply(key: JsonNode): Option[String] =
      Some(key).filter(_.path("kind").asText == kind).map(_.path("name").asText).filter(_.nonEmpty)
  }

  /** The definition in that value, with its fault if it is invalid; `place` is for messages. */
  def of(value: Array[Byte], place: String): Definition = {
    def refused(what: String) = Definition(Map.empty, Some(s"$place: $what"))
    tree(value).filter(_.path("version").canConvertToInt) match {
      case None => refused("its value is no definition")
      case Some(json) if json.path("version").asInt > version =>
        refused(s"it has the version ${json.path("version").asInt}, and this Kafkalyst knows up to $version")
      case Some(json) =>
        val properties = json.path("properties").properties.asScala.map(e => e.getKey -> e.getValue.asText).toMap
        if (ObjectCodec.isWhole(properties) && ObjectCodec.schemaIn(properties).isDefined) Definition(properties)
        else refused("its value is no whole definition")
    }
  }

  def bytes(buffer: ByteBuffer): Option[Array[Byte]] = Option(buffer).map { b =>
    val copied = new Array[Byte](b.remaining)
    b.duplicate().get(copied)
    copied
  }

  /** The JSON object; None if the bytes are not one. */
  def tree(bytes: Array[Byte]): Option[JsonNode] =
    try Option(mapper.readTree(new String(bytes, UTF_8))).filter(_.isObject)
    catch { case _: JsonProcessingException => None }
}
