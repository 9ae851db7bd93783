package io.kafkalyst.formats
package protobuf

import java.math.{BigDecimal => JDecimal, BigInteger, RoundingMode}

import io.kafkalyst.keys.CanonicalMaps
import io.kafkalyst.model.TimeOfDay
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.types.{DataType, DecimalType}

/** The parts of a [[ProtoEncoder]]. */
private[formats] object ProtoWriters {

  object BooleanWriter extends ProtoValueWriter(ProtoInput.varint) {
    override def write(out: ProtoOutput, row: SpecializedGetters, ordinal: Int): Unit =
      out.writeVarint(if (row.getBoolean(ordinal)) 1 else 0)
    override def isDefault(row: SpecializedGetters, ordinal: Int): Boolean = !row.getBoolean(ordinal)
  }

  final class FloatWriter(get: (SpecializedGetters, Int) => Float) extends ProtoValueWriter(ProtoInput.fixed32) {
    private def bits(row: SpecializedGetters, i: Int) = java.lang.Float.floatToRawIntBits(get(row, i))
    override def write(out: ProtoOutput, row: SpecializedGetters, ordinal: Int): Unit =
      out.writeFixed32(bits(row, ordinal))
    // Negative zero is not the default.
    override def isDefault(row: SpecializedGetters, ordinal: Int): Boolean = bits(row, ordinal) == 0
  }

  final class DoubleWriter(get: (SpecializedGetters, Int) => Double) extends ProtoValueWriter(ProtoInput.fixed64) {
    private def bits(row: SpecializedGetters, i: Int) = java.lang.Double.doubleToRawLongBits(get(row, i))
    override def write(out: ProtoOutput, row: SpecializedGetters, ordinal: Int): Unit =
      out.writeFixed64(bits(row, ordinal))
    override def isDefault(row: SpecializedGetters, ordinal: Int): Boolean = bits(row, ordinal) == 0
  }

  /** Whole numbers; unsigned scalars reject negative values, and 32-bit ones also values out of range. */
  final class IntegralWriter(path: String, scalar: ProtoScalar, get: (SpecializedGetters, Int) => Long)
      extends ProtoValueWriter(scalar.kind) {
    private val isUnsigned = scalar.name.startsWith("u") || scalar.name.startsWith("f")
    private val most = if (scalar.name.endsWith("32")) 0xffffffffL else Long.MaxValue

    override def write(out: ProtoOutput, row: SpecializedGetters, ordinal: Int): Unit = {
      val n = get(row, ordinal)
      if (isUnsigned && (n < 0 || n > most)) throw new NotWritable(path, s"$n does not fit the schema's ${scalar.name}")
      out.writeIntegral(scalar.name, n)
    }
    override def isDefault(row: SpecializedGetters, ordinal: Int): Boolean = get(row, ordinal) == 0
  }

  /** A decimal without a fraction as an unsigned 64-bit number. */
  final class UnsignedWriter(path: String, scalar: ProtoScalar, from: DecimalType)
      extends ProtoValueWriter(scalar.kind) {
    override def write(out: ProtoOutput, row: SpecializedGetters, ordinal: Int): Unit = {
      val value = row.getDecimal(ordinal, from.precision, from.scale).toJavaBigDecimal
      val n =
        try value.toBigIntegerExact
        catch { case _: ArithmeticException => refuse(value) }
      if (n.signum < 0 || n.bitLength > 64) refuse(value)
      out.writeIntegral(scalar.name, n.longValue)
    }
    override def isDefault(row: SpecializedGetters, ordinal: Int): Boolean =
      row.getDecimal(ordinal, from.precision, from.scale).toJavaBigDecimal.signum == 0

    private def refuse(value: JDecimal): Nothing =
      throw new NotWritable(path, s"$value does not fit the schema's ${scalar.name}")
  }

  object StringWriter extends ProtoValueWriter(ProtoInput.delimited) {
    override def write(out: ProtoOutput, row: SpecializedGetters, ordinal: Int): Unit =
      out.writeBytes(row.getUTF8String(ordinal).getBytes)
    override def isDefault(row: SpecializedGetters, ordinal: Int): Boolean = row.getUTF8String(ordinal).numBytes == 0
  }

  object BinaryWriter extends ProtoValueWriter(ProtoInput.delimited) {
    override def write(out: ProtoOutput, row: SpecializedGetters, ordinal: Int): Unit =
      out.writeBytes(row.getBinary(ordinal))
    override def isDefault(row: SpecializedGetters, ordinal: Int): Boolean = row.getBinary(ordinal).isEmpty
  }

  /** An enum by its value's name, or by a number as text, which is how numbers missing from the schema are read. */
  final class EnumWriter(path: String, values: Seq[(String, Int)]) extends ProtoValueWriter(ProtoInput.varint) {
    private val known = values.toMap

    private def number(row: SpecializedGetters, ordinal: Int): Int = {
      val name = row.getUTF8String(ordinal).toString
      known.get(name).orElse(name.toIntOption).getOrElse {
        throw new NotWritable(path, s""""$name" is not one of the schema's values ${values.map(_._1).mkString(", ")}""")
      }
    }
    override def write(out: ProtoOutput, row: SpecializedGetters, ordinal: Int): Unit =
      out.writeVarint(number(row, ordinal).toLong)
    override def isDefault(row: SpecializedGetters, ordinal: Int): Boolean = number(row, ordinal) == 0
  }

  final class TimestampWriter(path: String) extends ProtoMessageWriter {
    override protected def fields(out: ProtoOutput, row: SpecializedGetters, ordinal: Int): Unit = {
      val micros = row.getLong(ordinal)
      val seconds = Math.floorDiv(micros, 1000000L)
      // The years 1 to 9999, as google.protobuf.Timestamp defines.
      if (seconds < -62135596800L || seconds > 253402300799L) {
        throw new NotWritable(path, s"the time is not in the years 1 to 9999, which ${ProtoTypes.timestamp} holds")
      }
      number(out, 1, seconds)
      number(out, 2, Math.floorMod(micros, 1000000L) * 1000L)
    }
  }

  final class DateWriter(path: String) extends ProtoMessageWriter {
    override protected def fields(out: ProtoOutput, row: SpecializedGetters, ordinal: Int): Unit = {
      val day = java.time.LocalDate.ofEpochDay(row.getInt(ordinal).toLong)
      if (day.getYear < 1 || day.getYear > 9999) {
        throw new NotWritable(path, s"$day is not in the years 1 to 9999, which ${ProtoTypes.date} holds")
      }
      number(out, 1, day.getYear.toLong)
      number(out, 2, day.getMonthValue.toLong)
      number(out, 3, day.getDayOfMonth.toLong)
    }
  }

  /** Writes milliseconds, as in other formats. */
  object TimeWriter extends ProtoMessageWriter {
    override protected def fields(out: ProtoOutput, row: SpecializedGetters, ordinal: Int): Unit = {
      val millis = TimeOfDay.toMillis(row.getLong(ordinal)).toLong
      number(out, 1, millis / 3600000)
      number(out, 2, millis / 60000 % 60)
      number(out, 3, millis / 1000 % 60)
      number(out, 4, millis % 1000 * 1000000)
    }
  }

  /** @param to precision and scale of the field's parameters */
  final class DecimalWriter(path: String, from: DecimalType, to: DecimalType) extends ProtoMessageWriter {
    override protected def fields(out: ProtoOutput, row: SpecializedGetters, ordinal: Int): Unit = {
      val value = row.getDecimal(ordinal, from.precision, from.scale).toJavaBigDecimal
      val scaled =
        try value.setScale(to.scale, RoundingMode.UNNECESSARY)
        catch { case _: ArithmeticException => refuse(value) }
      if (scaled.precision > to.precision) refuse(value)
      val unscaled: BigInteger = scaled.unscaledValue
      out.writeTag(1, ProtoInput.delimited)
      out.writeBytes(unscaled.toByteArray)
      // As Confluent's converter: the value's own digits, not the type's.
      number(out, 2, scaled.precision.toLong)
      number(out, 3, to.scale.toLong)
    }

    private def refuse(value: JDecimal): Nothing =
      throw new NotWritable(path, s"$value does not fit the schema's decimal of ${to.sql}")
  }

  final class WrapperWriter(scalar: ProtoValueWriter) extends ProtoMessageWriter {
    override protected def fields(out: ProtoOutput, row: SpecializedGetters, ordinal: Int): Unit =
      if (!scalar.isDefault(row, ordinal)) {
        out.writeTag(1, scalar.kind)
        scalar.write(out, row, ordinal)
      }
  }

  final class StructWriter(width: Int, writers: Array[ProtoFieldWriter]) extends ProtoMessageWriter {
    override protected def fields(out: ProtoOutput, row: SpecializedGetters, ordinal: Int): Unit = {
      val struct = row.getStruct(ordinal, width)
      var i = 0
      while (i < writers.length) {
        writers(i).write(out, struct)
        i += 1
      }
    }
  }

  /** @param leavesOut whether the type's default is omitted */
  final class SingleField(
      path: String,
      number: Int,
      value: ProtoValueWriter,
      leavesOut: Boolean,
      isRequired: Boolean,
      ordinal: Int
  ) extends ProtoFieldWriter {
    override def write(out: ProtoOutput, row: SpecializedGetters): Unit =
      if (row.isNullAt(ordinal)) {
        if (isRequired) throw new NotWritable(path, "it is null, but the schema requires a value")
      } else if (!leavesOut || !value.isDefault(row, ordinal)) {
        out.writeTag(number, value.kind)
        value.write(out, row, ordinal)
      }
  }

  final class RepeatedField(path: String, number: Int, item: ProtoValueWriter, isPacked: Boolean, ordinal: Int)
      extends ProtoFieldWriter {
    override def write(out: ProtoOutput, row: SpecializedGetters): Unit = if (!row.isNullAt(ordinal)) {
      val items = row.getArray(ordinal)
      val n = items.numElements()
      if (isPacked && n > 0) {
        out.writeTag(number, ProtoInput.delimited)
        val start = out.open()
        each(items, n)(item.write(out, items, _))
        out.close(start)
      } else each(items, n) { i =>
        out.writeTag(number, item.kind)
        item.write(out, items, i)
      }
    }

    private def each(items: SpecializedGetters, n: Int)(write: Int => Unit): Unit = {
      var i = 0
      while (i < n) {
        if (items.isNullAt(i)) throw new NotWritable(s"$path.element", "it is null, and Protobuf has no null in a list")
        write(i)
        i += 1
      }
    }
  }

  /** @param canonical whether the entries are sorted as in keys */
  final class MapField(
      number: Int,
      key: ProtoValueWriter,
      value: ProtoValueWriter,
      canonical: Boolean,
      ordinal: Int
  ) extends ProtoFieldWriter {
    override def write(out: ProtoOutput, row: SpecializedGetters): Unit = if (!row.isNullAt(ordinal)) {
      val map = row.getMap(ordinal)
      val keys = map.keyArray()
      val values = map.valueArray()
      val order = if (canonical) CanonicalMaps.order(map) else null
      var n = 0
      while (n < map.numElements()) {
        val i = if (order == null) n else order(n)
        out.writeTag(number, ProtoInput.delimited)
        val start = out.open()
        out.writeTag(1, key.kind)
        key.write(out, keys, i)
        // As for a field, null is a value that is not there.
        if (!values.isNullAt(i)) {
          out.writeTag(2, value.kind)
          value.write(out, values, i)
        }
        out.close(start)
        n += 1
      }
    }
  }

  /** A oneof from a struct of its members. */
  final class OneofField(width: Int, members: Array[ProtoFieldWriter], ordinal: Int) extends ProtoFieldWriter {
    override def write(out: ProtoOutput, row: SpecializedGetters): Unit = if (!row.isNullAt(ordinal)) {
      val struct = row.getStruct(ordinal, width)
      members.foreach(_.write(out, struct))
    }
  }

  /** Checks that at most one of a oneof's columns is set. */
  final class OneofCheck(path: String, names: Seq[String], ordinals: Array[Int]) extends ProtoFieldWriter {
    override def write(out: ProtoOutput, row: SpecializedGetters): Unit =
      if (ordinals.count(!row.isNullAt(_)) > 1) {
        throw new NotWritable(
          path,
          s"several of ${names.mkString(", ")} are set, but they are a oneof, which holds one"
        )
      }
  }

  /** Reads a column's value of this type as a whole number; None if the type is not integral. */
  def integral(t: DataType): Option[(SpecializedGetters, Int) => Long] = {
    import org.apache.spark.sql.types._
    t match {
      case _: ByteType => Some((row, i) => row.getByte(i).toLong)
      case _: ShortType => Some((row, i) => row.getShort(i).toLong)
      case _: IntegerType => Some((row, i) => row.getInt(i).toLong)
      case _: LongType => Some((row, i) => row.getLong(i))
      case _ => None
    }
  }
}
