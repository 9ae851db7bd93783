package io.kafkalyst.analyze
package tables

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.joins.{ChangesOf, ContinuousJoins, Within}
import io.kafkalyst.streams.{Carrying, InlinedQuery}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Not}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule

/** Plans the joins of EMIT CHANGES queries with [[ContinuousJoins]]; joins of bounded queries are Spark's own. */
final class RunJoins(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsDown {
    case ChangesOf(child) if child.resolved =>
      if (ContinuousJoins.isIn(child)) {
        // Spark starts this query itself, so the state store must be set beforehand.
        val store = session.conf.get(RunJoins.provider, "")
        if (!store.contains("RocksDB")) throw KafkalystException("JOIN_STATE_STORE", "setting" -> RunJoins.provider)
        val query = InlinedQuery(child)
        val joined =
          if (query.exists(_.isInstanceOf[Aggregate])) grouped(query) else ContinuousJoins.forChanges(session, query)
        Project(child.output.zip(query.output).map { case (was, is) => if (was == is) is else named(is, was) }, joined)
      } else child
    case join: Join if !join.isStreaming && join.right.isInstanceOf[Within] =>
      throw KafkalystException("WITHIN_IN_BATCH")
  }

  private def named(column: Attribute, as: Attribute) = Alias(column, as.name)(as.exprId, as.qualifier)

  /** Groups a join's rows; groups that HAVING filters out are not shown. */
  private def grouped(plan: LogicalPlan): LogicalPlan = plan match {
    case limit @ (_: GlobalLimit | _: LocalLimit) => limit.withNewChildren(limit.children.map(grouped))
    case _ =>
      val changes = Carrying.of(plan)
      Project(plan.output, changes.tombstone.fold(changes.plan)(gone => Filter(Not(gone), changes.plan)))
  }
}

private object RunJoins {
  val provider = "spark.sql.streaming.stateStore.providerClass"
}
