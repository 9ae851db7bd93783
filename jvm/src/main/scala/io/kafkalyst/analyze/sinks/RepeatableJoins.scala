package io.kafkalyst.analyze.sinks

import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.model.Side
import org.apache.spark.sql.catalyst.expressions.{Attribute, RowOrdering}
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  Deduplicate,
  Join,
  LogicalPlan,
  RepartitionByExpression,
  RepartitionOperation
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.WriteToStream

/**
 * Repartitions exactly-once queries that join a stream with a table by key. Spark chooses the join strategy, and so the
 * number of tasks, by the table's size. If the table grew before a batch is retried, its tasks would not match those
 * that already wrote.
 */
object RepeatableJoins extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case write: WriteToStream =>
      write.sink match {
        case sink: TopicTable if write.inputQuery.resolved && sink.isExactlyOnce && changesTasks(write.inputQuery) =>
          val by = distinctive(write.inputQuery, sink)
          // Spark does not coalesce an explicit number of partitions, unlike one from the settings.
          if (by.isEmpty) plan
          else write.withNewChildren(Seq(RepartitionByExpression(by, write.inputQuery, conf.numShufflePartitions)))
        case _ => plan
      }
    case _ => plan
  }

  /** Whether a stream-table join determines the number of tasks: no shuffle follows it. */
  private def changesTasks(plan: LogicalPlan): Boolean = plan match {
    case _: RepartitionOperation | _: Aggregate | _: Deduplicate => false
    case join: Join if join.left.isStreaming != join.right.isStreaming => true
    case other => other.children.exists(changesTasks)
  }

  /** The key's columns, so that rows of a key stay in order; without a key, all columns that can be hashed. */
  private def distinctive(query: LogicalPlan, sink: TopicTable): Seq[Attribute] = {
    val keys = sink.topic.columns(Side.Key).map(_.name)
    val key = query.output.filter(attribute => keys.exists(_.equalsIgnoreCase(attribute.name)))
    if (key.nonEmpty) key else query.output.filter(column => RowOrdering.isOrderable(column.dataType))
  }
}
