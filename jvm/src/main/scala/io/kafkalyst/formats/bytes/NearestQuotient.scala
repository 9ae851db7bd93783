package io.kafkalyst.formats
package bytes

import java.lang.{Double => JDouble, Float => JFloat, Long => JLong}
import java.math.BigInteger

/**
 * `digits` / 10^`fraction`, optionally negative, as the nearest DOUBLE or FLOAT (ties to even): with at most two
 * products with the reciprocal instead of a long division. There are at most 18 digits, and no more than that after the
 * point.
 *
 * Source: D. Lemire, Number Parsing at a Gigabyte per Second (2021), sections 5 to 8.
 */
private[formats] object NearestQuotient {
  private val most = 18

  // 1 / 5^i, normalised to 128 bits and rounded up: the upper and the lower half.
  private val reciprocals = Array.tabulate(most + 1) { i =>
    val power = BigInteger.valueOf(5).pow(i)
    val less = power.subtract(BigInteger.ONE)
    BigInteger.ONE.shiftLeft(less.bitLength + 127).add(less).divide(power)
  }
  private val highs = reciprocals.map(_.shiftRight(64).longValue)
  private val lows = reciprocals.map(_.longValue)

  def double(isNegative: Boolean, digits: Long, fraction: Int): Double = {
    val size = JDouble.longBitsToDouble(bits(digits, fraction, mantissa = 52, bias = 1023, ties = 4))
    if (isNegative) -size else size
  }

  def float(isNegative: Boolean, digits: Long, fraction: Int): Float = {
    val size = JFloat.intBitsToFloat(bits(digits, fraction, mantissa = 23, bias = 127, ties = 17).toInt)
    if (isNegative) -size else size
  }

  /**
   * @param mantissa stored bits of the mantissa
   * @param ties     with more digits after the point no number is exactly between two
   */
  private def bits(digits: Long, fraction: Int, mantissa: Int, bias: Int, ties: Int): Long = {
    if (digits == 0) return 0
    val zeros = JLong.numberOfLeadingZeros(digits)
    val n = digits << zeros
    var high = productHigh(n, highs(fraction))
    var low = n * highs(fraction)
    val unsure = -1L >>> (mantissa + 3)
    // The lower part could carry into the relevant bits.
    if ((high & unsure) == unsure) {
      val more = productHigh(n, lows(fraction))
      low += more
      if (JLong.compareUnsigned(low, more) < 0) high += 1
    }
    val top = (high >>> 63).toInt
    val shift = top + 61 - mantissa
    // One bit more than is stored, for rounding.
    var m = high >>> shift
    val isTie = fraction <= ties && JLong.compareUnsigned(low, 1) <= 0 && m << shift == high
    if (!isTie || (m & 3) != 1) m += m & 1
    // log2(10) is 217706 / 65536.
    val exponent = (-217706 * fraction >> 16) + 63 + top - zeros + bias
    // The highest bit is implicit; a carry into it increments the exponent.
    (exponent.toLong << mantissa) + (m >>> 1) - (1L << mantissa)
  }

  /** The upper half of a product of two unsigned numbers. */
  private def productHigh(a: Long, b: Long): Long = Math.multiplyHigh(a, b) + (a >> 63 & b) + (b >> 63 & a)
}
