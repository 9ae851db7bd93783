package org.apache.spark.sql.kafkalyst

import java.util.concurrent.CompletableFuture

import io.kafkalyst.catalog.ObjectName
import io.kafkalyst.model.TimeOfDay
import org.apache.spark.JobArtifactSet
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.analysis.{NoSuchNamespaceException, NoSuchTableException}
import org.apache.spark.sql.catalyst.catalog.SessionCatalog
import org.apache.spark.sql.classic
import org.apache.spark.sql.connector.catalog.{
  CatalogPlugin,
  Identifier,
  Table,
  TableCapability,
  TableCatalog,
  V1Table,
  V2TableWithV1Fallback
}

/** What Spark has no public way for; these ones are the same in all supported versions. */
object Frames {

  /** A session with settings, views and functions of its own, which begin as the session's are now. */
  def copyOf(session: SparkSession): SparkSession = session.asInstanceOf[classic.SparkSession].cloneSession()

  /** Runs the body with the session as the thread's active one: a thread of a pool inherits that of its creator. */
  def within[T](session: SparkSession)(body: => T): T = session.asInstanceOf[classic.SparkSession].withActive(body)

  /** Runs the body in a new thread, which inherits what Spark keeps for this one. */
  def apart[T](name: String)(body: => T): CompletableFuture[T] = {
    // Of a Connect session; not inherited by itself, unlike the active session and local properties.
    val artifacts = JobArtifactSet.getCurrentJobArtifactState
    def work: T = artifacts.fold(body)(JobArtifactSet.withActiveJobArtifactState(_)(body))
    def start(task: Runnable): Unit = {
      val thread = new Thread(task, name)
      thread.setDaemon(true)
      thread.start()
    }
    CompletableFuture.supplyAsync(() => work, start(_))
  }

  /** The DataFrame of a plan. */
  def of(session: SparkSession, plan: LogicalPlan): DataFrame =
    TimeOfDay.allowed(classic.Dataset.ofRows(session.asInstanceOf[classic.SparkSession], plan))

  /** The catalog, namespace and name that the parts of a table's name mean. */
  def fullName(session: SparkSession, parts: Seq[String]): Seq[String] = {
    val (catalog, name) = placeOf(session, parts)
    (catalog.name +: name.namespace.toSeq) :+ name.name
  }

  /** A table of any catalog as it is now; None where there is none. */
  def tableAt(session: SparkSession, parts: Seq[String]): Option[Table] = placeOf(session, parts) match {
    case (catalog: TableCatalog, name) =>
      // A catalog such as Iceberg's caches a table for as long as it is used, and other sessions change it.
      catalog.invalidateTable(name)
      try Some(catalog.loadTable(name))
      catch { case _: NoSuchTableException | _: NoSuchNamespaceException => None }
    case _ => None
  }

  /** Whether Spark writes a stream's rows into the table: by its own streaming write, or by that of Spark's files. */
  def takesStreams(table: Table): Boolean = table match {
    case _: V1Table | _: V2TableWithV1Fallback => true
    case other => other.capabilities.contains(TableCapability.STREAMING_WRITE)
  }

  /** Spark's session catalog, or what takes its place. */
  def sessionCatalog(session: SparkSession): CatalogPlugin =
    placeOf(session, Seq(ObjectName.sessionCatalog, SessionCatalog.DEFAULT_DATABASE, ""))._1

  /** The catalog of that name, as Spark keeps it for the session; the current one if there is no other. */
  def catalog(session: SparkSession, name: String): CatalogPlugin = placeOf(session, Seq(name, ""))._1

  private def placeOf(session: SparkSession, parts: Seq[String]): (CatalogPlugin, Identifier) = {
    val analyzer = session.asInstanceOf[classic.SparkSession].sessionState.analyzer
    parts match { case analyzer.CatalogAndIdentifier(catalog, name) => (catalog, name) }
  }
}
