package io.kafkalyst.lake

import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

class LosslessCastSuite extends AnyFunSuite {
  private def field(t: DataType, nullable: Boolean = true) = new StructType().add("a", t, nullable)

  for (
    (from, to) <- Seq(
      IntegerType -> LongType,
      IntegerType -> DoubleType,
      ShortType -> FloatType,
      FloatType -> DoubleType,
      LongType -> DecimalType(19, 0),
      DecimalType(5, 2) -> DecimalType(7, 3),
      ArrayType(IntegerType) -> ArrayType(LongType),
      MapType(StringType, IntegerType) -> MapType(StringType, LongType),
      field(IntegerType) -> field(LongType),
      NullType -> BinaryType
    )
  ) test(s"${from.sql} fits ${to.sql}")(assert(LosslessCast.fits(from, to)))

  for (
    (from, to) <- Seq(
      IntegerType -> FloatType,
      LongType -> DoubleType,
      LongType -> IntegerType,
      DoubleType -> FloatType,
      LongType -> DecimalType(18, 0),
      DecimalType(5, 2) -> DecimalType(5, 3),
      StringType -> IntegerType,
      IntegerType -> StringType,
      TimestampType -> TimestampNTZType,
      DateType -> TimestampType,
      ArrayType(LongType) -> ArrayType(IntegerType),
      ArrayType(IntegerType, true) -> ArrayType(IntegerType, false),
      field(IntegerType) -> field(IntegerType, nullable = false),
      field(IntegerType) -> new StructType().add("b", IntegerType)
    )
  ) test(s"${from.sql} does not fit ${to.sql}")(assert(!LosslessCast.fits(from, to)))
}
