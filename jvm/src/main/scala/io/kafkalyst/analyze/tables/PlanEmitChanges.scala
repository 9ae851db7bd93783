package io.kafkalyst.analyze
package tables

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.joins.{ChangesOf, ContinuousJoins, TimeRange, Within}
import io.kafkalyst.streams.{AnalyzedQuery, Carrying, ChangeStream, GroupWindow, InlinedQuery}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Not}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule

/**
 * Plans EMIT CHANGES queries: joins with [[ContinuousJoins]], groups over inputs that delete or replace rows, and
 * session windows, which Spark would emit only when they are closed. Bounded queries use Spark's own joins and windows.
 */
final class PlanEmitChanges(spark: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsDown {
    case ChangesOf(child) if child.resolved =>
      val isJoin = ContinuousJoins.isIn(child) && !TimeRange.ofAll(child)
      val session = WindowedInput.session(child)
      val query = InlinedQuery(child)
      val isGrouped = query.exists(_.isInstanceOf[Aggregate])
      ChangeStream.checkJoined(query)
      if (!isJoin && session.isEmpty && !(isGrouped && Carrying.retracts(query))) {
        if (isGrouped) AnalyzedQuery.checkDistinct(query)
        child
      } else {
        val rows = if (isGrouped) grouped(query, session)
        else ContinuousJoins.forChanges(spark, query)
        Project(child.output.zip(query.output).map { case (was, is) => if (was == is) is else named(is, was) }, rows)
      }
    case join: Join if !join.isStreaming && join.right.isInstanceOf[Within] =>
      throw KafkalystException("WITHIN_IN_BATCH")
  }

  private def named(column: Attribute, as: Attribute) = Alias(column, as.name)(as.exprId, as.qualifier)

  /** Groups rows; hides groups that HAVING filters out, and sessions that were merged into others. */
  private def grouped(plan: LogicalPlan, session: Option[GroupWindow]): LogicalPlan = plan match {
    case limit @ (_: GlobalLimit | _: LocalLimit) => limit.withNewChildren(limit.children.map(grouped(_, session)))
    case _ =>
      AnalyzedQuery.checkGroups(plan)
      val changes = Carrying.of(spark, plan, session, isShown = true)
      Project(plan.output, changes.tombstone.fold(changes.plan)(gone => Filter(Not(gone), changes.plan)))
  }
}
