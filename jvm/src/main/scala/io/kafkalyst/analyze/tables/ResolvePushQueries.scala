package io.kafkalyst.analyze
package tables

import io.kafkalyst.query.PushQuery
import io.kafkalyst.streams.AnalyzedQuery
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

/** Analyses a [[PushQuery]] by itself: Spark's expressions keep the settings of that moment, and its are ksqlDB's. */
final class ResolvePushQueries(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformDown { case PushQuery(query) =>
    new AnalyzedQuery(session, query).plan
  }
}
