package io.kafkalyst.catalog

import java.util.Locale

import io.kafkalyst.catalog.cluster.KafkaCluster
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser

import scala.annotation.tailrec
import scala.util.Try

/**
 * ksqlDB's CREATE TYPE: named types as DDL. They are stored where the current catalog stores its objects: in a
 * cluster's catalog topic, otherwise in the properties of the session catalog's current database. Names are
 * case-insensitive.
 *
 * Errors, in a cluster: those of [[io.kafkalyst.catalog.cluster.DefinitionTopic.change]].
 */
final class NamedTypes(session: SparkSession) {
  import NamedTypes._

  private val store = new ObjectStore(session)
  private def catalog = session.sessionState.catalog
  private def database = catalog.getDatabaseMetadata(catalog.getCurrentDatabase)
  private def cluster: Option[KafkaCluster] = store.currentCluster

  /** All names with their types. */
  def all(): Seq[(String, String)] = cluster.fold(database.properties.collect {
    case (k, v) if k.startsWith(prefix) && v.nonEmpty => (k.stripPrefix(prefix), v)
  })(_.types()).toSeq.sorted

  /** The type in Spark's syntax. Others may write what is stored, so what is not a type is not found. */
  def find(name: String): Option[String] =
    cluster.fold(database.properties.get(prefix + upper(name)).filter(_.nonEmpty))(_.typeOf(upper(name)))
      .flatMap(written => Try(CatalystSqlParser.parseDataType(written).sql).toOption)

  /**
   * Creates, changes or drops a type.
   *
   * @param decide maps the current type to the new one; None to drop it. If it throws, nothing is changed.
   */
  def change(name: String)(decide: Option[String] => Option[String]): Unit =
    cluster.fold(changeProperty(prefix + upper(name))(decide))(_.definitions.changeType(upper(name))(decide))

  /**
   * Retries: other applications may change the database's properties concurrently, and the last writer overwrites all
   * of them.
   */
  private def changeProperty(key: String)(decide: Option[String] => Option[String]): Unit = {
    @tailrec
    def changed(left: Int): Unit = {
      val current = database
      val before = current.properties.get(key).filter(_.nonEmpty)
      val after = decide(before)
      if (after != before) {
        catalog.alterDatabase(current.copy(properties = current.properties.updatedWith(key)(_ => after)))
        val isKept = database.properties.get(key).filter(_.nonEmpty) == after
        if (!isKept && left > 0) changed(left - 1)
      }
    }
    SessionObjects.changing(catalog.getCurrentDatabase)(changed(attempts))
  }

  private def upper(name: String) = name.toUpperCase(Locale.ROOT)
}

private object NamedTypes {
  private val prefix = "kafkalyst.type."
  private val attempts = 10
}
