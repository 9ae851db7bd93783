package io.kafkalyst.analyze

import io.kafkalyst.functions.aggregates.Placed
import io.kafkalyst.streams.BatchStamp
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.AGGREGATE

/**
 * Gives the rows below an order-dependent aggregate a position: by batch, task and row. Runs in Spark's optimizer for
 * each batch, after filters have been pushed down.
 */
object RowPlaces extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformUpWithPruning(_.containsPattern(AGGREGATE)) {
    case aggregate: Aggregate if aggregate.aggregateExpressions.exists(_.exists(isUnplaced)) =>
      val place = Alias(CreateArray(Seq(new BatchStamp, MonotonicallyIncreasingID())), "place")()
      val placed = aggregate.child match {
        case Project(list, below) => Project(list :+ place, below)
        case other => Project(other.output :+ place, other)
      }
      aggregate.copy(child = placed).transformExpressions {
        case f: Placed if isUnplaced(f) => f.placedBy(place.toAttribute)
      }
  }

  private def isUnplaced(e: Expression): Boolean = e match {
    case f: Placed => f.isUnplaced
    case _ => false
  }
}
