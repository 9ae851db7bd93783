package io.kafkalyst.functions

import io.kafkalyst.functions.KsqlFunction.{computed, expression, wrong}
import io.kafkalyst.model.{TimeOfDay, Widening}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** ksqlDB's CAST: what Spark casts otherwise, or at all, and what it refuses; a value that does not fit is null. */
object KsqlCasts {
  def apply(to: DataType): KsqlFunction = computed(s"CAST(x AS ${to.sql}) - The value as one of that type.") {
    case args @ Seq(x) =>
      if (!isCastable(x.dataType, to)) throw wrong(s"CAST(x AS ${to.sql})", args)
      of(x, to)
    case args => throw wrong("CAST(x AS type)", args)
  }

  private def of(x: Expression, to: DataType): Expression = (x.dataType, to) match {
    case (StringType, BooleanType) => expression("lower(trim(_1)) IN ('t', 'tr', 'tru', 'true', 'y', 'ye', 'yes')", x)
    // A text with a fraction is no whole number.
    case (StringType, IntegerType | LongType) => expression(s"try_cast(_1 AS ${to.sql})", x)
    case (TimestampType, StringType) => expression("date_format(_1, \"yyyy-MM-dd'T'HH:mm:ss.SSS\")", x)
    case (from: StructType, fields: StructType) =>
      // By the fields' names; Spark's is by their places.
      val values = fields.flatMap { f =>
        val at = from.fields.indexWhere(_.name == f.name)
        val value = if (at < 0) Literal.create(null, f.dataType) else of(GetStructField(x, at), f.dataType)
        Seq(Literal(f.name), value)
      }
      If(IsNull(x), Literal.create(null, CreateNamedStruct(values).dataType), CreateNamedStruct(values))
    case (f, t) if f == t => x
    // Spark's own casts to TIME need a setting while the query runs, too.
    case (StringType, t) if TimeOfDay.is(t) => time(x, t)(text => TimeOfDay.parse(text.toString))
    case (TimestampType, t) if TimeOfDay.is(t) =>
      time(x, t)(micros => TimeOfDay.ofMicros(Math.floorMod(micros.asInstanceOf[Long], 86400000000L)))
    case (f, StringType) if TimeOfDay.is(f) =>
      time(x, StringType)(nanos => UTF8String.fromString(TimeOfDay.text(nanos.asInstanceOf[Long])))
    case _ => expression(s"cast(_1 AS ${to.sql})", x)
  }

  private def time(x: Expression, to: DataType)(value: Any => Any) =
    Computed("cast_time", Seq(x), to, Seq(x.dataType), nulls = false)(values => value(values(0)))

  private def isCastable(from: DataType, to: DataType): Boolean = (from, to) match {
    case (NullType, _) => true
    case (_: NumericType, t) => t.isInstanceOf[NumericType] || t == StringType
    case (BooleanType, t) => t == BooleanType || t == StringType
    case (StringType, _: ArrayType | _: MapType | _: StructType) => false
    case (StringType, _) => true
    case (BinaryType, t) => t == BinaryType
    case (f: ArrayType, t: ArrayType) => isCastable(f.elementType, t.elementType)
    case (f: MapType, t: MapType) => isCastable(f.keyType, t.keyType) && isCastable(f.valueType, t.valueType)
    case (f: StructType, t: StructType) =>
      t.forall(field => f.fields.find(_.name == field.name).forall(o => isCastable(o.dataType, field.dataType)))
    case (_: ArrayType | _: MapType | _: StructType, t) => t == StringType
    case (f, t) if Widening.isTime(f) => t == StringType || (Widening.isTime(t) && (f, t) != (DateType, f))
    case _ => false
  }
}
