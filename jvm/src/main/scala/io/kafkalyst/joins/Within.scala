package io.kafkalyst.joins

import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan, UnaryNode}

/**
 * How far apart in time the records of two streams may be: the right one up to `before` milliseconds earlier than the
 * left one, or up to `after` later.
 *
 * @param grace how late a record may arrive before its window closes; None without a grace period, so that a row
 *              without a match is written at once
 */
final case class JoinWindow(before: Long, after: Long, grace: Option[Long]) {

  /** The same times, counted from the right row. */
  def turned: JoinWindow = copy(before = after, after = before)

  /** How long records are kept for later matches. */
  def retention: Long = before + after + grace.getOrElse(JoinWindow.defaultGrace)
}

object JoinWindow {

  /** Kafka Streams' default without a grace period. */
  private val defaultGrace = 24L * 60 * 60 * 1000
}

/** The WITHIN clause of a join. It wraps the join's right side until [[ContinuousJoins]] plans the join. */
final case class Within(child: LogicalPlan, window: JoinWindow) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): Within = copy(child = newChild)
}

/**
 * A WITHIN clause and its position in the text.
 *
 * @param from  the position where the right side's name begins
 * @param until the position where WITHIN begins
 */
final case class PlacedWindow(from: Int, until: Int, window: JoinWindow) {
  def isOn(join: Join): Boolean = holds(join.right) && !holds(join.left)

  private def holds(plan: LogicalPlan): Boolean = plan.exists {
    case r: UnresolvedRelation => r.origin.startIndex.exists(i => i >= from && i < until)
    case _ => false
  }
}

object Within {

  /** Attaches the clauses to the joins of a parsed plan. */
  def put(plan: LogicalPlan, windows: Seq[PlacedWindow]): LogicalPlan =
    if (windows.isEmpty) plan
    else
      plan.transformUpWithSubqueries {
        case join: Join if !join.right.isInstanceOf[Within] =>
          windows.find(_.isOn(join)).fold(join)(w => join.copy(right = Within(join.right, w.window)))
      }
}
