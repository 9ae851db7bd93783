package io.kafkalyst.analyze
package tables

import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.errors.KafkalystException
import org.apache.spark.sql.catalyst.expressions.SubqueryExpression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2

/** Refuses subqueries over topics in what is read without end by the name that continuous queries have for it. */
object ContinuousSubqueries extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    if (plan.isStreaming) plan.foreach(_.expressions.foreach(_.foreach {
      case subquery: SubqueryExpression if readsTopic(subquery.plan) =>
        throw KafkalystException("SUBQUERY_IN_CONTINUOUS").at(subquery.origin.line, subquery.origin.startPosition)
      case _ =>
    }))
    plan
  }

  private def readsTopic(plan: LogicalPlan) = plan.isStreaming && plan.collectLeaves().exists {
    case relation: StreamingRelationV2 => relation.table.isInstanceOf[TopicTable]
    case _ => false
  }
}
