package io.kafkalyst.functions
package flink

import java.util.Locale

import io.kafkalyst.model.TimeOfDay
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.types._

/**
 * HOUR, MINUTE and SECOND of a TIME, also in EXTRACT: Spark's own functions need a setting. For other types they are
 * Spark's.
 */
private[flink] object TimeParts {
  private val secondNanos = 1000000000L

  // For each part, its length in nanoseconds and its number of values.
  private val parts = Map(
    "HOUR" -> (3600 * secondNanos, 24L),
    "MINUTE" -> (60 * secondNanos, 60L),
    "SECOND" -> (secondNanos, 60L)
  )

  private def nameOf(call: UnresolvedFunction) =
    if (call.nameParts.size == 1) call.nameParts.head.toUpperCase(Locale.ROOT) else ""

  /** The part, and whether seconds include their fraction. */
  private def part(call: UnresolvedFunction): Option[(String, Boolean)] = (nameOf(call), call.arguments) match {
    case (name, Seq(_)) => Some(name -> false)
    case ("EXTRACT" | "DATE_PART" | "DATEPART", Seq(Literal(field, StringType), _)) if field != null =>
      Some(field.toString.toUpperCase(Locale.ROOT) -> true)
    case _ => None
  }

  /** Whether the call may be one of these functions on a TIME. */
  def areOf(call: UnresolvedFunction): Boolean = part(call).exists(p => parts.contains(p._1)) &&
    TimeOfDay.dataType.isDefined && !TimeOfDay.isEnabled

  /** A placeholder for the call until the type of its argument is known. */
  def call(call: UnresolvedFunction): Expression = {
    val (name, isWhole) = part(call).get
    KsqlCall(
      KsqlFunction(name.toLowerCase(Locale.ROOT), s"$name(x) - This part of a time.") { args =>
        if (TimeOfDay.is(args.last.dataType)) of(name, args.last, isWhole)
        else UnresolvedFunction(call.nameParts.head, args, isDistinct = false)
      },
      call.arguments
    )
  }

  private def of(name: String, time: Expression, isWhole: Boolean): Expression = {
    val (length, count) = parts(name)
    if (name == "SECOND" && isWhole) Computed("second", Seq(time), DecimalType(8, 6), Nil, nulls = false) { a =>
      Decimal(BigDecimal(a(0).asInstanceOf[Long] / 1000 % 60000000L, 6), 8, 6)
    }
    else Computed(name.toLowerCase(Locale.ROOT), Seq(time), IntegerType, Nil, nulls = false) { a =>
      (a(0).asInstanceOf[Long] / length % count).toInt
    }
  }
}
