package io.kafkalyst.catalog

import java.util.Locale

import org.apache.spark.sql.SparkSession

/**
 * ksqlDB's CREATE TYPE: named types, stored as properties of the session catalog's current database, so that they
 * outlive the session as tables do; in a cluster catalog, those of the default database. Names are case-insensitive.
 */
final class NamedTypes(session: SparkSession) {
  import NamedTypes._

  private def catalog = session.sessionState.catalog
  private def database = catalog.getDatabaseMetadata(catalog.getCurrentDatabase)

  /** All names with their types as DDL. */
  def all(): Seq[(String, String)] = database.properties.toSeq.collect {
    case (k, v) if k.startsWith(prefix) && v.nonEmpty => (k.stripPrefix(prefix), v)
  }.sorted

  def find(name: String): Option[String] = database.properties.get(key(name)).filter(_.nonEmpty)

  def put(name: String, ddl: String): Unit = change(_ + (key(name) -> ddl))

  def drop(name: String): Unit = change(_ - key(name))

  private def change(properties: Map[String, String] => Map[String, String]): Unit = {
    val current = database
    catalog.alterDatabase(current.copy(properties = properties(current.properties)))
  }

  private def key(name: String) = prefix + name.toUpperCase(Locale.ROOT)
}

private object NamedTypes {
  private val prefix = "kafkalyst.type."
}
