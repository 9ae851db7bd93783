package io.kafkalyst.formats

import io.kafkalyst.formats.bytes.PlainNumber

import java.math.BigDecimal
import java.nio.charset.StandardCharsets.ISO_8859_1

import org.scalatest.funsuite.AnyFunSuite

import scala.util.Random

/** Digits taken eight at a time: what is a number, and which one, whatever stands before and behind it. */
class PlainNumberSuite extends AnyFunSuite {
  private val number = new PlainNumber
  private val plain = "-?[0-9]+(\\.[0-9]+)?".r

  private def check(text: String, before: String, behind: String): Unit = {
    val bytes = (before + text + behind).getBytes(ISO_8859_1)
    val isPlain = number.parse(bytes, before.length, text.length)
    assert(isPlain == plain.matches(text), text)
    if (isPlain) {
      val value = new BigDecimal(text)
      assert(number.isShort == (text.count(_.isDigit) <= 18), text)
      if (number.isShort) {
        assert(number.scale == value.scale && BigDecimal.valueOf(number.unscaled, number.scale) == value, text)
        assert(java.lang.Double.compare(number.double, text.toDouble) == 0, text)
        assert(java.lang.Float.compare(number.float, text.toFloat) == 0, text)
      }
    }
  }

  test("random numbers and what is almost one") {
    val r = new Random(61)
    def digits(most: Int) = Seq.fill(r.nextInt(most))(('0' + r.nextInt(10)).toChar).mkString
    for (_ <- 0 until 200000) {
      val sign = if (r.nextInt(4) == 0) "-" else ""
      val whole = digits(if (r.nextInt(20) == 0) 40 else 12)
      val fraction = if (r.nextBoolean()) "." + digits(12) else ""
      val text = sign + whole + fraction
      val at = r.nextInt(text.length + 1)
      val other = r.nextInt(256).toChar.toString
      check(text, digits(9), digits(20))
      check(text.patch(at, other, r.nextInt(2)), digits(9), digits(20))
    }
  }

  test("every byte is a digit or none") {
    for (byte <- 0 until 256; at <- 0 until 9) check("123456789".updated(at, byte.toChar), "7", "8888888888")
  }
}
