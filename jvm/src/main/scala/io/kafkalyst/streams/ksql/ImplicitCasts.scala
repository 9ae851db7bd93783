package io.kafkalyst.streams
package ksql

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.Widening
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{Cast, NamedLambdaVariable}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types._

/** Rejects implicit casts that Spark allows and ksqlDB does not: a string used as a number, a number as a condition. */
object ImplicitCasts {

  /** @throws io.kafkalyst.errors.KafkalystException IMPLICIT_CAST */
  def check(plan: LogicalPlan): Unit = plan.foreachWithSubqueries(_.expressions.foreach(_.foreach {
    case c: Cast if c.getTagValue(Cast.USER_SPECIFIED_CAST).isEmpty && !isSilent(c.child.dataType, c.dataType) =>
      val place = Seq(c.child, c).map(_.origin).find(_.line.isDefined)
      throw KafkalystException(
        "IMPLICIT_CAST",
        "expression" -> TypeErrors.expression(
          c.child.transform { case v: NamedLambdaVariable => UnresolvedAttribute(Seq(v.name)) }.sql
        ),
        "type" -> c.child.dataType.sql,
        "needed" -> c.dataType.sql
      ).at(place.flatMap(_.line), place.flatMap(_.startPosition))
    case _ =>
  }))

  private def isSilent(from: DataType, to: DataType): Boolean = (from, to) match {
    case (NullType, _) => true
    case (_: NumericType, _: NumericType) => true
    // ksqlDB does not have these types, so Spark's rule applies.
    case (TimestampType | DateType, TimestampNTZType) | (TimestampNTZType, TimestampType | DateType) => true
    case (_: DayTimeIntervalType, _: DayTimeIntervalType) => true
    case (_: YearMonthIntervalType, _: YearMonthIntervalType) => true
    case (f, t) if Widening.isTime(t) => f == StringType || Widening.isTime(f)
    case (f: ArrayType, t: ArrayType) => isSilent(f.elementType, t.elementType)
    case (f: MapType, t: MapType) => isSilent(f.keyType, t.keyType) && isSilent(f.valueType, t.valueType)
    case (f: StructType, t: StructType) =>
      f.length == t.length && f.fields.zip(t.fields).forall { case (a, b) => isSilent(a.dataType, b.dataType) }
    case (f, t) => f == t
  }
}
