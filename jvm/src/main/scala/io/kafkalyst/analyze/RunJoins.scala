package io.kafkalyst.analyze

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.joins.{ChangesOf, ContinuousJoins, Within}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

/** Gives the joins of EMIT CHANGES queries to [[ContinuousJoins]]; those of bounded queries are Spark's own. */
final class RunJoins(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsDown {
    case ChangesOf(child) if child.resolved =>
      if (ContinuousJoins.isIn(child)) {
        // Here Spark starts the query, not we.
        val store = session.conf.get(RunJoins.provider, "")
        if (!store.contains("RocksDB")) throw KafkalystException("JOIN_STATE_STORE", "setting" -> RunJoins.provider)
        ContinuousJoins.forChanges(session, child)
      } else child
    case join: Join if !join.isStreaming && join.right.isInstanceOf[Within] =>
      throw KafkalystException("WITHIN_IN_BATCH")
  }
}

private object RunJoins {
  val provider = "spark.sql.streaming.stateStore.providerClass"
}
