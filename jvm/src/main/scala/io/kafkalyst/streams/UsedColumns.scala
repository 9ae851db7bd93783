package io.kafkalyst.streams

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet, ExprId}
import org.apache.spark.sql.catalyst.plans.logical._

/** The columns of leaves, as relations are, that a resolved plan uses; a column that is only passed on is not used. */
final class UsedColumns private (ids: Set[ExprId]) {
  def apply(a: Attribute): Boolean = ids(a.exprId)
}

object UsedColumns {
  def apply(plan: LogicalPlan): UsedColumns = new UsedColumns(of(plan, plan.outputSet).map(_.exprId).toSet)

  private def of(node: LogicalPlan, above: AttributeSet): Seq[Attribute] = {
    val below = node match {
      case leaf: LeafNode => leaf.output.filter(above.contains)
      case Project(list, child) =>
        of(child, AttributeSet(list.filter(e => above.contains(e.toAttribute)).flatMap(_.references)))
      case a: Aggregate => of(a.child, a.references)
      case _: Filter | _: SubqueryAlias | _: View | _: Sort | _: GlobalLimit | _: LocalLimit | _: Window | _: Generate |
          _: Join | _: EventTimeWatermark =>
        node.children.flatMap(of(_, above ++ node.references))
      // All others use their rows by the places of the columns.
      case _ => node.children.flatMap(child => of(child, child.outputSet))
    }
    below ++ node.subqueries.flatMap(s => of(s, s.outputSet))
  }
}
