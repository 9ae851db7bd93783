package io.kafkalyst.formats
package json

import io.kafkalyst.formats.bytes.GrowingBytes

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}
import java.util.Base64

import com.fasterxml.jackson.core.io.{JsonStringEncoder, NumberOutput}
import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/**
 * Writes compact UTF-8 JSON (RFC 8259) to a growing buffer that is reused for every record. Commas are inserted
 * automatically: a field or an item is the first if the last byte opens an object or array, as no value ends with it.
 */
private[formats] final class JsonOutput extends GrowingBytes {

  def size: Int = length

  /** Discards everything that was written after this size. */
  def backTo(size: Int): Unit = length = size

  def startObject(): Unit = byte('{')
  def endObject(): Unit = byte('}')
  def startArray(): Unit = byte('[')
  def endArray(): Unit = byte(']')

  /** Call before each item of an array. */
  def item(): Unit = if (bytes(length - 1) != '[') byte(',')

  /**
   * Call before each field's value.
   *
   * @param name from [[JsonOutput.name]]
   */
  def field(name: Array[Byte]): Unit = {
    if (bytes(length - 1) != '{') byte(',')
    writeRaw(name)
  }

  /** Call before the value of an entry whose key is known only at run time. */
  def field(key: UTF8String): Unit = {
    if (bytes(length - 1) != '{') byte(',')
    writeString(key)
    byte(':')
  }

  def writeNull(): Unit = writeRaw(JsonOutput.none)

  def writeBoolean(b: Boolean): Unit = writeRaw(if (b) JsonOutput.yes else JsonOutput.no)

  def writeLong(n: Long): Unit = {
    reserve(20)
    length = NumberOutput.outputLong(n, bytes, length)
  }

  /** Numbers that JSON cannot represent become strings, as in ksqlDB and Spark. */
  def writeDouble(d: Double): Unit =
    if (JsonOutput.isWhole(d)) writeWhole(d.toLong)
    else if (java.lang.Double.isFinite(d)) writeAscii(NumberOutput.toString(d, true))
    else writeString(d.toString)

  /** As [[writeDouble]]. */
  def writeFloat(f: Float): Unit =
    if (JsonOutput.isWhole(f.toDouble)) writeWhole(f.toLong)
    else if (java.lang.Float.isFinite(f)) writeAscii(NumberOutput.toString(f, true))
    else writeString(f.toString)

  private def writeWhole(n: Long): Unit = {
    writeLong(n)
    writeRaw(JsonOutput.pointZero)
  }

  /** A number with this many digits after the point, without exponent. */
  def writeDecimal(unscaled: Long, scale: Int): Unit =
    if (scale == 0) writeLong(unscaled)
    else if (unscaled == Long.MinValue) writeDecimal(java.math.BigDecimal.valueOf(unscaled, scale))
    else {
      reserve(22 + scale)
      if (unscaled < 0) byte('-')
      val from = length
      val digits = NumberOutput.outputLong(math.abs(unscaled), bytes, from) - from
      // At least one digit precedes the point.
      val zeros = math.max(0, scale + 1 - digits)
      System.arraycopy(bytes, from, bytes, from + zeros, digits)
      java.util.Arrays.fill(bytes, from, from + zeros, '0'.toByte)
      val point = from + zeros + digits - scale
      System.arraycopy(bytes, point, bytes, point + 1, scale)
      bytes(point) = '.'
      length = point + 1 + scale
    }

  /** Without exponent. */
  def writeDecimal(n: java.math.BigDecimal): Unit = writeAscii(n.toPlainString)

  /** Without zeros at its end, and with an exponent where Java writes one, as `1E+2`. */
  def writeShort(n: java.math.BigDecimal): Unit = writeAscii(n.stripTrailingZeros.toString)

  def writeBase64(binary: Array[Byte]): Unit = {
    byte('"')
    writeRaw(Base64.getEncoder.encode(binary))
    byte('"')
  }

  def writeString(s: String): Unit = writeString(UTF8String.fromString(s))

  /** Invalid UTF-8 becomes the replacement character. Characters above U+FFFF are escaped, as in ksqlDB and Flink. */
  def writeString(s: UTF8String): Unit = {
    val size = s.numBytes
    reserve(size + 2)
    val open = length
    s.writeToMemory(bytes, Platform.BYTE_ARRAY_OFFSET.toLong + open + 1)
    if (isWhole(open + 1, open + 1 + size)) {
      bytes(open) = '"'
      bytes(open + 1 + size) = '"'
      length += size + 2
    } else {
      byte('"')
      writeRaw(JsonOutput.quoted(s.toString))
      byte('"')
    }
  }

  /** Whether the bytes need no escaping in a string. */
  private def isWhole(from: Int, until: Int): Boolean = {
    var p = JsonStrings.endOfPlain(bytes, from, until)
    val isAscii = p == until
    while (p < until && bytes(p) < JsonOutput.fourBytes) p = JsonStrings.endOfPlain(bytes, p + 1, until)
    p == until && (isAscii || UTF8String.fromBytes(bytes, from, until - from).isValid)
  }

  private def writeAscii(text: String): Unit = writeRaw(text.getBytes(ISO_8859_1))

  private def byte(b: Char): Unit = {
    reserve(1)
    bytes(length) = b.toByte
    length += 1
  }
}

private[formats] object JsonOutput {
  private val pointZero = ".0".getBytes(UTF_8)

  /** Whether Java writes it as a whole number with `.0`; excludes zero, as Java writes negative zero with a minus. */
  private def isWhole(d: Double): Boolean = d == d.toLong && math.abs(d) < 1e7 && d != 0

  private val none = "null".getBytes(UTF_8)
  private val yes = "true".getBytes(UTF_8)
  private val no = "false".getBytes(UTF_8)

  /** The first byte of a character above U+FFFF, as a signed number. */
  private val fourBytes = -16

  /** A string's inside, with escapes. */
  private def quoted(text: String): Array[Byte] = {
    val encoder = JsonStringEncoder.getInstance
    if (!text.exists(_.isSurrogate)) encoder.quoteAsUTF8(text)
    else
      encoder.quoteAsString(text).flatMap(c => if (c.isSurrogate) f"\\u${c.toInt}%04X" else c.toString).mkString
        .getBytes(UTF_8)
  }

  /** A field's name as written, with its colon. */
  def name(of: String): Array[Byte] =
    '"'.toByte +: quoted(of) :+ '"'.toByte :+ ':'.toByte
}
