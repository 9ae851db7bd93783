package io.kafkalyst.analyze
package sinks

import io.kafkalyst.catalog.{ObjectName, TopicSource}
import io.kafkalyst.commands.SessionTopics
import io.kafkalyst.model.Properties
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.ResolvedIdentifier
import org.apache.spark.sql.catalyst.plans.logical.{
  CreateTable,
  CreateTableAsSelect,
  LogicalPlan,
  ReplaceTableAsSelect,
  TableSpec,
  TableSpecBase
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.catalog.CatalogPlugin

/**
 * Stages CREATE TABLE … USING kafkalyst in the session catalog, which cannot stage topics itself, if it has AS SELECT
 * or PARTITIONS. Without either, the statement declares a table over an existing topic.
 */
final class StageTopics(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case c: CreateTableAsSelect => staged(c, c.tableSpec)
    case r: ReplaceTableAsSelect => staged(r, r.tableSpec)
    case c: CreateTable if hasPartitions(c.tableSpec) => staged(c, c.tableSpec)
    case other => other
  }

  private def hasPartitions(table: TableSpecBase): Boolean = table match {
    case spec: TableSpec => (spec.properties ++ spec.options).keys.exists(Properties.partitions.name.equalsIgnoreCase)
    case _ => false
  }

  private def staged(plan: LogicalPlan, table: TableSpecBase): LogicalPlan =
    if (!table.provider.exists(_.equalsIgnoreCase(TopicSource.name))) plan
    else plan.mapChildren {
      case id: ResolvedIdentifier
          if id.catalog.name == ObjectName.sessionCatalog && !id.catalog.isInstanceOf[SessionTopics] =>
        // Rebuilt from its own parts, because the number of arguments differs between Spark versions.
        id.makeCopy(id.productIterator.map {
          case _: CatalogPlugin => new SessionTopics(session)
          case part => part.asInstanceOf[AnyRef]
        }.toArray)
      case other => other
    }
}
