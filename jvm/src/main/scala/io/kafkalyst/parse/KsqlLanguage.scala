package io.kafkalyst.parse

import io.kafkalyst.analyze.ResolveKsqlCalls.refused
import io.kafkalyst.functions.{KsqlCall, KsqlFunctions, KsqlOperators, KsqlTableCall}
import org.apache.spark.sql.catalyst.analysis.{UnresolvedExtractValue, UnresolvedFunction}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Filter, LogicalPlan}

/**
 * Gives the parsed query of a continuous query into a topic ksqlDB's meaning where Spark's own is another: functions of
 * `functions.KsqlFunctions`, places in arrays from 1, `+` of texts, `/` of whole numbers, and table functions.
 */
private[parse] object KsqlLanguage {
  def apply(plan: LogicalPlan): LogicalPlan = {
    val translated = plan.transformAllExpressionsWithSubqueries(rule)
    translated.foreachWithSubqueries(checkPlaces)
    translated
  }

  def apply(expression: Expression): Expression = {
    val translated = expression.transformDown(rule)
    translated.collectFirst { case t: KsqlTableCall => throw refused(t.name, "PARTITION BY takes values of one row") }
    translated
  }

  private val rule: PartialFunction[Expression, Expression] = {
    case f: UnresolvedFunction if isPlain(f) && isTable(f) => KsqlTableCall(f.nameParts.last.toLowerCase, f.arguments)
    case f: UnresolvedFunction if isPlain(f) && KsqlFunctions.find(f.nameParts.last).isDefined =>
      KsqlCall(KsqlFunctions.find(f.nameParts.last).get, f.arguments)
    case e @ UnresolvedExtractValue(child, index) if isSubscript(e, index) =>
      KsqlCall(KsqlOperators.subscript, Seq(child, index))
    case a: Add => KsqlCall(KsqlOperators.plus, a.children)
    case d: Divide => KsqlCall(KsqlOperators.divide, d.children)
  }

  private def isPlain(f: UnresolvedFunction) =
    f.nameParts.size == 1 && !f.isDistinct && f.filter.isEmpty && f.orderingWithinGroup.isEmpty

  private def isTable(f: UnresolvedFunction) = KsqlFunctions.tableFunctions(f.nameParts.last.toLowerCase)

  /** `a[i]` and not `a->f`, whose name Spark's parser puts where the whole begins. */
  private def isSubscript(e: Expression, index: Expression) = index match {
    case Literal(_, org.apache.spark.sql.types.StringType) => index.origin.startIndex != e.origin.startIndex
    case _ => true
  }

  private def checkPlaces(operator: LogicalPlan): Unit = {
    val calls = operator.expressions.flatMap(_.collect { case t: KsqlTableCall => t })
    operator match {
      case _: Aggregate => calls.headOption.foreach(t => throw refused(t.name, "the query has GROUP BY"))
      case _: Filter =>
        calls.headOption.foreach(t => throw refused(t.name, "WHERE chooses rows before they are made of it"))
      case _ =>
    }
    calls.find(_.children.exists(_.exists(_.isInstanceOf[KsqlTableCall]))).foreach(t =>
      throw refused(t.name, "its argument has a table function too")
    )
    operator.expressions.foreach(_.foreach {
      case c @ (_: CaseWhen | _: If) =>
        c.collectFirst { case t: KsqlTableCall => throw refused(t.name, "it stands in CASE") }
      case _ =>
    })
  }
}
