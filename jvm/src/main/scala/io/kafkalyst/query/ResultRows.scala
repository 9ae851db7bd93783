package io.kafkalyst.query

import io.kafkalyst.streams.{AnalyzedQuery, Carrying, Changes, SinkProjection, SinkQuery}
import io.kafkalyst.joins.ContinuousJoins
import io.kafkalyst.model.TopicColumn
import io.kafkalyst.write.SinkColumns
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Alias
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.kafkalyst.Frames
import org.apache.spark.sql.streaming.OutputMode

/**
 * The result of a query as the rows of a sink. Its creation throws the errors of [[AnalyzedQuery.checkContinuous]].
 *
 * @param check throws if the sink does not accept such a result
 * @param inSql whether groups without rows are deleted, see [[Carrying]]
 */
final class ResultRows(
    session: SparkSession,
    val of: AnalyzedQuery,
    query: SinkQuery,
    check: Changes => Unit,
    inSql: Boolean = false
) {
  of.checkContinuous()

  // A join computes ROWTIME and tombstones itself (see ContinuousJoins.forSink), unless it is grouped.
  private val ofJoin = of.isJoin && !of.isGrouped

  lazy val result: Changes =
    if (ofJoin) {
      val (plan, window) = ContinuousJoins.windowed(of.plan)
      Changes(plan, window = window)
    } else {
      val changes = Carrying.of(session, of.plan, query.window, query.emitFinal, inSql = inSql)
      check(changes)
      changes
    }

  lazy val projection: SinkProjection = SinkProjection.of(result)
  lazy val frame: DataFrame = Frames.of(session, projection.plan)

  /** Whether rows replace earlier rows with the same key, and may delete them. */
  def isTable: Boolean = if (ofJoin) ContinuousJoins.isTable(of.plan) else result.isTable

  def mode: OutputMode = if (of.isGrouped && !query.emitFinal) OutputMode.Update() else OutputMode.Append()

  /** The rows, with the metadata columns around the sink's columns. */
  def rows: DataFrame = written(projection.plan)

  /** Like [[rows]], with each row's position among the rows of its key, if known, as [[SinkColumns.order]]. */
  def ordered: DataFrame = (projection.plan, result.order) match {
    case (Project(list, child), Some(order)) if !ofJoin =>
      Frames.of(session, Project(list :+ Alias(order, SinkColumns.order)(), child))
    case _ => rows
  }

  /** @param left names of the result's columns that the sink does not have */
  def planned(sink: Sink, left: Seq[String] = Nil): PlannedQuery = planned(
    sink,
    {
      case Project(list, child) =>
        Project(list.filterNot(e => left.contains(TopicColumn.nameOf(e.name, e.metadata))), child)
      case other => other
    }
  )

  /** @param fitted adapts the [[projection]] to the columns of an existing sink */
  def planned(sink: Sink, fitted: LogicalPlan => LogicalPlan): PlannedQuery =
    PlannedQuery(written(fitted(projection.plan)), sink, mode, stateful = of.isJoin, of)

  private def written(plan: LogicalPlan) =
    Frames.of(session, if (ofJoin) ContinuousJoins.forSink(session, plan) else plan)
}
