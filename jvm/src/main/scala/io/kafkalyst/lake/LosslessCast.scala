package io.kafkalyst.lake

import org.apache.spark.sql.types._

/**
 * The casts that lose no information. Stricter than ksqlDB's [[io.kafkalyst.model.Widening]], where a BIGINT fits into
 * a DOUBLE, because the user did not write the cast of a column into an existing table.
 */
object LosslessCast {
  def fits(from: DataType, to: DataType): Boolean = (from, to) match {
    case (NullType, _) => true
    case (f: DecimalType, t: DecimalType) => t.scale >= f.scale && t.precision - t.scale >= f.precision - f.scale
    case (f, t: DecimalType) if digits.contains(f) => t.precision - t.scale >= digits(f)
    case (f, t) if wider.get(f).exists(_.contains(t)) => true
    case (_: StringType | _: CharType | _: VarcharType, StringType) => true
    case (f: ArrayType, t: ArrayType) => (t.containsNull || !f.containsNull) && fits(f.elementType, t.elementType)
    case (f: MapType, t: MapType) => (t.valueContainsNull || !f.valueContainsNull) && fits(f.keyType, t.keyType) &&
      fits(f.valueType, t.valueType)
    case (f: StructType, t: StructType) => f.length == t.length && f.fields.zip(t.fields).forall { case (a, b) =>
        a.name.equalsIgnoreCase(b.name) && (b.nullable || !a.nullable) && fits(a.dataType, b.dataType)
      }
    case (f, t) => f == t
  }

  private val digits = Map[DataType, Int](ByteType -> 3, ShortType -> 5, IntegerType -> 10, LongType -> 19)

  // A FLOAT represents all integers up to 2^24, a DOUBLE up to 2^53.
  private val wider = Map[DataType, Set[DataType]](
    ByteType -> Set(ShortType, IntegerType, LongType, FloatType, DoubleType),
    ShortType -> Set(IntegerType, LongType, FloatType, DoubleType),
    IntegerType -> Set(LongType, DoubleType),
    FloatType -> Set(DoubleType)
  )
}
