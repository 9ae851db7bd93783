package io.kafkalyst.analyze
package names

import io.kafkalyst.catalog.ObjectStore
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{
  UnresolvedIdentifier,
  UnresolvedNamespace,
  UnresolvedRelation,
  UnresolvedTable,
  UnresolvedTableOrView,
  UnresolvedView
}
import org.apache.spark.sql.catalyst.plans.logical.{
  InsertIntoStatement,
  LogicalPlan,
  SetCatalogAndNamespace,
  ShowTables,
  ShowViews
}
import org.apache.spark.sql.catalyst.rules.Rule

/**
 * Flink's `default_catalog.default_database` in names that are not a topic: Spark's session catalog and its `default`
 * schema, see [[ObjectStore.meant]]. A schema with this name can still be created.
 */
final class FlinkNames(session: SparkSession) extends Rule[LogicalPlan] {
  private lazy val store = new ObjectStore(session)

  // With another current catalog these are names of its own.
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (plan.analyzed || !store.isInSession) plan else rewritten(plan)

  private def rewritten(plan: LogicalPlan): LogicalPlan = plan.transformDownWithSubqueries {
    case r: UnresolvedRelation => named(r, r.multipartIdentifier)
    case t: UnresolvedTable => named(t, t.multipartIdentifier)
    case v: UnresolvedView => named(v, v.multipartIdentifier)
    case t: UnresolvedTableOrView => named(t, t.multipartIdentifier)
    case i: UnresolvedIdentifier => named(i, i.nameParts)
    // The table is not a child of the statement.
    case i: InsertIntoStatement => replaced(i, i.table, rewritten(i.table))
    case s @ (_: SetCatalogAndNamespace | _: ShowTables | _: ShowViews) => inSchema(s)
  }

  private def inSchema(statement: LogicalPlan) = statement.mapChildren {
    case n: UnresolvedNamespace => replaced(n, n.multipartIdentifier, store.meantSchema(n.multipartIdentifier))
    case other => other
  }

  private def named(node: LogicalPlan, parts: Seq[String]) = replaced(node, parts, store.meant(parts))

  private def replaced(node: LogicalPlan, part: Any, by: Any): LogicalPlan =
    if (part == by) node
    else node.makeCopy(node.productIterator.map(p => if (p == part) by else p).map(_.asInstanceOf[AnyRef]).toArray)
}
