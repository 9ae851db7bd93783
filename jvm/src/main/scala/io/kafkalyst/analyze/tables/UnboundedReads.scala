package io.kafkalyst.analyze
package tables

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, UnaryNode}

/**
 * Marks which topics of a parsed query are read as unbounded streams. [[ResolveTopicTables]] removes it.
 *
 * @param all     whether every topic is, as with EMIT CHANGES
 * @param streams start positions in the text of the names that follow STREAM
 */
final case class UnboundedReads(child: LogicalPlan, all: Boolean, streams: Set[Int]) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  // EXPLAIN reads this from the parsed plan.
  override def isStreaming: Boolean = true
  override lazy val resolved: Boolean = false
  override protected def withNewChildInternal(newChild: LogicalPlan): UnboundedReads = copy(child = newChild)
}
