package io.kafkalyst.functions
package flink

import java.util.Locale

import io.kafkalyst.errors.KafkalystException
import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedFunction}
import org.apache.spark.sql.catalyst.expressions.{Attribute, Cast, EqualTo, Expression, In, Literal}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.trees.TreePattern.{CAST, UNRESOLVED_FUNCTION}
import org.apache.spark.sql.types.{BooleanType, NumericType, StringType}

/** Flink's forms of calls that Spark parses but then rejects: `EXTRACT(EPOCH FROM t)`, `CAST(x AS TIME(0))`. */
object FlinkCalls {

  /** Placeholder for the value list of `CASE x WHEN 1, 2 THEN`. */
  val caseValues = "case_values"

  private val fields =
    Set("EPOCH", "MILLENNIUM", "CENTURY", "DECADE", "ISODOW", "ISOYEAR", "MILLISECOND", "MICROSECOND", "NANOSECOND")

  /** Replaces these calls in an unresolved plan by calls of Kafkalyst's functions; all other calls stay Spark's. */
  def named(plan: LogicalPlan): LogicalPlan =
    plan.transformAllExpressionsWithPruning(_.containsAnyPattern(UNRESOLVED_FUNCTION, CAST)) {
      case cast: Cast => digitsOf(cast).fold(TimeCast.of(cast))(unitless(cast, _))
      case EqualTo(x, call: UnresolvedFunction) if is(call, caseValues) => In(x, call.arguments)
      case call: UnresolvedFunction if is(call, "extract") && call.arguments.headOption.exists(isField) =>
        UnresolvedFunction("extract_of", call.arguments, isDistinct = false)
      case call: UnresolvedFunction if TimeParts.areOf(call) => TimeParts.call(call)
      case call: UnresolvedFunction if is(call, "array_sort") && call.arguments.drop(1).exists(isTruth) =>
        UnresolvedFunction("array_sorted", call.arguments, isDistinct = false)
    }

  /** Placeholder, in the text that Spark parses, for the digits of a type that only Flink has: `TIMESTAMP_LTZ(3)`. */
  def digits(number: String): String = s"/*digits $number*/"

  private val placeholder = """(?s).*/\*digits (\d+)\*/\)""".r

  private def digitsOf(cast: Cast): Option[String] = for {
    sql <- cast.origin.sqlText
    from <- cast.origin.startIndex
    to <- cast.origin.stopIndex
    if to < sql.length
    number <- placeholder.unapplySeq(sql.substring(from, to + 1)).map(_.head)
  } yield number

  // A time with another number of digits is not cut.
  private val units = Map("0" -> "SECOND", "3" -> "MILLISECOND")

  /** Rejects a cast of a number, like Flink: Spark would read it as seconds. Other casts are Spark's, cut to digits. */
  private def unitless(cast: Cast, digits: String): Expression =
    KsqlCall(
      KsqlFunction("cast", s"CAST(x AS ${cast.dataType.sql}) - The value converted to this type, ${cast.evalMode}.") {
        case Seq(x) if x.dataType.isInstanceOf[NumericType] =>
          throw KafkalystException("NUMBER_WITHOUT_UNIT", "number" -> shown(x), "type" -> cast.dataType.sql)
        case Seq(x) =>
          val time = cast.copy(child = x)
          units.get(digits).fold[Expression](time)(unit =>
            UnresolvedFunction("floor_to", Seq(time, Literal(unit)), isDistinct = false)
          )
      },
      Seq(cast.child)
    )

  private def shown(e: Expression): String = e.transform {
    case a: Attribute => UnresolvedAttribute(Seq(a.name))
  }.sql

  private def is(call: UnresolvedFunction, name: String) =
    call.nameParts.size == 1 && call.nameParts.head.toLowerCase(Locale.ROOT) == name

  private def isField(e: Expression) = e match {
    case Literal(field, StringType) => field != null && fields(field.toString.toUpperCase(Locale.ROOT))
    case _ => false
  }

  private def isTruth(e: Expression) = e match {
    case Literal(_, BooleanType) => true
    case _ => false
  }
}
