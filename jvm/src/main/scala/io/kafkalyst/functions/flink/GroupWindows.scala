package io.kafkalyst.functions
package flink

import io.kafkalyst.functions.KsqlFunction.{computed, expression, wrong}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{CalendarIntervalType, DayTimeIntervalType}
import org.apache.spark.unsafe.types.CalendarInterval

/**
 * Flink's windows in GROUP BY, `TUMBLE(time, INTERVAL '1' HOUR)`, and their parts in SELECT, `TUMBLE_START(…)`, as
 * Spark's `window` and `session_window`.
 */
private[functions] object GroupWindows {
  private val times = "(time, INTERVAL size)"
  private val slides = "(time, INTERVAL slide, INTERVAL size)"

  private val parts: Seq[(String, Expression => Expression)] = Seq(
    "" -> identity,
    "_START" -> (GetStructField(_, 0, Some("start"))),
    "_END" -> (GetStructField(_, 1, Some("end"))),
    "_ROWTIME" -> last,
    "_PROCTIME" -> (_ => expression("now()"))
  )

  private val meaning = Map(
    "" -> "The window of a row's time, for GROUP BY",
    "_START" -> "The first time of the group's window",
    "_END" -> "The first time behind the group's window",
    "_ROWTIME" -> "The last time of the group's window, in milliseconds",
    "_PROCTIME" -> "The time at which the query, or its micro-batch, runs"
  )

  private def last(window: Expression): Expression =
    expression("_1 - INTERVAL '0.001' SECOND", GetStructField(window, 1, Some("end")))

  private def functions(name: String, arguments: String)(window: PartialFunction[Seq[Expression], Expression]) =
    parts.map { case (suffix, part) =>
      val usage = s"$name$suffix$arguments - ${meaning(suffix)}."
      computed(usage)(args => part(window.lift(args).getOrElse(throw wrong(usage, args))))
    }

  /** The microseconds of a constant interval. */
  private object Span {
    def unapply(e: Expression): Option[Long] = e.dataType match {
      case _: DayTimeIntervalType if e.foldable => Option(e.eval()).map(_.asInstanceOf[Long]).filter(_ > 0)
      case _ => None
    }
  }

  val all: Seq[KsqlFunction] =
    functions("TUMBLE", times) { case Seq(time, Span(size)) => TimeWindow(time, size, size, 0) } ++
      functions("HOP", slides) { case Seq(time, Span(slide), Span(size)) => TimeWindow(time, size, slide, 0) } ++
      functions("SESSION", "(time, INTERVAL gap)") { case Seq(time, Span(gap)) =>
        SessionWindow(time, Literal(new CalendarInterval(0, 0, gap), CalendarIntervalType))
      }
}
