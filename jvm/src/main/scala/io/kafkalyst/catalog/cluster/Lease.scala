package io.kafkalyst.catalog.cluster

import com.fasterxml.jackson.databind.JsonNode

/**
 * The application that runs a continuous query of a catalog, as a record in the catalog's topic: its key is
 * `{"kind":"lease","query":…}`, its value `{"version":1,"owner":…,"since":…}`. The holder rewrites the record
 * regularly; once the lease expires, another application may take it.
 *
 * @param owner   the application's readable name
 * @param since   when the application started to run the query, in epoch milliseconds
 * @param length  how long the lease lasts without renewal, in milliseconds
 * @param renewed the timestamp of the record, in epoch milliseconds
 */
final case class Lease(owner: String, since: Long, length: Long, renewed: Long) {
  def isHeld(now: Long): Boolean = now - renewed < length

  private[cluster] def json: String = CatalogRecord.mapper.writeValueAsString(
    CatalogRecord.mapper.createObjectNode().put("version", Lease.version).put("owner", owner).put("since", since)
      .put("length", length)
  )
}

object Lease {
  private val version = 1
  private[cluster] val Key = new CatalogRecord.Key("lease", "query")

  /** The lease in that value; a lease of an unknown version has no owner name, but is held like any other. */
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
