package io.kafkalyst.catalog.cluster

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/**
 * Which application runs a continuous query of a catalog, as a record of the catalog's topic has it: its key
 * `{"kind":"lease","query":…}`, its value `{"version":1,"owner":…,"since":…}`. Whoever holds it writes it again and
 * again; where that ends, another may take it.
 *
 * @param owner   the application, as people know it
 * @param since   when it began to run the query, in milliseconds since 1970
 * @param length  how long it lasts without being renewed, in milliseconds
 * @param renewed the timestamp of the record, in milliseconds since 1970
 */
final case class Lease(owner: String, since: Long, length: Long, renewed: Long) {
  def isHeld(now: Long): Boolean = now - renewed < length

  private[cluster] def json: String = Lease.mapper.writeValueAsString(
    Lease.mapper.createObjectNode().put("version", Lease.version).put("owner", owner).put("since", since)
      .put("length", length)
  )
}

object Lease {
  private val version = 1
  private val mapper = new ObjectMapper()

  private[cluster] def keyOf(query: String): String =
    mapper.writeValueAsString(mapper.createObjectNode().put("kind", "lease").put("query", query))

  /** The query in a record's key; None where it is no lease's. */
  private[cluster] def queryOf(key: JsonNode): Option[String] =
    Some(key).filter(_.path("kind").asText == "lease").map(_.path("query").asText).filter(_.nonEmpty)

  /** The lease of that value; one of a version that is not known names no owner, and is held as any other. */
  private[cluster] def of(value: Option[JsonNode], renewed: Long): Lease = {
    val json = value.filter(_.path("version").asInt == version)
    Lease(
      json.map(_.path("owner").asText).getOrElse("another version of Kafkalyst"),
      json.map(_.path("since").asLong).getOrElse(renewed),
      json.map(_.path("length").asLong).getOrElse(60000L),
      renewed
    )
  }
}
