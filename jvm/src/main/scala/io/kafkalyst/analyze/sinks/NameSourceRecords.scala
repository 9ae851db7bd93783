package io.kafkalyst.analyze
package sinks

import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.streams.SourceRecord
import org.apache.spark.sql.catalyst.analysis.NamedRelation
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.COMMAND
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/**
 * Carries the source record of each row into a batch write, so that errors can name the record of a row that cannot be
 * written. Applies only if each row comes from one record of one topic.
 */
object NameSourceRecords extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsWithPruning(_.containsPattern(COMMAND)) {
    case write: V2WriteCommand if write.resolved && isTopic(write.table) && !isNamed(write.query) =>
      carrying(write.query).fold(write) { case (query, source) =>
        write.withNewQuery(Project(write.query.output ++ source.columns, query))
      }
  }

  private def isTopic(table: NamedRelation): Boolean = table match {
    case relation: DataSourceV2Relation => relation.table.isInstanceOf[TopicTable]
    case _ => false
  }

  private def isNamed(query: LogicalPlan): Boolean = query.output.exists(a => SourceRecord.isPart(a.metadata))

  /** The plan with the source record's columns in its output. */
  private def carrying(query: LogicalPlan): Option[(LogicalPlan, SourceRecord)] =
    CarriedUp[SourceRecord](query, passes, _.attributes) {
      case relation: DataSourceV2Relation =>
        relation.table match {
          case table: TopicTable =>
            val exposed = relation.withMetadataColumns()
            SourceRecord.of(exposed, table.topic).map(exposed -> _)
          case _ => None
        }
      case _ => None
    }

  private def passes(operator: UnaryNode) = operator match {
    case _: Filter | _: SubqueryAlias | _: Repartition | _: Sort | _: GlobalLimit | _: LocalLimit => true
    case _ => false
  }
}
