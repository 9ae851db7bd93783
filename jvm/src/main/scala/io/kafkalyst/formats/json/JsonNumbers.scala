package io.kafkalyst.formats
package json

import io.kafkalyst.formats.bytes.{BoundedReader, PlainNumber}

import com.fasterxml.jackson.core.io.NumberInput

/**
 * The numbers of a JSON text. The validation pass also yields the value if the number has few digits.
 *
 * Errors: [[BadBytes]], with the position and what was expected.
 */
private[formats] abstract class JsonNumbers extends BoundedReader {

  /** Start of the value being read, or of the last skipped one. */
  protected[this] var valueAt = 0

  // The last skipped number.
  private val number = new PlainNumber
  private var isWhole = false
  private var chars = new Array[Char](32)

  /** The first byte of the value: a brace, bracket or quote, a digit or minus, or a letter of true, false and null. */
  def head: Byte = bytes(position)

  def isNumber: Boolean = head == '-' || isDigit(position)

  /** Skips a number; the next calls return its value. */
  def skipNumber(): Unit = {
    val isNegative = bytes(position) == '-'
    val first = if (isNegative) position + 1 else position
    number.start(isNegative)
    var p = number.take(bytes, first, limit)
    if (p == first) unexpected(if (isNegative) "a digit" else "a value", p)
    if (bytes(first) == '0' && p > first + 1) unexpected("no digit behind a leading 0", first + 1)
    var count = p - first
    var scale = 0
    isWhole = true
    if (p < limit && bytes(p) == '.') {
      isWhole = false
      val point = p + 1
      p = number.take(bytes, point, limit)
      if (p == point) unexpected("a digit", p)
      scale = p - point
      count += scale
    }
    if (p < limit && (bytes(p) | 0x20) == 'e') {
      isWhole = false
      // Digits alone are not the value of a number with an exponent.
      count = Int.MaxValue
      p = endOfExponent(p + 1)
    }
    if (p - position > PlainNumber.longest) bad(s"a number of ${p - position} characters")
    number.finish(count, scale)
    position = p
  }

  private def endOfExponent(from: Int): Int = {
    var p = if (from < limit && (bytes(from) == '+' || bytes(from) == '-')) from + 1 else from
    if (!isDigit(p)) unexpected("a digit", p)
    while (isDigit(p)) p += 1
    p
  }

  /** Whether the last number has neither a point nor an exponent. */
  def isWholeNumber: Boolean = isWhole

  /** Whether the last number is [[unscaled]] with [[scale]] digits after the point. */
  def isShortNumber: Boolean = number.isShort
  def unscaled: Long = number.unscaled
  def scale: Int = number.scale

  /** The last number; infinite on overflow. */
  def double: Double =
    if (number.isShort) number.double else NumberInput.parseDouble(numberChars(), 0, position - valueAt, true)

  /** The last number, rounded once. */
  def float: Float =
    if (number.isShort) number.float else NumberInput.parseFloat(numberChars(), 0, position - valueAt, true)

  private def isDigit(p: Int): Boolean = p < limit && bytes(p) >= '0' && bytes(p) <= '9'

  private def numberChars(): Array[Char] = {
    val length = position - valueAt
    if (length > chars.length) chars = new Array[Char](PlainNumber.longest)
    var i = 0
    while (i < length) {
      chars(i) = bytes(valueAt + i).toChar
      i += 1
    }
    chars
  }

  protected[this] override def truncated(what: String): Nothing =
    throw new BadBytes(s"no valid JSON: the bytes end at byte ${limit - start} in the middle of $what")

  protected[this] def unexpected(expected: String, at: Int = position): Nothing = {
    if (at >= limit) truncated("a value")
    position = at
    val b = bytes(at)
    val found = if (b > ' ' && b < 127) s"'${b.toChar}'" else f"byte 0x${b & 0xff}%02x"
    bad(s"no valid JSON: $expected expected, $found found")
  }
}
