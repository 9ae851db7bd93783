package io.kafkalyst.formats

import io.kafkalyst.formats.bytes.NearestQuotient

import java.math.BigDecimal

import org.scalatest.funsuite.AnyFunSuite

import scala.util.Random

/** Quotients by powers of ten as Java's own parsers round them. */
class NearestQuotientSuite extends AnyFunSuite {
  private def check(isNegative: Boolean, digits: Long, fraction: Int): Unit = {
    val text = (if (isNegative) "-" else "") + BigDecimal.valueOf(digits, fraction).toPlainString
    val asDouble = NearestQuotient.double(isNegative, digits, fraction)
    assert(java.lang.Double.compare(asDouble, java.lang.Double.parseDouble(text)) == 0, text)
    val asFloat = NearestQuotient.float(isNegative, digits, fraction)
    assert(java.lang.Float.compare(asFloat, java.lang.Float.parseFloat(text)) == 0, text)
  }

  test("digits of every length, with the point at every place") {
    val r = new Random(51)
    for (length <- 1 to 18; fraction <- 0 to 18; _ <- 0 until 500) {
      val most = math.pow(10, length).toLong
      check(r.nextBoolean(), math.floorMod(r.nextLong(), most), fraction)
      check(r.nextBoolean(), most - 1 - r.nextInt(3), fraction)
    }
  }

  test("just between two, and next to it") {
    val r = new Random(52)
    for (_ <- 0 until 20000; halves <- 1 to 17) {
      // An odd number of halves, quarters and so on, of one bit more than fits.
      for (bits <- Seq(25, 54)) {
        val odd = r.nextLong() >>> (64 - bits) | 1L << (bits - 1) | 1L
        val digits = BigDecimal.valueOf(odd).multiply(BigDecimal.valueOf(5).pow(halves))
        if (digits.precision <= 18) {
          (-1 to 1).foreach(by => check(r.nextBoolean(), digits.longValueExact + by, halves))
        }
        if (bits == 54) (-1 to 1).foreach(by => check(r.nextBoolean(), odd + by, 0))
      }
    }
  }

  test("powers of two and of ten, and zero with its sign") {
    for (fraction <- 0 to 18; isNegative <- Seq(false, true)) {
      check(isNegative, 0, fraction)
      for (by <- -1 to 1) {
        (1 to 59).foreach(i => check(isNegative, (1L << i) + by, fraction))
        (0 to 17).foreach(i => check(isNegative, math.pow(10, i).toLong + by, fraction))
      }
    }
  }
}
