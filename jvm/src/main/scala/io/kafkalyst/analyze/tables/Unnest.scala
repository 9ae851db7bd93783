package io.kafkalyst.analyze
package tables

import java.util.Locale

import io.kafkalyst.catalog.ObjectName
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.{
  UnresolvedAttribute,
  UnresolvedFunction,
  UnresolvedGenerator,
  UnresolvedTableValuedFunction,
  UnresolvedTVFAliases
}
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.plans.{Cross, Inner, LeftOuter}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, Generate, Join, LogicalPlan, SubqueryAlias}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.{JOIN, PLAN_EXPRESSION, UNRESOLVED_TABLE_VALUED_FUNCTION}

/**
 * Rewrites `t CROSS JOIN UNNEST(t.array) AS u(x)` and `LEFT JOIN UNNEST(…) ON TRUE`, the rows of an ARRAY or MAP of the
 * left side, to Spark's LATERAL VIEW. Spark's table functions see columns of the left side only after LATERAL, so
 * UNNEST over columns, or an unregistered UNNEST, is never Spark's. `LATERAL TABLE(f(x))` becomes `LATERAL f(x)`.
 */
final class Unnest(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (plan.containsAnyPattern(JOIN, PLAN_EXPRESSION, UNRESOLVED_TABLE_VALUED_FUNCTION))
      plan.transformUpWithSubqueries {
        case join: Join => lateral(join)
        case table: UnresolvedTableValuedFunction if isWrapped(table) => unwrapped(table)
        case call: UnresolvedTableValuedFunction if isOne(call) && !readsColumns(call) && isPermanent(call.name.head) =>
          qualified(call)
      }
    else plan

  /** A permanent function by its full name: Spark 4.2 takes the bare one for a scalar function of the extension. */
  private def qualified(call: UnresolvedTableValuedFunction): LogicalPlan =
    called(
      call,
      Seq(ObjectName.sessionCatalog, session.sessionState.catalog.getCurrentDatabase) ++ call.name,
      call.functionArgs
    )

  private def isWrapped(table: UnresolvedTableValuedFunction) =
    table.name.size == 1 && table.name.head.equalsIgnoreCase("table") && !isThere("table") && !isPermanent("table")

  /** `LATERAL TABLE(f(x))`, which Spark parses as a function with the name TABLE. */
  private def unwrapped(table: UnresolvedTableValuedFunction): LogicalPlan = table.functionArgs match {
    case Seq(call: UnresolvedFunction) => called(table, call.nameParts, call.arguments)
    case _ => table
  }

  private def called(call: UnresolvedTableValuedFunction, name: Seq[String], arguments: Seq[Expression]): LogicalPlan =
    call.makeCopy(call.productIterator.map {
      case part if part == call.name => name
      case part if part == call.functionArgs => arguments
      case part => part.asInstanceOf[AnyRef]
    }.toArray)

  private def isOne(call: UnresolvedTableValuedFunction) =
    call.name.size == 1 && Unnest.names(call.name.head.toLowerCase(Locale.ROOT))

  private def readsColumns(call: UnresolvedTableValuedFunction) =
    call.functionArgs.exists(_.exists(_.isInstanceOf[UnresolvedAttribute]))

  private def lateral(join: Join): LogicalPlan =
    unnested(join.right, None, Nil).fold[LogicalPlan](join) { case (call, alias, columns) =>
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
  private def unnested(
      plan: LogicalPlan,
      alias: Option[String],
      columns: Seq[String]
  ): Option[(UnresolvedTableValuedFunction, Option[String], Seq[String])] = plan match {
    case named: SubqueryAlias => unnested(named.child, alias.orElse(Some(named.alias)), columns)
    case named: UnresolvedTVFAliases => unnested(named.child, alias, named.outputNames)
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

  /** The words without which a text has nothing for this rule. */
  val words: Set[String] = names + "lateral"
}
