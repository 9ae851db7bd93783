package io.kafkalyst.analyze.sinks

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, UnaryNode}

/** Carries hidden columns of a query's only source up into the query's output. */
private[sinks] object CarriedUp {

  /**
   * @param passes  whether an operator, other than a projection, passes rows on
   * @param columns selects the columns from the source's result
   * @param source  a leaf with these columns in its output
   * @return None if another operator is in between, or the source does not have the columns
   */
  def apply[A](plan: LogicalPlan, passes: UnaryNode => Boolean, columns: A => Seq[Attribute])(
      source: LogicalPlan => Option[(LogicalPlan, A)]
  ): Option[(LogicalPlan, A)] = {
    def up(plan: LogicalPlan): Option[(LogicalPlan, A)] = plan match {
      case Project(list, child) => up(child).map { case (below, found) =>
          Project(list ++ columns(found).filterNot(c => list.exists(_.exprId == c.exprId)), below) -> found
        }
      case one: UnaryNode if passes(one) =>
        up(one.child).map { case (below, found) => one.withNewChildren(Seq(below)) -> found }
      case leaf => source(leaf)
    }
    up(plan)
  }
}
