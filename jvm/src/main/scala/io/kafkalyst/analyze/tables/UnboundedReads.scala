package io.kafkalyst.analyze
package tables

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/**
 * Says of a parsed query which of its topics are read without end. [[ResolveTopicTables]] takes it off again.
 *
 * @param all     every topic, as EMIT CHANGES asks
 * @param streams start positions of the names in the text that stand behind STREAM
 */
final case class UnboundedReads(child: LogicalPlan, all: Boolean, streams: Set[Int]) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  // EXPLAIN asks the parsed plan.
  override def isStreaming: Boolean = true
  override lazy val resolved: Boolean = false
  override protected def withNewChildInternal(newChild: LogicalPlan): UnboundedReads = copy(child = newChild)
}
