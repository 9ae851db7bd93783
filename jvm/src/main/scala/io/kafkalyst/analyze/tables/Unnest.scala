package io.kafkalyst.analyze
package tables

import java.util.Locale

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.{
  UnresolvedAttribute,
  UnresolvedGenerator,
  UnresolvedTableValuedFunction,
  UnresolvedTVFAliases
}
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.{Cross, Inner, LeftOuter}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, Generate, Join, LogicalPlan, SubqueryAlias}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{JOIN, PLAN_EXPRESSION}

/**
 * Rewrites `t CROSS JOIN UNNEST(t.array) AS u(x)` and `LEFT JOIN UNNEST(…) ON TRUE`, the rows of an ARRAY or MAP of the
 * left side, to Spark's LATERAL VIEW. Spark's table functions see columns of the left side only after LATERAL, so
 * UNNEST over columns, or an unregistered UNNEST, is never Spark's.
 */
final class Unnest(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (plan.containsAnyPattern(JOIN, PLAN_EXPRESSION)) plan.transformUpWithSubqueries { case join: Join =>
      lateral(join)
    }
    else plan

  private def lateral(join: Join): LogicalPlan =
    called(join.right, None, Nil).fold[LogicalPlan](join) { case (call, alias, columns) =>
      def rows(outer: Boolean) = Generate(
        UnresolvedGenerator(FunctionIdentifier(call.name.head.toLowerCase(Locale.ROOT)), call.functionArgs),
        Nil,
        outer,
        alias,
        columns.map(c => UnresolvedAttribute(Seq(c))),
        join.left
      )
      (join.joinType, join.condition) match {
        case (Cross | Inner, None | Some(Literal.TrueLiteral)) => rows(outer = false)
        case (Inner, Some(condition)) => Filter(condition, rows(outer = false))
        case (LeftOuter, Some(Literal.TrueLiteral)) => rows(outer = true)
        case _ => join
      }
    }

  @scala.annotation.tailrec
  private def called(
      plan: LogicalPlan,
      alias: Option[String],
      columns: Seq[String]
  ): Option[(UnresolvedTableValuedFunction, Option[String], Seq[String])] = plan match {
    case named: SubqueryAlias => called(named.child, alias.orElse(Some(named.alias)), columns)
    case named: UnresolvedTVFAliases => called(named.child, alias, named.outputNames)
    case call: UnresolvedTableValuedFunction
        if call.name.size == 1 && Unnest.names(call.name.head.toLowerCase(Locale.ROOT)) &&
          (call.functionArgs.exists(_.exists(_.isInstanceOf[UnresolvedAttribute])) || !isThere(call.name.head)) =>
      Some((call, alias, columns))
    case _ => None
  }

  /** Whether the session has a table function of that name, or its catalog a permanent function. */
  private def isThere(name: String) =
    session.sessionState.tableFunctionRegistry.listFunction().exists(_.funcName.equalsIgnoreCase(name)) ||
      session.sessionState.catalog.isPersistentFunction(FunctionIdentifier(name))
}

object Unnest {
  val names: Set[String] = Set("unnest", "unnest_ordinality")
}
