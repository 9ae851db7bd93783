package io.kafkalyst.analyze
package names

import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.model.TopicColumn
import org.apache.spark.sql.catalyst.catalog.HiveTableRelation
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.catalyst.plans.logical.{LeafNode, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/**
 * Removes Kafkalyst's marks from the columns of files and of tables that are no topics. Spark stores the metadata of a
 * column in what a query fills, and there a topic's key column is a column as any other.
 */
object ForeignColumns extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    val marked = plan.collect {
      case leaf: LeafNode if isForeign(leaf) => leaf.output.filter(isMarked).map(_.exprId)
    }.flatten.toSet
    // Operators above may already refer to the columns.
    if (marked.isEmpty) plan
    else plan.resolveOperatorsUp { case operator =>
      operator.transformExpressions {
        case a: AttributeReference if marked(a.exprId) && isMarked(a) =>
          a.withMetadata(TopicColumn.unmarked(a.metadata))
      }
    }
  }

  private def isMarked(a: Attribute) = TopicColumn.isMarked(a.metadata)

  private def isForeign(leaf: LeafNode) = leaf match {
    case _: LogicalRelation | _: HiveTableRelation => true
    case batch: DataSourceV2Relation => !batch.table.isInstanceOf[TopicTable]
    case stream: StreamingRelationV2 => !stream.table.isInstanceOf[TopicTable]
    // Its package differs between Spark's versions.
    case other => other.nodeName == "StreamingRelation"
  }
}
