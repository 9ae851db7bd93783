package io.kafkalyst.formats
package bytes

/**
 * A number as most are written: digits, perhaps behind a minus, perhaps with a point between two of them. Found in one
 * pass over its bytes, without a text in between. Not thread-safe.
 */
private[formats] final class PlainNumber {
  private var isNegative = false
  private var digits = 0L

  /** Whether it has so few digits that they are [[unscaled]], with [[scale]] of them behind the point. */
  var isShort = false
  var scale = 0
  def unscaled: Long = if (isNegative) -digits else digits

  /** Whether the bytes are such a number; the others tell which one. */
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

  /** Begins a number: its digits follow by [[take]], before the point and behind it, then [[finish]]. */
  def start(isNegative: Boolean): Unit = {
    this.isNegative = isNegative
    digits = 0
  }

  /** Takes the digits that are there, up to eight at a time; index behind them. */
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
    // Close to the end.
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

  /** @param count of all digits that were taken, of which `scale` were behind the point */
  def finish(count: Int, scale: Int): Unit = {
    this.scale = scale
    isShort = count <= 18
  }

  /** The number where it is short. */
  def double: Double = NearestQuotient.double(isNegative, digits, scale)

  /** The same, rounded once. */
  def float: Float = NearestQuotient.float(isNegative, digits, scale)
}

private[formats] object PlainNumber {

  /** In characters, of any number. */
  val longest = 1000

  private val powers = Array.tabulate(9)(i => math.pow(10, i).toLong)
}
