package io.kafkalyst.catalog.cluster

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

/**
 * Which application runs a continuous query of a catalog, as a record in the catalog's topic: its key is
 * `{"kind":"lease","query":…}`, its value `{"version":1,"owner":…,"since":…}`. The holder rewrites it regularly; once
 * it expires, another application may take it.
 *
 * @param owner   the application's readable name
 * @param since   when it started to run the query, in epoch milliseconds
 * @param length  how long it lasts without renewal, in milliseconds
 * @param renewed the timestamp of the record, in epoch milliseconds
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

  /** The query in a lease's key. */
  private[cluster] object Key {
    def unapply(key: JsonNode): Option[String] =
      Some(key).filter(_.path("kind").asText == "lease").map(_.path("query").asText).filter(_.nonEmpty)
  }

  /** The lease in that value; one of an unknown version has no owner name, and is held like any other. */
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
