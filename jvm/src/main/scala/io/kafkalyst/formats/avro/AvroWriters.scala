package io.kafkalyst.formats
package avro

import java.nio.ByteBuffer

import io.kafkalyst.formats.bytes.ByteWriter
import io.kafkalyst.keys.CanonicalMaps
import io.kafkalyst.model.TimeOfDay
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.types.DecimalType

/** Writes one value from a row or an array with one schema. */
private[formats] abstract class AvroWriter {
  def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit
}

/** The parts of an [[AvroEncoder]]. Writers without a path never receive a null. */
private[formats] object AvroWriters {

  object BooleanWriter extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit =
      out.writeBoolean(row.getBoolean(ordinal))
  }

  object ByteWrites extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit =
      out.writeLong(row.getByte(ordinal).toLong)
  }

  object ShortWrites extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit =
      out.writeLong(row.getShort(ordinal).toLong)
  }

  object IntWrites extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit =
      out.writeLong(row.getInt(ordinal).toLong)
  }

  object LongWrites extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit =
      out.writeLong(row.getLong(ordinal))
  }

  /** Writes microseconds to a field of milliseconds, rounding down as Spark's casts do. */
  object MillisWrites extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit =
      out.writeLong(Math.floorDiv(row.getLong(ordinal), 1000L))
  }

  object TimeMillisWrites extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit =
      out.writeLong(TimeOfDay.toMillis(row.getLong(ordinal)).toLong)
  }

  object TimeMicrosWrites extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit =
      out.writeLong(row.getLong(ordinal) / 1000L)
  }

  final class NanosWriter(path: String) extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit = {
      val nanos =
        try Math.multiplyExact(row.getLong(ordinal), 1000L)
        catch { case _: ArithmeticException => throw new NotWritable(path, "the time does not fit nanoseconds") }
      out.writeLong(nanos)
    }
  }

  object FloatWrites extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit =
      out.writeFloat(row.getFloat(ordinal))
  }

  final class DoubleAsFloat(path: String) extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit =
      out.writeFloat(NotWritable.float(path, row.getDouble(ordinal)))
  }

  object FloatAsDouble extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit =
      out.writeDouble(row.getFloat(ordinal).toDouble)
  }

  object IntAsDouble extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit =
      out.writeDouble(row.getInt(ordinal).toDouble)
  }

  object DoubleWrites extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit =
      out.writeDouble(row.getDouble(ordinal))
  }

  object StringWrites extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit =
      out.writeBytes(row.getUTF8String(ordinal).getBytes)
  }

  object BinaryWrites extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit =
      out.writeBytes(row.getBinary(ordinal))
  }

  /** Bytes that are the whole body, without a length prefix: the encoding of Confluent's serialisers. */
  final class RestWriter(bytes: AvroWriter) extends AvroWriter {
    private val measured = new ByteWriter

    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit = {
      measured.clear()
      bytes.write(measured, row, ordinal)
      val all = measured.toArray
      out.writeRaw(all.drop(all.indexWhere(_ >= 0) + 1))
    }
  }

  final class FixedWriter(path: String, size: Int) extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit = {
      val bytes = row.getBinary(ordinal)
      if (bytes.length != size) {
        throw new NotWritable(path, s"the schema takes $size bytes, but there are ${bytes.length}")
      }
      out.writeRaw(bytes)
    }
  }

  /** Writes the text of a UUID as its 16 bytes. */
  final class UuidWriter(path: String) extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit = {
      val text = row.getUTF8String(ordinal).toString
      def no = throw new NotWritable(path, s""""$text" is not a UUID""")
      val uuid =
        try java.util.UUID.fromString(text)
        catch { case _: IllegalArgumentException => no }
      // Java's parser also accepts shortened forms.
      if (text.length != 36) no
      out.writeRaw(
        ByteBuffer.allocate(16).putLong(uuid.getMostSignificantBits).putLong(uuid.getLeastSignificantBits).array
      )
    }
  }

  final class DurationWriter(path: String) extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit = {
      val parts = row.getStruct(ordinal, 3)
      var i = 0
      while (i < 3) {
        if (parts.isNullAt(i) || parts.getInt(i) < 0) {
          throw new NotWritable(path, "a duration's months, days and millis are numbers from 0 on, none of them null")
        }
        out.writeFixedInt(parts.getInt(i))
        i += 1
      }
    }
  }

  final class NoNaNWriter(path: String, isFloat: Boolean, value: AvroWriter) extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit = {
      if (if (isFloat) row.getFloat(ordinal).isNaN else row.getDouble(ordinal).isNaN) {
        throw new NotWritable(path, NotWritable.nan)
      }
      value.write(out, row, ordinal)
    }
  }

  final class EnumWriter(path: String, symbols: Seq[String]) extends AvroWriter {
    private val index = symbols.zipWithIndex.toMap

    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit = {
      val symbol = row.getUTF8String(ordinal).toString
      val known = index.getOrElse(
        symbol,
        throw new NotWritable(path, s""""$symbol" is not one of the schema's symbols ${symbols.mkString(", ")}""")
      )
      out.writeLong(known.toLong)
    }
  }

  /** @param size the fixed's size; -1 for bytes */
  final class DecimalWriter(path: String, from: DecimalType, precision: Int, scale: Int, size: Int) extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit = {
      val value = row.getDecimal(ordinal, from.precision, from.scale).toJavaBigDecimal
      val scaled =
        try value.setScale(scale, java.math.RoundingMode.UNNECESSARY)
        catch { case _: ArithmeticException => refuse(value) }
      if (scaled.precision > precision) refuse(value)
      val bytes = scaled.unscaledValue.toByteArray
      if (size < 0) out.writeBytes(bytes)
      else {
        if (bytes.length > size) refuse(value)
        val padded = new Array[Byte](size)
        java.util.Arrays.fill(padded, if (scaled.signum < 0) -1.toByte else 0.toByte)
        System.arraycopy(bytes, 0, padded, size - bytes.length, bytes.length)
        out.writeRaw(padded)
      }
    }

    private def refuse(value: java.math.BigDecimal): Nothing =
      throw new NotWritable(path, s"$value does not fit the schema's decimal($precision, $scale)")
  }

  final class ArrayWriter(item: AvroWriter) extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit = {
      val items = row.getArray(ordinal)
      val n = items.numElements()
      if (n > 0) {
        out.writeLong(n.toLong)
        var i = 0
        while (i < n) {
          item.write(out, items, i)
          i += 1
        }
      }
      out.writeLong(0)
    }
  }

  /**
   * @param canonical  whether entries are sorted, as in a key
   * @param valueFirst whether the record of an entry has its value before its key
   */
  final class MapWriter(canonical: Boolean, key: AvroWriter, value: AvroWriter, valueFirst: Boolean = false)
      extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit = {
      val map = row.getMap(ordinal)
      val n = map.numElements()
      if (n > 0) {
        val order = if (canonical) CanonicalMaps.order(map) else null
        out.writeLong(n.toLong)
        var i = 0
        while (i < n) {
          val at = if (order == null) i else order(i)
          if (valueFirst) value.write(out, map.valueArray(), at)
          key.write(out, map.keyArray(), at)
          if (!valueFirst) value.write(out, map.valueArray(), at)
          i += 1
        }
      }
      out.writeLong(0)
    }
  }

  /** Writes the fields of a record in the schema's order from their ordinals in the row. */
  final class FieldsWriter(writers: Array[AvroWriter], ordinals: Array[Int]) extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, unused: Int): Unit = {
      var i = 0
      while (i < writers.length) {
        writers(i).write(out, row, ordinals(i))
        i += 1
      }
    }
  }

  final class StructWriter(width: Int, fields: AvroWriter) extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit =
      fields.write(out, row.getStruct(ordinal, width), 0)
  }

  final class ConstantWriter(bytes: Array[Byte]) extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit = out.writeRaw(bytes)
  }

  /** A union branch without content. */
  final class BranchWriter(branch: Int) extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit = out.writeLong(branch.toLong)
  }

  final class OnlyNullWriter(path: String) extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit =
      if (!row.isNullAt(ordinal)) throw new NotWritable(path, "the schema lets it only be null")
  }

  final class RequiredWriter(path: String, value: AvroWriter) extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit = {
      if (row.isNullAt(ordinal)) throw new NotWritable(path, "it is null, but the schema requires a value")
      value.write(out, row, ordinal)
    }
  }

  /** @param nullBranch -1 if the union has no null */
  final class NullableWriter(path: String, nullBranch: Int, branch: Int, value: AvroWriter) extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit =
      if (!row.isNullAt(ordinal)) {
        out.writeLong(branch.toLong)
        value.write(out, row, ordinal)
      } else if (nullBranch >= 0) out.writeLong(nullBranch.toLong)
      else throw new NotWritable(path, "it is null, but the schema requires a value")
  }

  /** Writes the only non-null member of a general union's struct. */
  final class MembersWriter(path: String, nullBranch: Int, branches: Array[Int], members: Array[AvroWriter])
      extends AvroWriter {
    override def write(out: ByteWriter, row: SpecializedGetters, ordinal: Int): Unit = {
      val struct = if (row.isNullAt(ordinal)) null else row.getStruct(ordinal, members.length)
      val given = if (struct == null) Nil else members.indices.filterNot(struct.isNullAt)
      if (given.size > 1) throw new NotWritable(path, s"${given.size} members are set, but a union holds one")
      if (given.nonEmpty) {
        out.writeLong(branches(given.head).toLong)
        members(given.head).write(out, struct, given.head)
      } else if (nullBranch >= 0) out.writeLong(nullBranch.toLong)
      else throw new NotWritable(path, "no member is set, but the schema requires one")
    }
  }
}
