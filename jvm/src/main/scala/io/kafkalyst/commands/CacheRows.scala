package io.kafkalyst.commands

import java.util.Locale

import io.kafkalyst.catalog.{Detached, TopicTable}
import io.kafkalyst.errors.KafkalystException
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.kafkalyst.Frames
import org.apache.spark.storage.StorageLevel

import scala.util.control.NonFatal

/**
 * `CACHE [LAZY] TABLE name [OPTIONS ('storageLevel' = …)] AS SELECT …` over topics: caches the current rows under a
 * temporary view. Spark would store the view as text and load the topic again at the next read, which would miss the
 * cache.
 *
 * @param query   the SELECT
 * @param options storageLevel, by Spark's names; the session's default level without it
 */
final case class CacheRows(name: String, query: LogicalPlan, isLazy: Boolean, options: Map[String, String])
    extends LeafRunnableCommand {
  override def run(session: SparkSession): Seq[Row] = {
    val level = options.find(_._1.equalsIgnoreCase("storageLevel")).map(o => levelOf(o._2))
    val rows = Frames.of(session, detached(Frames.of(session, query).queryExecution.analyzed))
    rows.createTempView(quoteIfNeeded(name))
    try {
      level.fold(rows.persist())(rows.persist)
      if (!isLazy) rows.count()
      Nil
    } catch {
      case NonFatal(failed) =>
        // Dropping the view also removes the rows from Spark's cache.
        session.catalog.dropTempView(name)
        throw failed
    }
  }

  /** The plan without its topics' places in catalogs. */
  private def detached(plan: LogicalPlan): LogicalPlan = plan.transformWithSubqueries {
    case r: DataSourceV2Relation if r.table.isInstanceOf[TopicTable] => Detached(r)
  }

  private def levelOf(name: String): StorageLevel =
    try StorageLevel.fromString(name.toUpperCase(Locale.ROOT))
    catch { case _: IllegalArgumentException => throw KafkalystException("STORAGE_LEVEL", "level" -> name) }
}
