package io.kafkalyst.query

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/**
 * A parsed SELECT … EMIT CHANGES in ksqlDB's language: its expressions compute as those of a query into a topic.
 *
 * @param child the query, as [[SinkQuery]] of which rows are only shown
 */
final case class PushQuery(child: LogicalPlan) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  // EXPLAIN asks the parsed plan.
  override def isStreaming: Boolean = true
  override lazy val resolved: Boolean = false
  override protected def withNewChildInternal(newChild: LogicalPlan): PushQuery = copy(child = newChild)
}
