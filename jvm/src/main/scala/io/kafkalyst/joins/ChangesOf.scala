package io.kafkalyst.joins

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/** Marks a query whose changes are shown as they arrive, so that Kafkalyst plans its joins and groups. */
final case class ChangesOf(child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): ChangesOf = copy(child = newChild)
}
