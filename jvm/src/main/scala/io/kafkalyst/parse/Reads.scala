package io.kafkalyst.parse

import java.util.Locale

import org.apache.spark.sql.catalyst.analysis.{
  UnresolvedIdentifier,
  UnresolvedRelation,
  UnresolvedTable,
  UnresolvedTableOrView
}
import org.apache.spark.sql.catalyst.plans.logical.{InsertIntoStatement, LogicalPlan, SubqueryAlias, UnresolvedWith}
import org.apache.spark.sql.execution.command.ExplainCommand

/** What a parsed plan says of its sources. */
private[parse] object Reads {

  /** The names that it reads or writes, those in subqueries and CTEs too. */
  def names(plan: LogicalPlan): Seq[Seq[String]] = plan.collectWithSubqueries {
    case r: UnresolvedRelation => Seq(r.multipartIdentifier)
    case t: UnresolvedTable => Seq(t.multipartIdentifier)
    case t: UnresolvedTableOrView => Seq(t.multipartIdentifier)
    case i: UnresolvedIdentifier => Seq(i.nameParts)
    case i: InsertIntoStatement => names(i.table)
    // Their queries are no children.
    case w: UnresolvedWith => w.innerChildren.flatMap(names)
    case e: ExplainCommand => names(e.logicalPlan)
  }.flatten

  /** `FROM STREAM name`, which Spark before 4.1 takes for a table `STREAM` under an alias, reads the topic `name`. */
  def streamed(plan: LogicalPlan, isStreamed: String => Boolean): LogicalPlan =
    plan.transformWithSubqueries {
      case SubqueryAlias(alias, read: UnresolvedRelation)
          if read.multipartIdentifier.map(_.toUpperCase(Locale.ROOT)) == Seq("STREAM") && alias.qualifier.isEmpty &&
            isStreamed(alias.name) =>
        UnresolvedRelation(Seq(alias.name), read.options, isStreaming = true)
    }
}
