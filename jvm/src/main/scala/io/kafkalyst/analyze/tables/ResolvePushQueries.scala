package io.kafkalyst.analyze
package tables

import io.kafkalyst.query.push.PushQuery
import io.kafkalyst.streams.AnalyzedQuery
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/**
 * Analyses a [[PushQuery]] separately: Spark's expressions capture the current settings, and this query needs ksqlDB's.
 */
final class ResolvePushQueries(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformDown { case PushQuery(query) =>
    new AnalyzedQuery(session, query).shown
  }
}
