package io.kafkalyst.analyze.sinks

import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.model.Side
import io.kafkalyst.streams.Checkpoint
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Attribute, RowOrdering}
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  Deduplicate,
  Join,
  LogicalPlan,
  RebalancePartitions,
  Repartition,
  RepartitionByExpression
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.{StreamingRelationV2, WriteToStream}

/**
 * Repartitions exactly-once queries by key if a repeated batch might have other tasks than those that already wrote:
 *
 *   - Spark chooses the strategy of a join with a table, and so the number of tasks, by the table's size.
 *   - A stream with a HISTORY reads records from a table's files once the brokers have deleted them.
 *   - Spark coalesces the partitions of `REPARTITION(c)`, `DISTRIBUTE BY` and `REBALANCE` by the executors at hand.
 */
final class RepeatableTasks(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case write: WriteToStream =>
      write.sink match {
        case sink: TopicTable if write.inputQuery.resolved && sink.isExactlyOnce && changesTasks(write.inputQuery) =>
          val by = distinctive(write.inputQuery, sink)
          // Spark restores the checkpoint's number only after the plan is analysed.
          val planned = Checkpoint.shufflePartitions(session, write.resolvedCheckpointLocation)
          val number = planned.getOrElse(conf.numShufflePartitions)
          // Spark does not coalesce an explicit number of partitions, unlike one from the settings.
          if (by.isEmpty) plan
          else write.withNewChildren(Seq(RepartitionByExpression(by, write.inputQuery, number)))
        case _ => plan
      }
    case _ => plan
  }

  /** Whether the number of tasks, or the rows of each, may differ when a batch is repeated. */
  private def changesTasks(plan: LogicalPlan): Boolean = plan match {
    // Another number sends each row to a task that depends on the row's task before.
    case fixed: Repartition if fixed.numPartitions == 1 => false
    case fixed: RepartitionByExpression => fixed.optNumPartitions.isEmpty
    case _: RebalancePartitions => true
    case _: Aggregate | _: Deduplicate => false
    case join: Join if join.left.isStreaming != join.right.isStreaming => true
    case stream: StreamingRelationV2 =>
      stream.table match {
        case read: TopicTable => read.hasOlder
        case _ => false
      }
    case other => other.children.exists(changesTasks)
  }

  /** The key's columns, so that rows of a key stay in order; without a key, all columns that can be hashed. */
  private def distinctive(query: LogicalPlan, sink: TopicTable): Seq[Attribute] = {
    val keys = sink.topic.columns(Side.Key).map(_.name)
    val key = query.output.filter(attribute => keys.exists(_.equalsIgnoreCase(attribute.name)))
    if (key.nonEmpty) key else query.output.filter(column => RowOrdering.isOrderable(column.dataType))
  }
}
