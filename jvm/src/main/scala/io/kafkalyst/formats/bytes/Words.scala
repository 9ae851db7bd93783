package io.kafkalyst.formats
package bytes

import java.lang.{Long => JLong}
import java.nio.ByteOrder

import org.apache.spark.unsafe.Platform

/** Eight bytes at a time, the same on machines of either order. The caller looks to the bounds. */
private[formats] object Words {

  /** One in each byte: times a byte, that byte in each. */
  final val Ones = 0x0101010101010101L

  /** The highest bit of each byte. */
  final val Highs = 0x8080808080808080L

  /** The first byte is the lowest. */
  def little(bytes: Array[Byte], at: Int): Long = {
    val word = Platform.getLong(bytes, Platform.BYTE_ARRAY_OFFSET.toLong + at)
    if (ByteOrder.nativeOrder() eq ByteOrder.LITTLE_ENDIAN) word else JLong.reverseBytes(word)
  }

  /** The first byte is the highest. */
  def big(bytes: Array[Byte], at: Int): Long = JLong.reverseBytes(little(bytes, at))

  /** Without the highest bit of each byte; the groups of seven move together, two, then four, then eight at a time. */
  def sevens(word: Long): Long = {
    val two = (word & 0x007f007f007f007fL) | (word & 0x7f007f007f007f00L) >>> 1
    val four = (two & 0x00003fff00003fffL) | (two & 0x3fff00003fff0000L) >>> 2
    (four & 0x0fffffffL) | (four & 0x0fffffff00000000L) >>> 4
  }

  /** How many bytes, from the first on, are digits of ASCII. */
  def leadingDigits(word: Long): Int = {
    val digits = word ^ Ones * '0'
    // What is above 9 reaches the highest bit; what it carries on is behind it.
    JLong.numberOfTrailingZeros((digits | (digits + Ones * 0x76)) & Highs) >>> 3
  }

  /** The number that the first of the bytes are, 1 to 8 digits. */
  def decimal(word: Long, count: Int): Long = {
    // Zeros come before it; then neighbours become one, of 2, 4 and 8 digits.
    val digits = (word - Ones * '0') << (8 - count) * 8
    val two = (digits * 10 + (digits >>> 8)) & 0x00ff00ff00ff00ffL
    val four = (two * 100 + (two >>> 16)) & 0x0000ffff0000ffffL
    (four * 10000 + (four >>> 32)) & 0xffffffffL
  }
}
