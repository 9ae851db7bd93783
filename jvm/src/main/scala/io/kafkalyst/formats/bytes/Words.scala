package io.kafkalyst.formats
package bytes

import java.lang.{Long => JLong}
import java.nio.ByteOrder

import org.apache.spark.unsafe.Platform

/** Words of eight bytes, independent of the machine's byte order. The caller checks bounds. */
private[formats] object Words {

  /** One in each byte: multiplied by a byte, that byte in each. */
  final val Ones = 0x0101010101010101L

  /** The high bit of each byte. */
  final val Highs = 0x8080808080808080L

  /** Little-endian. */
  def little(bytes: Array[Byte], at: Int): Long = {
    val word = Platform.getLong(bytes, Platform.BYTE_ARRAY_OFFSET.toLong + at)
    if (ByteOrder.nativeOrder() eq ByteOrder.LITTLE_ENDIAN) word else JLong.reverseBytes(word)
  }

  /** Big-endian. */
  def big(bytes: Array[Byte], at: Int): Long = JLong.reverseBytes(little(bytes, at))

  /** Drops the high bit of each byte; joins the groups of seven bits two, then four, then eight at a time. */
  def sevens(word: Long): Long = {
    val two = (word & 0x007f007f007f007fL) | (word & 0x7f007f007f007f00L) >>> 1
    val four = (two & 0x00003fff00003fffL) | (two & 0x3fff00003fff0000L) >>> 2
    (four & 0x0fffffffL) | (four & 0x0fffffff00000000L) >>> 4
  }

  /** How many leading bytes are ASCII digits. */
  def leadingDigits(word: Long): Int = {
    val digits = word ^ Ones * '0'
    // A byte above 9 sets its high bit; carries only affect later bytes.
    JLong.numberOfTrailingZeros((digits | (digits + Ones * 0x76)) & Highs) >>> 3
  }

  /** The number in the leading 1 to 8 digits. */
  def decimal(word: Long, count: Int): Long = {
    // Left-padded with zeros; then neighbours are combined to 2, 4 and 8 digits.
    val digits = (word - Ones * '0') << (8 - count) * 8
    val two = (digits * 10 + (digits >>> 8)) & 0x00ff00ff00ff00ffL
    val four = (two * 100 + (two >>> 16)) & 0x0000ffff0000ffffL
    (four * 10000 + (four >>> 32)) & 0xffffffffL
  }
}
