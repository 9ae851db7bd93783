package io.kafkalyst.formats
package protobuf

import java.util.Locale

import io.kafkalyst.formats.bytes.VarintWriter

import java.math.BigInteger

/** Writes Protobuf's wire format to a growing buffer that is reused for every record. */
private[formats] final class ProtoOutput extends VarintWriter {
  def writeTag(number: Int, kind: Int): Unit = writeVarint((number.toLong << 3) | kind)

  def writeFixed32(n: Int): Unit = littleEndian(n.toLong, 4)

  def writeFixed64(n: Long): Unit = littleEndian(n, 8)

  /** Writes a whole number as the scalar of that name; an unsigned 64-bit number is given by its bits. */
  def writeIntegral(name: String, n: Long): Unit = name match {
    case "sint32" | "sint64" => writeVarint((n << 1) ^ (n >> 63))
    case "fixed32" | "sfixed32" => writeFixed32(n.toInt)
    case "fixed64" | "sfixed64" => writeFixed64(n)
    case _ => writeVarint(n)
  }

  /** Bytes with a length prefix. */
  def writeBytes(from: Array[Byte]): Unit = {
    writeVarint(from.length.toLong)
    writeRaw(from)
  }

  /** Starts a length-delimited value; the result is the argument of [[close]]. */
  def open(): Int = {
    reserve(1)
    length += 1
    length
  }

  /** Ends a value that [[open]] started and inserts its length prefix. */
  def close(start: Int): Unit = {
    val size = length - start
    // One byte is reserved for the length; a longer length shifts the content.
    val more = (31 - Integer.numberOfLeadingZeros(size | 1)) / 7
    if (more > 0) {
      reserve(more)
      System.arraycopy(bytes, start, bytes, start + more, size)
      length += more
    }
    put(start - 1, size.toLong)
  }
}

private[formats] object ProtoOutput {

  /** The bytes of a value from a schema's text, without tag; None if it does not have that type. */
  def constant(t: ProtoType, value: ProtoValue): Option[Array[Byte]] = {
    val out = new ProtoOutput
    def decimal(text: String) = text match {
      case "inf" => Double.PositiveInfinity
      case "-inf" => Double.NegativeInfinity
      case "nan" | "-nan" => Double.NaN
      case number => number.toDouble
    }
    try {
      (t, value) match {
        case (ProtoScalar("string" | "bytes"), ProtoString(bytes)) => out.writeBytes(bytes)
        case (ProtoScalar("bool"), ProtoWord(word)) => out.writeVarint(if (word.toBoolean) 1 else 0)
        case (ProtoScalar("float"), ProtoWord(word)) =>
          out.writeFixed32(java.lang.Float.floatToRawIntBits(decimal(word).toFloat))
        case (ProtoScalar("double"), ProtoWord(word)) =>
          out.writeFixed64(java.lang.Double.doubleToRawLongBits(decimal(word)))
        case (ProtoScalar(name), ProtoWord(word)) => out.writeIntegral(name, whole(word).longValue)
        case (e: ProtoEnum, ProtoWord(word)) => out.writeVarint(e.values.find(_._1 == word).get._2.toLong)
        case _ => throw new NoSuchElementException
      }
      Some(out.toArray)
    } catch { case _: IllegalArgumentException | _: NoSuchElementException => None }
  }

  private def whole(text: String): BigInteger = {
    val digits = text.stripPrefix("-").toLowerCase(Locale.ROOT)
    val n =
      if (digits.startsWith("0x")) new BigInteger(digits.substring(2), 16)
      else if (digits.length > 1 && digits.startsWith("0")) new BigInteger(digits.substring(1), 8)
      else new BigInteger(digits)
    if (text.startsWith("-")) n.negate else n
  }
}
