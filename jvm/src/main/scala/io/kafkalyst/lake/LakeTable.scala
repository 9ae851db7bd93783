package io.kafkalyst.lake

import java.util.Locale

import io.kafkalyst.catalog.{ObjectName, ObjectStore}
import io.kafkalyst.errors.{Conditions, KafkalystException}
import io.kafkalyst.query.SinkName
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Alias, Cast, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{OneRowRelation, Project}
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.datasources.DataSource
import org.apache.spark.sql.kafkalyst.Frames
import org.apache.spark.sql.types.{StructField, StructType}

import scala.jdk.CollectionConverters._
import scala.util.Try
import scala.util.control.NonFatal

/**
 * A table of any catalog, in its current state.
 *
 * @param name     the name with its catalog
 * @param provider     in lower case, such as "iceberg"; empty if the catalog does not report it
 * @param takesStreams whether Spark writes a stream's rows into it
 */
final case class LakeTable(
    name: SinkName.OfTable,
    schema: StructType,
    provider: String,
    properties: Map[String, String],
    takesStreams: Boolean = true
) {

  /** What the table is, for messages. */
  private[lake] def kind: String =
    if (provider.isEmpty) "a table whose catalog does not report its format" else s"a table of the format \"$provider\""
}

object LakeTable {

  /** The name with its catalog and namespace. */
  def fullName(session: SparkSession, parts: Seq[String]): SinkName.OfTable =
    SinkName.OfTable(Frames.fullName(session, parts))

  /**
   * @throws io.kafkalyst.errors.KafkalystException LAKE_PATH for a path, as delta.`/path`, whose rows Spark writes without a
   *         table in a catalog
   */
  def requireName(session: SparkSession, name: SinkName.OfTable): Unit = name.parts match {
    // The format is a schema to Spark; a catalog may have the name of a format, and such names.
    case Seq(_, format, path) if path.contains('/') && isFormat(session, format) =>
      throw KafkalystException("LAKE_PATH", "format" -> format, "path" -> path)
    case _ => ()
  }

  private def isFormat(session: SparkSession, name: String) =
    Try(DataSource.lookupDataSource(name, session.sessionState.conf)).isSuccess

  /** @throws io.kafkalyst.errors.KafkalystException LAKE_SINK if there is no such table */
  def at(session: SparkSession, name: SinkName.OfTable): LakeTable = {
    val table = found(session, name).getOrElse(throw missing(name, near(session, name)))
    val schema = session.table(name.sql).schema
    LakeTable(name, schema, providerOf(table), table.properties.asScala.toMap, Frames.takesStreams(table))
  }

  /** The column's DEFAULT, as Spark's INSERT computes it. */
  private[lake] def defaultOf(session: SparkSession, field: StructField): Option[Expression] =
    field.getCurrentDefaultValue().flatMap { text =>
      val value = Cast(session.sessionState.sqlParser.parseExpression(text), field.dataType)
      // Apart from the query, whose columns a DEFAULT does not see.
      val plan = Frames.of(session, Project(Seq(Alias(value, field.name)()), OneRowRelation())).queryExecution.analyzed
      plan.expressions.collectFirst { case Alias(resolved, _) => resolved }
    }

  /** The catalog's table; None if there is none. */
  private[lake] def found(session: SparkSession, name: SinkName.OfTable): Option[Table] =
    Frames.tableAt(session, name.parts)

  /** LAKE_SINK. */
  private[lake] def missing(name: SinkName.OfTable, nearest: String = ""): KafkalystException =
    KafkalystException("LAKE_SINK", "name" -> name.toString, "nearest" -> nearest)

  /** The similar name of a stream or table beside it. */
  private def near(session: SparkSession, name: SinkName.OfTable) = {
    val beside = if (name.parts.head == ObjectName.sessionCatalog) name.parts.drop(1) else name.parts
    try Conditions.nearest(name.parts.last, new ObjectStore(session).sources(beside.dropRight(1).headOption))
    catch { case NonFatal(_) => "" } // The error about the table is the one to report.
  }

  private[lake] def providerOf(table: Table): String =
    table.properties.getOrDefault("provider", "").toLowerCase(Locale.ROOT)
}
