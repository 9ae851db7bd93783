package io.kafkalyst.keys

import java.io.{ByteArrayOutputStream, DataOutputStream}
import java.util.{Arrays => JArrays}

import org.apache.kafka.common.utils.Utils
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecializedGetters
import org.apache.spark.sql.types._

/**
 * One part of a key.
 *
 * @param name    determines its position among the parts
 * @param ordinal its ordinal in the rows
 */
final case class KeyPart(name: String, dataType: DataType, ordinal: Int)

/**
 * The hash of a key's logical value: independent of format, schema id, column order and number width, and unchanged by
 * an added field that is null. Not thread-safe: one per task.
 *
 * It is Kafka's murmur2 over these bytes: the non-null parts, ordered by name, without the names. Whole numbers, dates
 * (days) and times (microseconds) as 8 bytes big-endian; FLOAT and DOUBLE as the 8 bytes of the double; BOOLEAN as one
 * byte; DECIMAL as its text without trailing zeros; strings and bytes with a 4-byte length prefix; an array as its
 * element count, then each element after a byte 1, or a byte 0 for null; a map as an array of its keys and values,
 * sorted by the keys' bytes; a struct like the key itself.
 */
final class KeyHash(parts: Seq[KeyPart]) {
  private val ordered = parts.sortBy(_.name).toArray
  private val buffer = new ByteArrayOutputStream(64)

  /** The hash, never negative; -1 if every part is null. */
  def of(row: InternalRow): Int = {
    buffer.reset()
    val out = new DataOutputStream(buffer)
    var any = false
    ordered.foreach { part =>
      if (!row.isNullAt(part.ordinal)) {
        any = true
        KeyHash.put(out, row, part.ordinal, part.dataType)
      }
    }
    if (any) Utils.toPositive(Utils.murmur2(buffer.toByteArray)) else -1
  }
}

private object KeyHash {
  private def put(out: DataOutputStream, from: SpecializedGetters, at: Int, t: DataType): Unit = t match {
    case ByteType => out.writeLong(from.getByte(at).toLong)
    case ShortType => out.writeLong(from.getShort(at).toLong)
    case IntegerType | DateType | _: YearMonthIntervalType => out.writeLong(from.getInt(at).toLong)
    case LongType | TimestampType | TimestampNTZType | _: DayTimeIntervalType => out.writeLong(from.getLong(at))
    case FloatType => putDouble(out, from.getFloat(at).toDouble)
    case DoubleType => putDouble(out, from.getDouble(at))
    case BooleanType => out.writeBoolean(from.getBoolean(at))
    case d: DecimalType =>
      val number = from.getDecimal(at, d.precision, d.scale).toJavaBigDecimal.stripTrailingZeros
      putBytes(out, number.toPlainString.getBytes(java.nio.charset.StandardCharsets.UTF_8))
    case _: StringType => putBytes(out, from.getUTF8String(at).getBytes)
    case BinaryType => putBytes(out, from.getBinary(at))
    case ArrayType(element, _) =>
      val array = from.getArray(at)
      out.writeInt(array.numElements())
      (0 until array.numElements()).foreach(putOptional(out, array, _, element))
    case MapType(key, value, _) =>
      val map = from.getMap(at)
      val entries = (0 until map.numElements()).map { i =>
        bytes(putOptional(_, map.keyArray(), i, key)) -> bytes(putOptional(_, map.valueArray(), i, value))
      }.sortWith((a, b) => JArrays.compareUnsigned(a._1, b._1) < 0)
      out.writeInt(entries.size)
      entries.foreach { case (k, v) =>
        out.write(k)
        out.write(v)
      }
    case s: StructType =>
      val struct = from.getStruct(at, s.size)
      s.fields.zipWithIndex.sortBy(_._1.name).foreach { case (field, i) =>
        if (!struct.isNullAt(i)) put(out, struct, i, field.dataType)
      }
    case other => putBytes(out, from.get(at, other).toString.getBytes(java.nio.charset.StandardCharsets.UTF_8))
  }

  private def putOptional(out: DataOutputStream, from: SpecializedGetters, at: Int, t: DataType): Unit = {
    out.writeBoolean(!from.isNullAt(at))
    if (!from.isNullAt(at)) put(out, from, at, t)
  }

  /** Normalises zeros and NaNs. */
  private def putDouble(out: DataOutputStream, d: Double): Unit =
    out.writeLong(java.lang.Double.doubleToLongBits(if (d == 0.0) 0.0 else d))

  private def putBytes(out: DataOutputStream, bytes: Array[Byte]): Unit = {
    out.writeInt(bytes.length)
    out.write(bytes)
  }

  private def bytes(put: DataOutputStream => Unit): Array[Byte] = {
    val buffer = new ByteArrayOutputStream()
    put(new DataOutputStream(buffer))
    buffer.toByteArray
  }
}
