package io.kafkalyst.analyze
package tables

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.joins.{ChangesOf, ContinuousJoins, Within}
import io.kafkalyst.streams.Carrying
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.Not
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
        if (child.exists(_.isInstanceOf[Aggregate])) grouped(child) else ContinuousJoins.forChanges(session, child)
      } else child
    case join: Join if !join.isStreaming && join.right.isInstanceOf[Within] =>
      throw KafkalystException("WITHIN_IN_BATCH")
  }

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
