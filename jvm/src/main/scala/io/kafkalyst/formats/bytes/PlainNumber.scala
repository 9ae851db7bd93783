package io.kafkalyst.formats
package bytes

/**
 * A number in its common form: digits with an optional minus and an optional point between two of them. Parsed in one
 * pass over its bytes, without an intermediate string. Not thread-safe.
 */
private[formats] final class PlainNumber {
  private var isNegative = false
  private var digits = 0L

  /** Whether its few digits fit [[unscaled]], with [[scale]] of them after the point. */
  var isShort = false
  var scale = 0
  def unscaled: Long = if (isNegative) -digits else digits

  /** Whether the bytes are such a number; its value is then in the other members. */
  def parse(bytes: Array[Byte], from: Int, length: Int): Boolean = {
    val end = from + length
    start(length > 0 && bytes(from) == '-')
    val first = if (isNegative) from + 1 else from
    val point = if (length <= PlainNumber.longest) take(bytes, first, end) else first
    val hasPoint = point > first && point + 1 < end && bytes(point) == '.'
    val last = if (hasPoint) take(bytes, point + 1, end) else point
    if (hasPoint) finish(last - first - 1, last - point - 1) else finish(last - first, 0)
    last == end && last > first
  }

  /** Starts a number: call [[take]] for the digits before and after the point, then [[finish]]. */
  def start(isNegative: Boolean): Unit = {
    this.isNegative = isNegative
    digits = 0
  }

  /** Reads the digits at this index, up to eight at a time; returns the index after them. */
  def take(bytes: Array[Byte], from: Int, until: Int): Int = {
    var n = digits
    var p = from
    var taken = 8
    while (taken == 8 && p + 8 <= until) {
      val word = Words.little(bytes, p)
      taken = Words.leadingDigits(word)
      if (taken > 0) n = n * PlainNumber.powers(taken) + Words.decimal(word, taken)
      p += taken
    }
    // Near the end.
    while (taken == 8 && p < until) {
      val digit = bytes(p) - '0'
      if (digit < 0 || digit > 9) taken = 0
      else {
        n = n * 10 + digit
        p += 1
      }
    }
    digits = n
    p
  }

  /** @param count number of digits read, of which `scale` were after the point */
  def finish(count: Int, scale: Int): Unit = {
    this.scale = scale
    isShort = count <= 18
  }

  /** The number, if it is short. */
  def double: Double = NearestQuotient.double(isNegative, digits, scale)

  /** The number as FLOAT, rounded once. */
  def float: Float = NearestQuotient.float(isNegative, digits, scale)
}

private[formats] object PlainNumber {

  /** Maximum length of any number, in characters. */
  val longest = 1000

  private val powers = Array.tabulate(9)(i => math.pow(10, i).toLong)
}
