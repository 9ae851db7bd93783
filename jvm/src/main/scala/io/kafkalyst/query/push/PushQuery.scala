package io.kafkalyst.query
package push

import io.kafkalyst.streams.SinkQuery

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan}

/** A parsed SELECT … EMIT CHANGES in ksqlDB's dialect, analysed like a query into a topic but without a sink. */
final case class PushQuery(query: SinkQuery) extends LeafNode {
  override def output: Seq[Attribute] = Nil
  // EXPLAIN reads this from the parsed plan.
  override def isStreaming: Boolean = true
  override lazy val resolved: Boolean = false
  override def innerChildren: Seq[LogicalPlan] = Seq(query)
}
