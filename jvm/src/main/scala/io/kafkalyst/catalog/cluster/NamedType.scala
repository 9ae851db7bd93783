package io.kafkalyst.catalog.cluster

import io.kafkalyst.errors.KafkalystException

/**
 * A type of CREATE TYPE as a record in the catalog's topic: its key is `{"kind":"type","name":…}`, its value
 * `{"version":1,"type":…}` with the type as DDL.
 *
 * @param read the type, or why the record cannot be used
 */
private[cluster] final case class NamedType(read: Either[String, String]) {

  /** Throws CATALOG_TOPIC_RECORD if the record has a newer version or was not written by Kafkalyst. */
  def ddl: String =
    read.fold(reason => throw KafkalystException("CATALOG_TOPIC_RECORD", "reason" -> reason), identity)
}

private[cluster] object NamedType {
  private val version = 1
  val Key = new CatalogRecord.Key("type", "name")

  def json(ddl: String): String = CatalogRecord.mapper.writeValueAsString(
    CatalogRecord.mapper.createObjectNode().put("version", version).put("type", ddl)
  )

  /** Parses a record's value; `place` is for messages. */
  def of(value: Array[Byte], place: String): NamedType = NamedType {
    CatalogRecord.value(value, version, "type").map(_.path("type"))
      .flatMap(ddl => Either.cond(ddl.isTextual, ddl.asText, "its value is not a type"))
      .left.map(reason => s"$place: $reason")
  }
}
