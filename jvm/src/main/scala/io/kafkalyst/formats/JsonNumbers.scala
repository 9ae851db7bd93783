package io.kafkalyst.formats

import com.fasterxml.jackson.core.io.NumberInput

/**
 * The numbers of a JSON text. The pass that checks one also finds what it is, where it has few digits.
 *
 * Errors: [[BadBytes]], with where and what was expected.
 */
private[formats] abstract class JsonNumbers extends BoundedReader {

  /** Where the value begins that is read, or was passed last. */
  protected[this] var valueAt = 0

  // The number that was passed last: its digits as a number where there are few, and how many of them are a fraction.
  private var digits = 0L
  private var fraction = 0
  private var isWhole = false
  private var isShort = false
  private val chars = new PlainNumber.Chars

  /** The first byte of the value: a brace, bracket or quote, a digit or minus, or a letter of true, false and null. */
  def head: Byte = bytes(position)

  def isNumber: Boolean = {
    val b = head
    b == '-' || (b >= '0' && b <= '9')
  }

  /** Passes over a number; the next calls tell what it is. */
  def skipNumber(): Unit = {
    var p = position
    val isNegative = bytes(p) == '-'
    if (isNegative) p += 1
    val from = p
    var n = 0L
    var d = digit(p)
    if (d < 0) unexpected(if (isNegative) "a digit" else "a value", p)
    while (d >= 0) {
      n = n * 10 + d
      p += 1
      d = digit(p)
    }
    if (bytes(from) == '0' && p > from + 1) unexpected("no digit behind a leading 0", from + 1)
    isWhole = true
    fraction = 0
    var count = p - from
    if (p < limit && bytes(p) == '.') {
      isWhole = false
      p += 1
      val point = p
      d = digit(p)
      if (d < 0) unexpected("a digit", p)
      while (d >= 0) {
        n = n * 10 + d
        p += 1
        d = digit(p)
      }
      fraction = p - point
      count += fraction
    }
    val isExponential = p < limit && (bytes(p) | 0x20) == 'e'
    if (isExponential) {
      isWhole = false
      p += 1
      if (p < limit && (bytes(p) == '+' || bytes(p) == '-')) p += 1
      if (digit(p) < 0) unexpected("a digit", p)
      while (digit(p) >= 0) p += 1
    }
    if (p - position > PlainNumber.longest) bad(s"a number of ${p - position} characters")
    isShort = count <= 18 && !isExponential
    digits = if (isNegative) -n else n
    position = p
  }

  /** Whether the last number is without a point and an exponent. */
  def isWholeNumber: Boolean = isWhole

  /** Whether the last number is [[unscaled]] with [[scale]] digits behind the point. */
  def isShortNumber: Boolean = isShort
  def unscaled: Long = digits
  def scale: Int = fraction

  /** The last number; infinite where it is too big. */
  def double: Double =
    if (isShort && PlainNumber.isDouble(digits, fraction)) PlainNumber.double(digits, fraction)
    else NumberInput.parseDouble(numberChars(), 0, position - valueAt, true)

  /** The last number, rounded once. */
  def float: Float =
    if (isShort && PlainNumber.isFloat(digits, fraction)) PlainNumber.float(digits, fraction)
    else NumberInput.parseFloat(numberChars(), 0, position - valueAt, true)

  private def digit(p: Int): Int = {
    val d = if (p < limit) bytes(p) - '0' else -1
    if (d <= 9) d else -1
  }

  private def numberChars() = chars.of(bytes, valueAt, position - valueAt)

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
