package io.kafkalyst.analyze
package names

import io.kafkalyst.analyze.tables.{EndlessViews, TopicRelation}
import io.kafkalyst.catalog.ObjectStore
import io.kafkalyst.functions.flink.FlinkCalls
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.plans.logical.{InsertIntoStatement, LeafNode, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

/** Applies [[FlinkCalls]] to plans that read topics, or views over them. */
final class ResolveFlinkCalls(session: SparkSession) extends Rule[LogicalPlan] {
  private lazy val views = new EndlessViews(session, new ObjectStore(session))

  // Few statements contain such a call, so the catalog is asked last.
  override def apply(plan: LogicalPlan): LogicalPlan = {
    val named = FlinkCalls.named(plan)
    if ((named ne plan) && isOurs(plan)) named else plan
  }

  private def isOurs(plan: LogicalPlan): Boolean = plan.collectWithSubqueries {
    case insert: InsertIntoStatement if TopicRelation.isIn(insert.table) => insert
    case view: UnresolvedRelation if views.readsTopics(view.multipartIdentifier) => view
    case leaf: LeafNode if TopicRelation.isIn(leaf) => leaf
  }.nonEmpty
}
