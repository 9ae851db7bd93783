package io.kafkalyst.model

import org.apache.spark.sql.types._

/** Implicit type conversions, as in ksqlDB: a number converts only to a type that preserves its value range. */
object Widening {

  /** Whether the type is ksqlDB's DATE, TIME or TIMESTAMP. */
  def isTime(t: DataType): Boolean = t match {
    case DateType | TimestampType => true
    case other => TimeOfDay.is(other)
  }

  def fits(from: DataType, to: DataType): Boolean = (from, to) match {
    case (NullType, _) => true
    case (f: DecimalType, t: DecimalType) => t.scale >= f.scale && t.precision - t.scale >= f.precision - f.scale
    case (_: DecimalType, DoubleType) => true
    case (f, t: DecimalType) if wholeDigits.contains(f) => t.precision - t.scale >= wholeDigits(f)
    case (f, t) if order.contains(f) && order.contains(t) => order.indexOf(f) <= order.indexOf(t)
    case (f, t) => DataType.equalsStructurally(f, t, ignoreNullability = true) && sameNames(f, t)
  }

  private val order = Seq(ByteType, ShortType, IntegerType, LongType, FloatType, DoubleType)
  private val wholeDigits = Map[DataType, Int](ByteType -> 3, ShortType -> 5, IntegerType -> 10, LongType -> 19)

  private def sameNames(from: DataType, to: DataType): Boolean = (from, to) match {
    case (f: StructType, t: StructType) =>
      f.fields.zip(t.fields).forall { case (a, b) =>
        a.name.equalsIgnoreCase(b.name) && sameNames(a.dataType, b.dataType)
      }
    case (f: ArrayType, t: ArrayType) => sameNames(f.elementType, t.elementType)
    case (f: MapType, t: MapType) => sameNames(f.valueType, t.valueType)
    case _ => true
  }
}
