package io.kafkalyst.formats
package protobuf

import java.math.{BigDecimal => JDecimal, BigInteger}

import io.kafkalyst.formats.protobuf.ProtoInput.{delimited, fixed32, fixed64, varint}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** The leaves of a [[ProtoProgram]]. */
private[formats] object ProtoReaders {

  object BooleanReader extends ProtoScalarReader(varint) {
    override def read(in: ProtoInput): Any = in.readVarint() != 0
    override def into(in: ProtoInput, row: InternalRow, ordinal: Int): Unit =
      row.setBoolean(ordinal, in.readVarint() != 0)
  }

  object FloatReader extends ProtoScalarReader(fixed32) {
    private def value(in: ProtoInput): Float = java.lang.Float.intBitsToFloat(in.readFixed32())
    override def read(in: ProtoInput): Any = value(in)
    override def into(in: ProtoInput, row: InternalRow, ordinal: Int): Unit = row.setFloat(ordinal, value(in))
  }

  object FloatAsDouble extends ProtoScalarReader(fixed32) {
    override def read(in: ProtoInput): Any = java.lang.Float.intBitsToFloat(in.readFixed32()).toDouble
  }

  object DoubleReader extends ProtoScalarReader(fixed64) {
    private def value(in: ProtoInput): Double = java.lang.Double.longBitsToDouble(in.readFixed64())
    override def read(in: ProtoInput): Any = value(in)
    override def into(in: ProtoInput, row: InternalRow, ordinal: Int): Unit = row.setDouble(ordinal, value(in))
  }

  object StringReader extends ProtoScalarReader(delimited) {
    override def read(in: ProtoInput): Any = in.readString()
  }

  object BytesReader extends ProtoScalarReader(delimited) {
    override def read(in: ProtoInput): Any = in.readBytes()
  }

  /** An enum's name; the number as text if the schema does not define it. */
  final class EnumReader(values: Seq[(String, Int)]) extends ProtoScalarReader(varint) {
    private val names = new java.util.HashMap[Int, UTF8String]
    // Of several names for one number, the first is shown, as in other tools.
    values.foreach { case (name, number) => names.putIfAbsent(number, UTF8String.fromString(name)) }

    override def read(in: ProtoInput): Any = {
      val number = in.readVarint().toInt
      val name = names.get(number)
      if (name == null) UTF8String.fromString(number.toString) else name
    }
  }

  /** The encodings of Protobuf's integral types. */
  final class Integral(name: String) {
    val kind: Int = ProtoScalar(name).kind
    val isUnsignedLong: Boolean = name == "uint64" || name == "fixed64"
    private val code = name match {
      case "int32" => 0
      case "int64" | "uint64" => 1
      case "uint32" => 2
      case "sint32" => 3
      case "sint64" => 4
      case "fixed32" => 5
      case "sfixed32" => 6
      case _ => 7
    }

    /** The number; an unsigned 64-bit number as its bits. */
    def read(in: ProtoInput): Long = code match {
      // 32-bit numbers are the low bits of a longer varint, as in all Protobuf readers.
      case 0 => in.readVarint().toInt.toLong
      case 1 => in.readVarint()
      case 2 => in.readVarint() & 0xffffffffL
      case 3 =>
        val n = in.readVarint().toInt
        ((n >>> 1) ^ -(n & 1)).toLong
      case 4 =>
        val n = in.readVarint()
        (n >>> 1) ^ -(n & 1)
      case 5 => in.readFixed32() & 0xffffffffL
      case 6 => in.readFixed32().toLong
      case _ => in.readFixed64()
    }
  }

  final class IntegralAsLong(from: Integral) extends ProtoScalarReader(from.kind) {
    private def value(in: ProtoInput): Long = {
      val n = from.read(in)
      if (n < 0 && from.isUnsignedLong) in.bad(s"${java.lang.Long.toUnsignedString(n)} where a BIGINT must be")
      n
    }
    override def read(in: ProtoInput): Any = value(in)
    override def into(in: ProtoInput, row: InternalRow, ordinal: Int): Unit = row.setLong(ordinal, value(in))
  }

  final class IntegralAsInt(from: Integral) extends ProtoScalarReader(from.kind) {
    private def value(in: ProtoInput): Int = {
      val n = from.read(in)
      if (n.toInt != n) in.bad(s"$n where an INT must be")
      n.toInt
    }
    override def read(in: ProtoInput): Any = value(in)
    override def into(in: ProtoInput, row: InternalRow, ordinal: Int): Unit = row.setInt(ordinal, value(in))
  }

  final class IntegralAsShort(from: Integral) extends ProtoScalarReader(from.kind) {
    override def read(in: ProtoInput): Any = {
      val n = from.read(in)
      if (n.toShort != n) in.bad(s"$n where a SMALLINT must be")
      n.toShort
    }
  }

  final class IntegralAsByte(from: Integral) extends ProtoScalarReader(from.kind) {
    override def read(in: ProtoInput): Any = {
      val n = from.read(in)
      if (n.toByte != n) in.bad(s"$n where a TINYINT must be")
      n.toByte
    }
  }

  /** @param make from the number, which fits a BIGINT unless it is an unsigned 64-bit number */
  final class IntegralAs(from: Integral, to: DataType, make: JDecimal => Any) extends ProtoScalarReader(from.kind) {
    override def read(in: ProtoInput): Any = {
      val n = from.read(in)
      val exact =
        if (n < 0 && from.isUnsignedLong) new JDecimal(java.lang.Long.toUnsignedString(n)) else JDecimal.valueOf(n)
      val made = make(exact)
      if (made == null) in.bad(s"$exact where a ${to.sql} must be")
      made
    }
  }

  /** Reads the fields of a small message that represents one value. */
  abstract class ValueMessage extends ProtoMessageReader {
    override def merge(in: ProtoInput): Unit = {
      var tag = in.readTag()
      while (tag != 0) {
        if (!field(in, tag)) in.skip(tag)
        tag = in.readTag()
      }
    }

    /** Reads the field of that tag; false if the message has no such field. */
    protected def field(in: ProtoInput, tag: Int): Boolean
  }

  private def tag(number: Int, kind: Int): Int = number << 3 | kind

  /** Seconds and nanoseconds as microseconds, rounded down. */
  final class TimestampReader extends ValueMessage {
    private var seconds = 0L
    private var nanos = 0

    override def begin(in: ProtoInput): Unit = {
      seconds = 0
      nanos = 0
    }

    override protected def field(in: ProtoInput, t: Int): Boolean =
      if (t == tag(1, varint)) { seconds = in.readVarint(); true }
      else if (t == tag(2, varint)) { nanos = in.readVarint().toInt; true }
      else false

    override def end(in: ProtoInput): Any =
      try Math.addExact(Math.multiplyExact(seconds, 1000000L), Math.floorDiv(nanos, 1000).toLong)
      catch { case _: ArithmeticException => in.bad(s"$seconds seconds where a time that fits a TIMESTAMP must be") }
  }

  /** A message of numbers, by field number. */
  abstract class PartsReader(fields: Int) extends ValueMessage {
    protected val parts = new Array[Int](fields + 1)

    override def begin(in: ProtoInput): Unit = java.util.Arrays.fill(parts, 0)

    override protected def field(in: ProtoInput, t: Int): Boolean = {
      val isPart = (t & 7) == varint && (t >>> 3) < parts.length
      if (isPart) parts(t >>> 3) = in.readVarint().toInt
      isPart
    }
  }

  final class DateReader extends PartsReader(3) {
    override def end(in: ProtoInput): Any =
      try Math.toIntExact(java.time.LocalDate.of(parts(1), parts(2), parts(3)).toEpochDay)
      catch {
        case _: java.time.DateTimeException | _: ArithmeticException =>
          in.bad(s"year ${parts(1)}, month ${parts(2)}, day ${parts(3)}, which is not a date")
      }
  }

  /** Nanoseconds of the day, truncated to microseconds. */
  final class TimeReader extends PartsReader(4) {
    override def end(in: ProtoInput): Any =
      try java.time.LocalTime.of(parts(1), parts(2), parts(3), parts(4)).toNanoOfDay / 1000 * 1000
      catch {
        case _: java.time.DateTimeException =>
          in.bad(
            s"${parts(1)} hours, ${parts(2)} minutes, ${parts(3)} seconds, ${parts(4)} ns, which is not a time of day"
          )
      }
  }

  /** The unscaled value as big-endian bytes, with its own scale. */
  final class DecimalReader(to: DecimalType) extends ValueMessage {
    private var unscaled = Array.emptyByteArray
    private var scale = 0

    override def begin(in: ProtoInput): Unit = {
      unscaled = Array.emptyByteArray
      scale = 0
    }

    override protected def field(in: ProtoInput, t: Int): Boolean =
      if (t == tag(1, delimited)) { unscaled = in.readBytes(); true }
      else if (t == tag(3, varint)) { scale = in.readVarint().toInt; true }
      else false

    override def end(in: ProtoInput): Any = {
      // Far more bytes than any column type: skips the quadratic cost of counting their digits.
      if (unscaled.length > 128) in.bad(s"a decimal of ${unscaled.length} bytes where a ${to.sql} must be")
      val n = if (unscaled.isEmpty) BigInteger.ZERO else new BigInteger(unscaled)
      val decimal = FormatRules.exactDecimal(new JDecimal(n, scale), to)
      if (decimal == null) in.bad(s"$n at scale $scale where a ${to.sql} must be")
      decimal
    }
  }

  /** A scalar in a wrapper message. */
  final class WrapperReader(scalar: ProtoScalarReader, default: Any) extends ValueMessage {
    private var value = default

    override def begin(in: ProtoInput): Unit = value = default

    override protected def field(in: ProtoInput, t: Int): Boolean = {
      val isValue = t == tag(1, scalar.kind)
      if (isValue) value = scalar.read(in)
      isValue
    }

    override def end(in: ProtoInput): Any = value
  }

  /** A message as its own row. */
  final class StructReader(width: Int, fields: ProtoFields) extends ProtoMessageReader {
    private var row: InternalRow = _

    override def begin(in: ProtoInput): Unit = {
      in.count(width + 1)
      row = new GenericInternalRow(width)
      fields.begin(row)
    }

    override def merge(in: ProtoInput): Unit = fields.merge(in, row)

    override def end(in: ProtoInput): Any = {
      fields.end(in, row)
      row
    }
  }
}
