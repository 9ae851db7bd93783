package io.kafkalyst.formats
package avro

import java.math.{BigDecimal => JDecimal, BigInteger}

import org.apache.avro.{LogicalTypes, Schema}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types.{DataType, Decimal, DecimalType, StringType}
import org.apache.spark.unsafe.types.UTF8String

/** Reads one value of the writer's schema as a value of a column's type. */
private[formats] abstract class AvroReader {

  /** The value in Spark's internal representation; may be null. */
  def read(in: ByteReader): Any

  /** Sets the value in a row, without boxing primitives. */
  def into(in: ByteReader, row: InternalRow, ordinal: Int): Unit = {
    val value = read(in)
    if (value == null) row.setNullAt(ordinal) else row.update(ordinal, value)
  }
}

/** The leaves of a program: one small class per compatible pair of Avro type and column type. */
private[formats] object AvroReaders {

  object NullReader extends AvroReader {
    override def read(in: ByteReader): Any = null
    override def into(in: ByteReader, row: InternalRow, ordinal: Int): Unit = row.setNullAt(ordinal)
  }

  object BooleanReader extends AvroReader {
    override def read(in: ByteReader): Any = in.readBoolean()
    override def into(in: ByteReader, row: InternalRow, ordinal: Int): Unit = row.setBoolean(ordinal, in.readBoolean())
  }

  object ByteColumn extends AvroReader {
    private def value(in: ByteReader): Byte = {
      val n = in.readInt()
      if (n.toByte != n) in.bad(s"$n where a TINYINT must be")
      n.toByte
    }
    override def read(in: ByteReader): Any = value(in)
    override def into(in: ByteReader, row: InternalRow, ordinal: Int): Unit = row.setByte(ordinal, value(in))
  }

  object ShortColumn extends AvroReader {
    private def value(in: ByteReader): Short = {
      val n = in.readInt()
      if (n.toShort != n) in.bad(s"$n where a SMALLINT must be")
      n.toShort
    }
    override def read(in: ByteReader): Any = value(in)
    override def into(in: ByteReader, row: InternalRow, ordinal: Int): Unit = row.setShort(ordinal, value(in))
  }

  object IntReader extends AvroReader {
    override def read(in: ByteReader): Any = in.readInt()
    override def into(in: ByteReader, row: InternalRow, ordinal: Int): Unit = row.setInt(ordinal, in.readInt())
  }

  /** Reads milliseconds of the day as TIME. */
  object TimeReader extends AvroReader {
    override def read(in: ByteReader): Any = {
      val millis = in.readInt()
      if (millis < 0 || millis >= 86400000) in.bad(s"$millis where the milliseconds of a day must be")
      millis * 1000000L
    }
  }

  /** Reads microseconds of the day as TIME. */
  object MicrosTimeReader extends AvroReader {
    private def value(in: ByteReader): Long = {
      val micros = in.readLong()
      if (micros < 0 || micros >= 86400000000L) in.bad(s"$micros where the microseconds of a day must be")
      micros * 1000
    }
    override def read(in: ByteReader): Any = value(in)
    override def into(in: ByteReader, row: InternalRow, ordinal: Int): Unit = row.setLong(ordinal, value(in))
  }

  object IntAsLong extends AvroReader {
    override def read(in: ByteReader): Any = in.readInt().toLong
    override def into(in: ByteReader, row: InternalRow, ordinal: Int): Unit = row.setLong(ordinal, in.readInt().toLong)
  }

  object LongReader extends AvroReader {
    override def read(in: ByteReader): Any = in.readLong()
    override def into(in: ByteReader, row: InternalRow, ordinal: Int): Unit = row.setLong(ordinal, in.readLong())
  }

  /** A long in units coarser or finer than microseconds. */
  final class ScaledLong(multiply: Long, divide: Long) extends AvroReader {
    private def value(in: ByteReader): Long = {
      val n = in.readLong()
      val scaled = n * multiply
      if (multiply != 1 && (n > Long.MaxValue / multiply || n < Long.MinValue / multiply)) {
        in.bad(s"$n where a time that fits a TIMESTAMP must be")
      }
      if (divide == 1) scaled else Math.floorDiv(scaled, divide)
    }
    override def read(in: ByteReader): Any = value(in)
    override def into(in: ByteReader, row: InternalRow, ordinal: Int): Unit = row.setLong(ordinal, value(in))
  }

  final class IntegralAsFloat(isInt: Boolean) extends AvroReader {
    private def value(in: ByteReader): Float = if (isInt) in.readInt().toFloat else in.readLong().toFloat
    override def read(in: ByteReader): Any = value(in)
    override def into(in: ByteReader, row: InternalRow, ordinal: Int): Unit = row.setFloat(ordinal, value(in))
  }

  final class IntegralAsDouble(isInt: Boolean) extends AvroReader {
    private def value(in: ByteReader): Double = if (isInt) in.readInt().toDouble else in.readLong().toDouble
    override def read(in: ByteReader): Any = value(in)
    override def into(in: ByteReader, row: InternalRow, ordinal: Int): Unit = row.setDouble(ordinal, value(in))
  }

  object FloatReader extends AvroReader {
    override def read(in: ByteReader): Any = in.readFloat()
    override def into(in: ByteReader, row: InternalRow, ordinal: Int): Unit = row.setFloat(ordinal, in.readFloat())
  }

  object FloatAsDouble extends AvroReader {
    override def read(in: ByteReader): Any = in.readFloat().toDouble
    override def into(in: ByteReader, row: InternalRow, ordinal: Int): Unit =
      row.setDouble(ordinal, in.readFloat().toDouble)
  }

  object DoubleReader extends AvroReader {
    override def read(in: ByteReader): Any = in.readDouble()
    override def into(in: ByteReader, row: InternalRow, ordinal: Int): Unit = row.setDouble(ordinal, in.readDouble())
  }

  /** A string, or bytes decoded as UTF-8. */
  object StringReader extends AvroReader {
    override def read(in: ByteReader): Any = in.readString(in.readLength())
    override def into(in: ByteReader, row: InternalRow, ordinal: Int): Unit =
      row.update(ordinal, in.readString(in.readLength()))
  }

  /** A plain number or boolean as its text. */
  final class AsText(plain: AvroReader) extends AvroReader {
    override def read(in: ByteReader): Any = UTF8String.fromString(plain.read(in).toString)
  }

  /** Bytes, or a string's UTF-8. */
  object BytesReader extends AvroReader {
    override def read(in: ByteReader): Any = in.readBytes(in.readLength())
  }

  /** Bytes that are the whole body: Confluent's serialisers then write no length. */
  final class RestReader(to: DataType, schema: Schema) extends AvroReader {
    override def read(in: ByteReader): Any = (to, schema.getLogicalType) match {
      case (d: DecimalType, from: LogicalTypes.Decimal) => new DecimalReader(in.remaining, from.getScale, d).read(in)
      case (_: StringType, _) => in.readString(in.remaining)
      case _ => in.readBytes(in.remaining)
    }
  }

  final class FixedReader(size: Int) extends AvroReader {
    override def read(in: ByteReader): Any = in.readBytes(size)
  }

  /** A UUID's 16 bytes as its canonical text. */
  object UuidReader extends AvroReader {
    override def read(in: ByteReader): Any =
      UTF8String.fromString(new java.util.UUID(in.readBigEndian(8), in.readBigEndian(8)).toString)
  }

  /** @param places ordinals of months, days and milliseconds in the struct; -1 for one that it lacks */
  final class DurationReader(width: Int, places: Array[Int]) extends AvroReader {
    override def read(in: ByteReader): Any = {
      val row = new GenericInternalRow(width)
      places.foreach { place =>
        val n = in.readFixedInt()
        if (n < 0) in.bad(s"${n & 0xffffffffL} where a part of a duration that fits INT must be")
        if (place >= 0) row.setInt(place, n)
      }
      row
    }
  }

  final class EnumReader(symbols: Array[UTF8String]) extends AvroReader {
    override def read(in: ByteReader): Any = {
      val n = in.readInt()
      if (n < 0 || n >= symbols.length) in.bad(s"symbol $n of an enum of ${symbols.length}")
      symbols(n)
    }
  }

  final class IntegralAsDecimal(isInt: Boolean, to: DecimalType) extends AvroReader {
    override def read(in: ByteReader): Any = {
      val n = if (isInt) in.readInt().toLong else in.readLong()
      val decimal = FormatRules.exactDecimal(JDecimal.valueOf(n), to)
      if (decimal == null) in.bad(s"$n where a ${to.sql} must be")
      decimal
    }
  }

  /**
   * A decimal as bytes or fixed, at the writer's scale.
   *
   * @param size the fixed's size; -1 for bytes with a length prefix
   */
  final class DecimalReader(size: Int, scale: Int, to: DecimalType) extends AvroReader {
    private val limit = if (to.precision <= 18) math.pow(10, to.precision).toLong else 0L

    override def read(in: ByteReader): Any = {
      val length = if (size < 0) in.readLength() else size
      if (length == 0) in.bad("no bytes where a decimal must be")
      if (length <= 8 && scale == to.scale && limit > 0) {
        val n = in.readBigEndian(length)
        if (n >= limit || n <= -limit) in.bad(s"$n at scale $scale where a ${to.sql} must be")
        Decimal.createUnsafe(n, to.precision, to.scale)
      } else {
        val unscaled = new BigInteger(in.readBytes(length))
        // Far more bits than any column type: skips the quadratic cost of counting their digits.
        if (unscaled.bitLength > 1024) in.bad(s"a decimal of ${unscaled.bitLength} bits where a ${to.sql} must be")
        val decimal = FormatRules.exactDecimal(new JDecimal(unscaled, scale), to)
        if (decimal == null) in.bad(s"$unscaled at scale $scale where a ${to.sql} must be")
        decimal
      }
    }
  }

  /** A union of null and one other type, in either order. */
  final class NullableReader(nullBranch: Int, other: AvroReader) extends AvroReader {
    override def read(in: ByteReader): Any = if (in.readBranch(2) == nullBranch) null else other.read(in)
    override def into(in: ByteReader, row: InternalRow, ordinal: Int): Unit =
      if (in.readBranch(2) == nullBranch) row.setNullAt(ordinal) else other.into(in, row, ordinal)
  }

  final class UnionReader(branches: Array[AvroReader]) extends AvroReader {
    override def read(in: ByteReader): Any = branches(in.readBranch(branches.length)).read(in)
    override def into(in: ByteReader, row: InternalRow, ordinal: Int): Unit =
      branches(in.readBranch(branches.length)).into(in, row, ordinal)
  }

  /** One branch of a general union, as a struct whose other members are null. */
  final class MemberReader(width: Int, member: Int, reader: AvroReader) extends AvroReader {
    override def read(in: ByteReader): Any = {
      in.count(width + 1)
      val row = new GenericInternalRow(width)
      reader.into(in, row, member)
      row
    }
  }

  /** A union branch that the column's type cannot hold: an error only if a record uses it. */
  final class UnreadableReader(reason: String) extends AvroReader {
    override def read(in: ByteReader): Any = throw new BadBytes(reason)
  }

  /** @param itemSize minimum size of an item, in bytes */
  final class ArrayReader(itemSize: Int, item: AvroReader) extends AvroReader {
    override def read(in: ByteReader): Any = {
      var items = AvroReaders.none
      var filled = 0
      var block = in.readBlock(itemSize)
      while (block > 0) {
        if (items.length < filled + block) {
          val size = if (filled == 0) block else math.max(filled + block, filled * 2)
          items = java.util.Arrays.copyOf(items, size)
        }
        while (block > 0) {
          items(filled) = item.read(in).asInstanceOf[AnyRef]
          filled += 1
          block -= 1
        }
        block = in.readBlock(itemSize)
      }
      val exact = if (filled == items.length) items else java.util.Arrays.copyOf(items, filled)
      new GenericArrayData(exact.asInstanceOf[Array[Any]])
    }
  }

  /** A map; the last of several entries with the same key wins. */
  final class MapReader(itemSize: Int, value: AvroReader) extends AvroReader {
    override def read(in: ByteReader): Any = {
      val entries = new java.util.LinkedHashMap[UTF8String, Any]
      var block = in.readBlock(1 + itemSize)
      while (block > 0) {
        while (block > 0) {
          entries.put(in.readString(in.readLength()), value.read(in))
          block -= 1
        }
        block = in.readBlock(1 + itemSize)
      }
      ReadMap.of(entries)
    }
  }

  /** Reads a map from the array of its entries. */
  final class EntriesReader(valueType: DataType, array: AvroReader) extends AvroReader {
    override def read(in: ByteReader): Any = {
      val entries = new java.util.LinkedHashMap[UTF8String, Any]
      array.read(in).asInstanceOf[GenericArrayData].array.foreach { case entry: InternalRow =>
        if (!entry.isNullAt(0)) entries.put(entry.getUTF8String(0), entry.get(1, valueType))
      }
      ReadMap.of(entries)
    }
  }

  private val none: Array[AnyRef] = new Array[AnyRef](0)
}
