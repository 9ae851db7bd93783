package io.kafkalyst.analyze
package tables

import java.util.Locale

import io.kafkalyst.catalog.ObjectName
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
import org.apache.spark.sql.catalyst.trees.TreePattern.{JOIN, PLAN_EXPRESSION, UNRESOLVED_TABLE_VALUED_FUNCTION}

/**
 * Rewrites `t CROSS JOIN UNNEST(t.array) AS u(x)` and `LEFT JOIN UNNEST(…) ON TRUE`, the rows of an ARRAY or MAP of the
 * left side, to Spark's LATERAL VIEW. Spark's table functions see columns of the left side only after LATERAL, so
 * UNNEST over columns, or an unregistered UNNEST, is never Spark's.
 */
final class Unnest(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (plan.containsAnyPattern(JOIN, PLAN_EXPRESSION, UNRESOLVED_TABLE_VALUED_FUNCTION))
      plan.transformUpWithSubqueries {
        case join: Join => lateral(join)
        case call: UnresolvedTableValuedFunction if isOne(call) && !readsColumns(call) && isPermanent(call.name.head) =>
          qualified(call)
      }
    else plan

  /** A permanent function by its full name: Spark 4.2 takes the bare one for a scalar function of the extension. */
  private def qualified(call: UnresolvedTableValuedFunction): LogicalPlan = {
    val name = Seq(ObjectName.sessionCatalog, session.sessionState.catalog.getCurrentDatabase) ++ call.name
    call.makeCopy(call.productIterator.map {
      case part if part == call.name => name
      case part => part.asInstanceOf[AnyRef]
    }.toArray)
  }

  private def isOne(call: UnresolvedTableValuedFunction) =
    call.name.size == 1 && Unnest.names(call.name.head.toLowerCase(Locale.ROOT))

  private def readsColumns(call: UnresolvedTableValuedFunction) =
    call.functionArgs.exists(_.exists(_.isInstanceOf[UnresolvedAttribute]))

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
    case call: UnresolvedTableValuedFunction if isOne(call) && (readsColumns(call) || !isThere(call.name.head)) =>
      Some((call, alias, columns))
    case _ => None
  }

  /** Whether a table function of that name is registered. */
  private def isThere(name: String) =
    session.sessionState.tableFunctionRegistry.listFunction().exists(_.funcName.equalsIgnoreCase(name))

  private def isPermanent(name: String) =
    !isThere(name) && session.sessionState.catalog.isPersistentFunction(FunctionIdentifier(name))
}

object Unnest {
  val names: Set[String] = Set("unnest", "unnest_ordinality")
}
