package io.kafkalyst.functions
package flink

import java.util.Locale
import java.time.DateTimeException

import io.kafkalyst.errors.KafkalystTaskException
import io.kafkalyst.model.TimeOfDay
import org.apache.spark.sql.catalyst.expressions.{Cast, EvalMode, Expression, Literal, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * CAST(x AS TIME) of a text, a timestamp or a TIME of another precision: Spark's own cast needs a setting, both at
 * analysis and at run time.
 *
 * @param isTry whether an invalid text is NULL
 */
private[kafkalyst] final case class TimeCast(child: Expression, dataType: DataType, isTry: Boolean)
    extends UnaryExpression
    with CodegenFallback {
  override def nullable: Boolean = isTry || child.nullable
  override def sql: String = s"${if (isTry) "TRY_" else ""}CAST(${child.sql} AS ${dataType.sql})"
  override def toString: String = s"cast($child as ${dataType.sql.toLowerCase(Locale.ROOT)})"

  override protected def nullSafeEval(value: Any): Any = value match {
    case text: UTF8String =>
      try TimeOfDay.cut(TimeOfDay.parse(text.toString), dataType)
      catch {
        case _: DateTimeException if isTry => null
        case e: DateTimeException =>
          throw KafkalystTaskException(e, "TIME_OF_DAY_TEXT", "text" -> text.toString)
      }
    case nanos: Long if TimeOfDay.is(child.dataType) => TimeOfDay.cut(nanos, dataType)
    case micros: Long => TimeOfDay.cut(TimeOfDay.ofMicros(Math.floorMod(micros, TimeCast.microsOfDay)), dataType)
  }

  override protected def withNewChildInternal(changed: Expression): TimeCast = copy(child = changed)
}

private[kafkalyst] object TimeCast {
  private val microsOfDay = 86400000000L

  /** The call that replaces a CAST to TIME until the type of its child is known; other casts are unchanged. */
  def of(cast: Cast): Expression =
    if (!TimeOfDay.is(cast.dataType) || TimeOfDay.isEnabled) cast
    else {
      val isTry = cast.evalMode == EvalMode.TRY
      KsqlCall(
        KsqlFunction("cast", s"CAST(x AS ${cast.dataType.sql}) - The value converted to this type.")(args =>
          apply(args.head, cast, isTry)
        ),
        Seq(cast.child)
      )
    }

  private def apply(x: Expression, cast: Cast, isTry: Boolean): Expression = x.dataType match {
    case NullType => Literal.create(null, cast.dataType)
    case t if t == cast.dataType => x
    // The time of day in the session's zone.
    case TimestampType =>
      TimeCast(Cast(x, TimestampNTZType, Some(SQLConf.get.sessionLocalTimeZone)), cast.dataType, isTry)
    case t if t == StringType || t == TimestampNTZType || TimeOfDay.is(t) => TimeCast(x, cast.dataType, isTry)
    case _ => cast.copy(child = x)
  }

  /** Casts operands that are TIMEs of different precisions to the highest one; other operands are unchanged. */
  def alike(operands: Seq[Expression]): Seq[Expression] =
    if (!operands.forall(e => e.resolved && TimeOfDay.is(e.dataType)) || operands.map(_.dataType).distinct.size < 2)
      operands
    else {
      val widest = operands.map(_.dataType).maxBy(_.typeName.filter(_.isDigit).toInt)
      operands.map(e => if (e.dataType == widest) e else TimeCast(e, widest, isTry = false))
    }
}
