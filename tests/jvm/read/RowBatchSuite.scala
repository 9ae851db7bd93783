package io.kafkalyst.read

import scala.jdk.CollectionConverters._
import scala.util.Random

import io.kafkalyst.model.TimeOfDay
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

/** A batch has the rows that were put into it, as Spark's own row has them. */
final class RowBatchSuite extends AnyFunSuite {
  private val types: Seq[DataType] = Seq(
    BooleanType,
    ByteType,
    ShortType,
    IntegerType,
    LongType,
    FloatType,
    DoubleType,
    DateType,
    TimestampType,
    TimestampNTZType,
    StringType,
    BinaryType,
    DecimalType(9, 2),
    DecimalType(38, 10)
  ) ++ TimeOfDay.dataType

  private def value(dataType: DataType, r: Random): Any = dataType match {
    case BooleanType => r.nextBoolean()
    case ByteType => r.nextInt().toByte
    case ShortType => r.nextInt().toShort
    case IntegerType | DateType => r.nextInt()
    case FloatType => Seq(r.nextFloat(), -0.0f, Float.NaN, Float.NegativeInfinity)(r.nextInt(4))
    case DoubleType => Seq(r.nextDouble(), -0.0, Double.NaN, Double.PositiveInfinity)(r.nextInt(4))
    case StringType => UTF8String.fromString(r.nextString(r.nextInt(20)))
    case BinaryType => r.nextBytes(r.nextInt(20))
    case d: DecimalType => Decimal(BigDecimal(BigInt(r.nextInt(1000000000)), d.scale), d.precision, d.scale)
    case _ => r.nextLong()
  }

  /** As decoders do: numbers by their own setters. */
  private def put(row: InternalRow, ordinal: Int, value: Any, isBoxed: Boolean): Unit = value match {
    case null => row.setNullAt(ordinal)
    case _ if isBoxed => row.update(ordinal, value)
    case v: Boolean => row.setBoolean(ordinal, v)
    case v: Byte => row.setByte(ordinal, v)
    case v: Short => row.setShort(ordinal, v)
    case v: Int => row.setInt(ordinal, v)
    case v: Long => row.setLong(ordinal, v)
    case v: Float => row.setFloat(ordinal, v)
    case v: Double => row.setDouble(ordinal, v)
    case v: Decimal => row.setDecimal(ordinal, v, v.precision)
    case v => row.update(ordinal, v)
  }

  private val getters = types.map(t => InternalRow.getAccessor(t))

  private def values(row: InternalRow): Seq[Any] = getters.indices.map(i => getters(i)(row, i)).map {
    case bytes: Array[Byte] => bytes.toSeq
    // NaN is NaN, and no zero is another.
    case v: Double => java.lang.Double.doubleToRawLongBits(v)
    case v: Float => java.lang.Float.floatToRawIntBits(v)
    case other => other
  }

  test("rows of all types, batch after batch") {
    val r = new Random(81)
    val rows = new RowBatch(types, types.length)
    assert(types.forall(BatchColumn.takes))
    (1 to 5).foreach { _ =>
      rows.begin()
      assert(rows.isEmpty)
      val given = Seq.fill(RowBatch.most) {
        assert(!rows.isFull)
        val one = types.map(t => if (r.nextInt(4) == 0) null else value(t, r))
        val plain = new SpecificInternalRow(types)
        one.zipWithIndex.foreach { case (v, i) =>
          // What was there before must not be left.
          put(rows, i, value(types(i), r), isBoxed = false)
          Seq(plain, rows).foreach(put(_, i, v, isBoxed = r.nextBoolean()))
        }
        assert(values(rows) == values(plain))
        assert(one.indices.forall(i => rows.isNullAt(i) == (one(i) == null)))
        rows.keep()
        values(plain)
      }
      assert(rows.isFull)
      assert(rows.kept.rowIterator.asScala.map(values).toSeq == given)
    }
  }

  test("columns behind those asked for are not Spark's") {
    val rows = new RowBatch(Seq(LongType, StringType), 1)
    rows.begin()
    rows.setLong(0, 7)
    rows.update(1, UTF8String.fromString("x"))
    rows.keep()
    assert(rows.kept.numCols == 1 && rows.kept.column(0).getLong(0) == 7)
  }

  test("what is nested is given row by row") {
    val nested = Seq(ArrayType(LongType), MapType(StringType, LongType), new StructType().add("a", LongType))
    assert(!nested.exists(BatchColumn.takes))
  }
}
