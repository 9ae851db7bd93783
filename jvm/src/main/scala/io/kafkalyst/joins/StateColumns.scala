package io.kafkalyst.joins

import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.metadata.WindowedKey
import io.kafkalyst.model.TopicColumn
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Filter, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2

/**
 * Joins and groups of tables store whole rows in their state. Reduces these rows to the columns that a query uses, so
 * that the query continues when its sources gain columns.
 */
object StateColumns {

  /** The query with only the used columns of its topics. */
  def used(query: LogicalPlan): LogicalPlan = narrowed(query, query.outputSet)

  /** @param wanted the columns that the nodes above use */
  private def narrowed(plan: LogicalPlan, wanted: AttributeSet): LogicalPlan = plan match {
    case Filter(_, relation: StreamingRelationV2) => of(plan, relation, wanted)
    case relation: StreamingRelationV2 => of(relation, relation, wanted)
    case Project(list, child) =>
      val kept = list.filter(e => wanted.contains(e.toAttribute) || isBound(e.toAttribute))
      Project(kept, narrowed(child, AttributeSet(kept.flatMap(_.references))))
    case a: Aggregate => a.mapChildren(narrowed(_, a.references))
    case other => other.mapChildren(narrowed(_, wanted ++ other.references))
  }

  private def of(rows: LogicalPlan, relation: StreamingRelationV2, wanted: AttributeSet) = relation.table match {
    case _: TopicTable =>
      val kept = relation.output.filter(a => wanted.contains(a) || isBound(a))
      if (kept.size == relation.output.size) rows else Project(kept, rows)
    case _ => rows
  }

  private def isBound(a: Attribute) = WindowedKey.isBound(TopicColumn.of(a))
}
