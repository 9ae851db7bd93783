package io.kafkalyst.catalog.cluster

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import io.kafkalyst.errors.KafkalystException

/**
 * A type of CREATE TYPE as a record in the catalog's topic: its key is `{"kind":"type","name":…}`, its value
 * `{"version":1,"type":…}` with the type as DDL.
 *
 * @param read the type, or why the record cannot be used
 */
private[cluster] final case class NamedType(read: Either[String, String]) {

  /** Throws CATALOG_TOPIC_RECORD if the record has a newer version, or is not Kafkalyst's. */
  def ddl: String =
    read.fold(reason => throw KafkalystException("CATALOG_TOPIC_RECORD", "reason" -> reason), identity)
}

private[cluster] object NamedType {
  private val version = 1
  private val mapper = new ObjectMapper()

  def keyOf(name: String): String =
    mapper.writeValueAsString(mapper.createObjectNode().put("kind", "type").put("name", name))

  /** The name in a type's key. */
  object Key {
    def unapply(key: JsonNode): Option[String] =
      Some(key).filter(_.path("kind").asText == "type").map(_.path("name").asText).filter(_.nonEmpty)
  }

  def json(ddl: String): String =
    mapper.writeValueAsString(mapper.createObjectNode().put("version", version).put("type", ddl))

  /** The type in that value; `place` is for messages. */
  def of(value: Array[Byte], place: String): NamedType = NamedType(
    Definition.tree(value).filter(json => json.path("version").canConvertToInt && json.path("type").isTextual) match {
      case None => Left(s"$place: its value is no type")
      case Some(json) if json.path("version").asInt > version =>
        Left(s"$place: it has the version ${json.path("version").asInt}, and this Kafkalyst knows up to $version")
      case Some(json) => Right(json.path("type").asText)
    }
  )
}
