package io.kafkalyst.analyze
package sinks

import io.kafkalyst.catalog.{ObjectCodec, ObjectName, SessionObjects, TopicSource}
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
    case c: CreateTable =>
      checkQueries(c)
      if (properties(c.tableSpec).exists(Properties.partitions.name.equalsIgnoreCase)) staged(c, c.tableSpec) else c
    case other => other
  }

  /** RESUME would run a query with whatever text and checkpoint such a property has. */
  private def checkQueries(create: CreateTable): Unit =
    if (isTopics(create.tableSpec) && !SessionObjects.isCreating) ObjectCodec.checkCreation(
      create.name match {
        case id: ResolvedIdentifier => id.identifier.toString
        case other => other.toString
      },
      properties(create.tableSpec)
    )

  private def properties(table: TableSpecBase): Iterable[String] = table match {
    case spec: TableSpec => (spec.properties ++ spec.options).keys
    case _ => Nil
  }

  private def isTopics(table: TableSpecBase) = table.provider.exists(_.equalsIgnoreCase(TopicSource.name))

  private def staged(plan: LogicalPlan, table: TableSpecBase): LogicalPlan =
    if (!isTopics(table)) plan
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
