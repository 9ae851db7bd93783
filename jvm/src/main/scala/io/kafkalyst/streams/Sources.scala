package io.kafkalyst.streams

import io.kafkalyst.catalog.TopicTable
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2

private[streams] object Sources {

  /** The topics that a plan reads as unbounded streams, leftmost first. */
  def of(plan: LogicalPlan): Seq[TopicTable] =
    plan.collectLeaves().collect { case relation: StreamingRelationV2 => relation.table }.collect {
      case table: TopicTable => table
    }
}
