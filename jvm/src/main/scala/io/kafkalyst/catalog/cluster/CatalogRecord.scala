package io.kafkalyst.catalog.cluster

import java.nio.charset.StandardCharsets.UTF_8

import com.fasterxml.jackson.core.JsonProcessingException
import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/** What all records of a catalog's topic share: the key has the record's kind, and the JSON value its version. */
private[cluster] object CatalogRecord {
  val mapper = new ObjectMapper()

  /** Keys of one kind: `{"kind":…,"<field>":…}`. */
  final class Key(kind: String, field: String) {
    def apply(name: String): String =
      mapper.writeValueAsString(mapper.createObjectNode().put("kind", kind).put(field, name))

    /** The name in a key of this kind; None for other keys. */
    def unapply(key: JsonNode): Option[String] =
      Some(key).filter(_.path("kind").asText == kind).map(_.path(field).asText).filter(_.nonEmpty)
  }

  /** The JSON object; None if the bytes are not one. */
  def tree(bytes: Array[Byte]): Option[JsonNode] =
    try Option(mapper.readTree(new String(bytes, UTF_8))).filter(_.isObject)
    catch { case _: JsonProcessingException => None }

  /**
   * The value, or the reason why it cannot be used.
   *
   * @param known the newest version that can be read
   * @param what  what the value should be, for the reason
   */
  def value(bytes: Array[Byte], known: Int, what: String): Either[String, JsonNode] =
    tree(bytes).filter(_.path("version").canConvertToInt).toRight(s"its value is not a $what").flatMap { json =>
      val version = json.path("version").asInt
      if (version <= known) Right(json)
      else Left(s"it has the version $version, and this Kafkalyst knows up to $known")
    }
}
