package io.kafkalyst.parse
package door

import java.util.Locale

import io.kafkalyst.analyze.tables.EndlessViews
import org.apache.spark.sql.catalyst.analysis.{
  PlanWithUnresolvedIdentifier,
  RelationTimeTravel,
  UnresolvedIdentifier,
  UnresolvedRelation,
  UnresolvedTable,
  UnresolvedTableOrView
}
import org.apache.spark.sql.catalyst.plans.logical.{
  CacheTable,
  CacheTableAsSelect,
  DropNamespace,
  InsertIntoStatement,
  LogicalPlan,
  SubqueryAlias,
  UnresolvedWith
}
import org.apache.spark.sql.execution.command.ExplainCommand

/** The sources of a parsed plan. */
private[parse] object Reads {

  /** The names that the plan reads or writes, including those in subqueries and CTEs. */
  def names(plan: LogicalPlan): Seq[Seq[String]] = plan.collectWithSubqueries {
    case r: UnresolvedRelation => Seq(r.multipartIdentifier)
    case t: UnresolvedTable => Seq(t.multipartIdentifier)
    case t: UnresolvedTableOrView => Seq(t.multipartIdentifier)
    case i: UnresolvedIdentifier => Seq(i.nameParts)
    case i: InsertIntoStatement => names(i.table)
    // The relation is not a child of the plan.
    case t: RelationTimeTravel => names(t.relation)
    // CTE queries are not children of the plan.
    case w: UnresolvedWith => w.innerChildren.flatMap(names)
    case e: ExplainCommand => names(e.logicalPlan)
  }.flatten

  /** Whether the plan keeps rows of a view over topics. */
  def caches(plan: LogicalPlan, views: EndlessViews): Boolean = plan match {
    case _: CacheTable | _: CacheTableAsSelect => names(plan).exists(views.isOverTopics)
    case _ => false
  }

  /** Whether the plan has a name that is an expression: `IDENTIFIER(…)`. */
  def hasComputedName(plan: LogicalPlan): Boolean = plan.collectWithSubqueries {
    case _: PlanWithUnresolvedIdentifier => true
    case i: InsertIntoStatement => hasComputedName(i.table)
    case w: UnresolvedWith => w.innerChildren.exists(hasComputedName)
    case e: ExplainCommand => hasComputedName(e.logicalPlan)
  }.contains(true)

  /** Whether the plan drops a schema with all that is in it. */
  def dropsAll(plan: LogicalPlan): Boolean = plan match {
    case drop: DropNamespace => drop.cascade
    case _ => false
  }

  /** Whether a text in double quotes may be a column of a view over topics. */
  def quotes(text: String, plan: LogicalPlan, views: EndlessViews): Boolean =
    text.contains('"') && names(plan).exists(views.readsTopics)

  /** Whether the plan may read a `STREAM name`, see [[streamed]]. */
  def hasStream(plan: LogicalPlan): Boolean = streamed(plan, _ => true) ne plan

  /** `FROM STREAM name` reads the topic `name`. Spark before 4.1 parses it as a table `STREAM` with an alias. */
  def streamed(plan: LogicalPlan, isStreamed: String => Boolean): LogicalPlan =
    plan.transformWithSubqueries {
      case SubqueryAlias(alias, read: UnresolvedRelation)
          if read.multipartIdentifier.map(_.toUpperCase(Locale.ROOT)) == Seq("STREAM") && alias.qualifier.isEmpty &&
            isStreamed(alias.name) =>
        UnresolvedRelation(Seq(alias.name), read.options, isStreaming = true)
    }
}
