package io.kafkalyst.joins

import org.apache.spark.sql.catalyst.expressions.{Attribute, EqualTo, Expression, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.Inner
import org.apache.spark.sql.catalyst.plans.logical.{Filter, Join, LogicalPlan}

/**
 * Flink's interval joins of two streams, on an equality and a range of the columns with WATERMARKs; and its window
 * joins, on equal window ends. Spark runs these joins itself, and keeps rows as long as they may match.
 */
object TimeRange extends PredicateHelper {

  /** Whether all joins of streams in a plan are interval or window joins, by ON or, for inner joins, by WHERE. */
  def ofAll(plan: LogicalPlan): Boolean = {
    val joins = plan.collect { case join: Join if join.left.isStreaming && join.right.isStreaming => join }
    val byWhere = plan.collect { case Filter(condition, join: Join) if join.joinType == Inner => join -> condition }
    joins.nonEmpty && joins.forall { join =>
      val where = byWhere.collect { case (`join`, condition) => condition }
      !join.right.isInstanceOf[Within] && is(join, (join.condition ++ where).flatMap(splitConjunctivePredicates).toSeq)
    }
  }

  private def is(join: Join, conditions: Seq[Expression]) = {
    def times(side: LogicalPlan) = side.outputSet.filter(WatermarkMark.isOn)
    val (left, right) = (times(join.left), times(join.right))
    def isOf(side: Iterable[Attribute], e: Expression) = side.exists(e.references.contains)
    val (equal, others) = conditions.partition(_.isInstanceOf[EqualTo])
    def areOfBoth(e: Expression) =
      e.references.exists(join.left.outputSet.contains) && e.references.exists(join.right.outputSet.contains)
    def areTimes(e: Expression) = e.children.forall {
      case a: Attribute => WatermarkMark.isOn(a)
      case _ => false
    }
    val both = equal.filter(areOfBoth)
    both.nonEmpty && (both.exists(areTimes) || others.exists(e => isOf(left, e) && isOf(right, e)))
  }
}
