package io.kafkalyst.analyze
package names

import io.kafkalyst.catalog.ObjectStore
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{
  UnresolvedAttribute,
  UnresolvedIdentifier,
  UnresolvedNamespace,
  UnresolvedRelation,
  UnresolvedTable,
  UnresolvedTableOrView,
  UnresolvedView
}
import org.apache.spark.sql.catalyst.expressions.{Expression, Like, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{
  Filter,
  InsertIntoStatement,
  LogicalPlan,
  SetCatalogAndNamespace,
  ShowTables,
  ShowViews
}
import org.apache.spark.sql.catalyst.rules.Rule

/**
 * Flink's `default_catalog.default_database` in names that are not a topic: Spark's session catalog and its `default`
 * schema, see [[ObjectStore.meant]]. A schema with this name can still be created. Also SQL's pattern in `SHOW TABLES
 * LIKE 'a%'` and SHOW VIEWS: no name has the sign %, so Spark's pattern would match nothing.
 */
final class FlinkNames(session: SparkSession) extends Rule[LogicalPlan] {
  private lazy val store = new ObjectStore(session)

  override def apply(plan: LogicalPlan): LogicalPlan = plan.transformDownWithSubqueries {
    case r: UnresolvedRelation => named(r, r.multipartIdentifier)
    case t: UnresolvedTable => named(t, t.multipartIdentifier)
    case v: UnresolvedView => named(v, v.multipartIdentifier)
    case t: UnresolvedTableOrView => named(t, t.multipartIdentifier)
    case i: UnresolvedIdentifier => named(i, i.nameParts)
    // The table is not a child of the statement.
    case i: InsertIntoStatement => replaced(i, i.table, apply(i.table))
    case s: SetCatalogAndNamespace => inSchema(s)
    case s: ShowTables => like(inSchema(s), s.pattern, "tableName")
    case s: ShowViews => like(inSchema(s), s.pattern, "viewName")
  }

  private def inSchema(statement: LogicalPlan) = statement.mapChildren {
    case n: UnresolvedNamespace => replaced(n, n.multipartIdentifier, store.meantSchema(n.multipartIdentifier))
    case other => other
  }

  private def like(show: LogicalPlan, pattern: Option[String], column: String): LogicalPlan =
    pattern.filter(_.contains('%')).fold(show) { sql =>
      Filter(FlinkNames.isLike(column, sql), replaced(show, pattern, None))
    }

  private def named(node: LogicalPlan, parts: Seq[String]) = replaced(node, parts, store.meant(parts))

  private def replaced(node: LogicalPlan, part: Any, by: Any): LogicalPlan =
    if (part == by) node
    else node.makeCopy(node.productIterator.map(p => if (p == part) by else p).map(_.asInstanceOf[AnyRef]).toArray)
}

object FlinkNames {

  /** Whether the names in a column match SQL's pattern. */
  def isLike(column: String, pattern: String): Expression =
    new Like(UnresolvedAttribute(Seq(column)), Literal(pattern))
}
