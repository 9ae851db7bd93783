package io.kafkalyst.formats

import com.fasterxml.jackson.core.io.NumberInput

/**
 * A number as most are written: digits, perhaps behind a minus, perhaps with a point between two of them. Found in one
 * pass over its bytes, without a text in between. Not thread-safe.
 */
private[formats] final class PlainNumber {
  private val chars = new PlainNumber.Chars
  private var bytes: Array[Byte] = _
  private var at = 0
  private var length = 0
  private var digits = 0L
  private var fraction = 0

  /** Whether it has so few digits that [[unscaled]] is the number, with [[scale]] digits behind the point. */
  var isShort = false
  def unscaled: Long = digits
  def scale: Int = fraction

  /** Whether the bytes are such a number; the others tell which one. */
  def parse(bytes: Array[Byte], from: Int, length: Int): Boolean = {
    this.bytes = bytes
    this.at = from
    this.length = length
    val end = from + length
    val isNegative = length > 0 && bytes(from) == '-'
    val first = if (isNegative) from + 1 else from
    var n = 0L
    var point = -1
    var p = first
    var isPlain = length <= PlainNumber.longest
    while (isPlain && p < end) {
      val d = bytes(p) - '0'
      if (d >= 0 && d <= 9) n = n * 10 + d
      else if (bytes(p) == '.' && point < 0 && p > first && p + 1 < end) point = p
      else isPlain = false
      p += 1
    }
    fraction = if (point < 0) 0 else end - point - 1
    digits = if (isNegative) -n else n
    isShort = end - first - (if (point < 0) 0 else 1) <= 18
    isPlain && end > first
  }

  def double: Double =
    if (isShort && PlainNumber.isDouble(digits, fraction)) PlainNumber.double(digits, fraction)
    else NumberInput.parseDouble(chars.of(bytes, at, length), 0, length, true)

  def float: Float =
    if (isShort && PlainNumber.isFloat(digits, fraction)) PlainNumber.float(digits, fraction)
    else NumberInput.parseFloat(chars.of(bytes, at, length), 0, length, true)
}

private[formats] object PlainNumber {

  /** In characters, of any number. */
  val longest = 1000

  // Doubles hold every whole number up to there, and these powers of ten; and floats.
  private val mostDouble = 1L << 53
  private val doublePowers = Array.tabulate(23)(i => s"1e$i".toDouble)
  private val mostFloat = 1L << 24
  private val floatPowers = Array.tabulate(11)(i => s"1e$i".toFloat)

  /** Whether both parts of the quotient are exact, so that it is rounded once; zero may be a negative one. */
  def isDouble(digits: Long, fraction: Int): Boolean =
    fraction < doublePowers.length && digits <= mostDouble && digits >= -mostDouble && digits != 0

  def double(digits: Long, fraction: Int): Double = digits / doublePowers(fraction)

  /** The same for a FLOAT. */
  def isFloat(digits: Long, fraction: Int): Boolean =
    fraction < floatPowers.length && digits <= mostFloat && digits >= -mostFloat && digits != 0

  def float(digits: Long, fraction: Int): Float = digits / floatPowers(fraction)

  /** ASCII as characters, in one array for all. */
  final class Chars {
    private var chars = new Array[Char](32)

    def of(bytes: Array[Byte], from: Int, length: Int): Array[Char] = {
      if (length > chars.length) chars = new Array[Char](longest)
      var i = 0
      while (i < length) {
        chars(i) = bytes(from + i).toChar
        i += 1
      }
      chars
    }
  }
}
