package io.kafkalyst.functions

import java.math.{BigDecimal, MathContext, RoundingMode}

import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import scala.util.Random

class KsqlDecimalsSuite extends AnyFunSuite {
  private def inDialect[T](body: => T): T = {
    val conf = new SQLConf
    conf.setConfString("spark.kafkalyst.dialect", "ksqldb")
    SQLConf.withExistingConf(conf)(body)
  }

  private def decimal(text: String, precision: Int, scale: Int) =
    Literal(Decimal(new BigDecimal(text), precision, scale), DecimalType(precision, scale))

  private def value(e: Expression): BigDecimal = e.eval() match {
    case null => null
    case d: Decimal => d.toJavaBigDecimal
  }

  test("a literal has a digit before its point") {
    def typed(text: String) = {
      val given = Literal(Decimal(text))
      KsqlOperators.literal.lift(given).getOrElse(given)
    }
    inDialect {
      assert(Seq("0.5", "-0.05", "0.0", "1.5", "12").map(typed(_).dataType) ==
        Seq(DecimalType(2, 1), DecimalType(3, 2), DecimalType(2, 1), DecimalType(2, 1), DecimalType(2, 0)))
      assert(typed("-0.05").value == Decimal("-0.05"))
      assert(typed("0." + "1" * 38).dataType == DecimalType(38, 38))
    }
    assert(typed("0.5").dataType == DecimalType(1, 1))
  }

  test("a result of many digits is exact or null, and keeps its operands' places") {
    val random = new Random(1)
    val signs = Seq("+" -> KsqlOperators.plus, "-" -> KsqlOperators.minus, "*" -> KsqlOperators.times)
    var (found, missing) = (0, 0)
    inDialect {
      for (_ <- 1 to 3000; (sign, operator) <- signs) {
        def side() = {
          val scale = random.nextInt(39)
          val digits = BigInt(random.nextInt(125), random).mod(BigInt(10).pow(1 + random.nextInt(38)))
          val signed = if (random.nextBoolean()) digits else -digits
          decimal(new BigDecimal(signed.bigInteger, scale).toString, 38, scale)
        }
        val (x, y) = (side(), side())
        val built = operator.build(Seq(x, y))
        val (a, b) = (value(x), value(y))
        val exact = sign match {
          case "+" => a.add(b)
          case "-" => a.subtract(b)
          case "*" => a.multiply(b)
        }
        value(built) match {
          case null =>
            missing += 1
            val t = built.dataType.asInstanceOf[DecimalType]
            val whole = exact.precision - exact.scale
            val fits = exact.stripTrailingZeros.scale <= t.scale && whole <= t.precision - t.scale
            assert(!fits, s"$a $sign $b as $t")
          case result =>
            found += 1
            assert(result.compareTo(exact) == 0, s"$a $sign $b")
        }
      }
    }
    assert(found > 500 && missing > 500)
  }

  test("results have ksqlDB's types where those have at most 38 digits") {
    def t(sign: KsqlFunction, l: Literal, r: Literal) = sign.build(Seq(l, r)).dataType
    val (ledger, small) = (decimal("1", 38, 18), decimal("1.00", 5, 2))
    inDialect {
      assert(t(KsqlOperators.plus, small, Literal(1)) == DecimalType(13, 2))
      assert(t(KsqlOperators.times, small, Literal(1L)) == DecimalType(25, 2))
      assert(t(KsqlOperators.divide, small, Literal(4)) == DecimalType(16, 13))
      Seq(KsqlOperators.plus, KsqlOperators.minus, KsqlOperators.times, KsqlOperators.divide).foreach { sign =>
        assert(t(sign, ledger, ledger) == DecimalType(38, 18))
      }
      assert(value(KsqlOperators.divide.build(Seq(ledger, decimal("3", 38, 18)))) == null)
    }
  }

  test("a DECIMAL and a DOUBLE are compared exactly") {
    val random = new Random(2)
    inDialect {
      for (_ <- 1 to 2000) {
        val d = (random.nextLong() >> random.nextInt(64)).toDouble / (1L << random.nextInt(20))
        val step = BigDecimal.valueOf(random.nextInt(3) - 1L, 10)
        val near = BigDecimal.valueOf(d).setScale(10, RoundingMode.HALF_UP).add(step)
        val order = near.compareTo(BigDecimal.valueOf(d))
        val sides = Seq(decimal(near.toString, 38, 10), Literal(d))
        assert(KsqlOperators.equal.build(sides).eval() == (order == 0))
        assert(KsqlOperators.notEqual.build(sides).eval() == (order != 0))
        assert(KsqlOperators.ordering("<").build(sides).eval() == (order < 0))
        assert(KsqlOperators.ordering(">=").build(sides.reverse).eval() == (order <= 0))
      }
      val one = decimal("1", 5, 2)
      assert(KsqlOperators.equal.build(Seq(one, Literal(Double.NaN))).eval() == null)
      val none = Seq(DecimalType(5, 2), DoubleType).map(Literal.create(null, _))
      assert(KsqlOperators.equal.build(Seq(one, none(1))).eval() == false)
      assert(KsqlOperators.same.build(Seq(one, none(1))).eval() == false)
      assert(KsqlOperators.same.build(none).eval() == true)
      assert(KsqlOperators.same.build(Seq(one, Literal(1.0))).eval() == true)
    }
  }

  test("a DOUBLE is cast by its exact value, rounded to the digits first") {
    val random = new Random(3)
    inDialect {
      for (_ <- 1 to 2000) {
        val d = random.nextInt(100000) / 1000.0
        val t = DecimalType(2 + random.nextInt(20), 2)
        val rounded = new BigDecimal(d, new MathContext(t.precision)).setScale(2, RoundingMode.HALF_UP)
        val fits = rounded.precision <= t.precision
        assert(value(KsqlCasts(t).build(Seq(Literal(d)))) == (if (fits) rounded else null), s"$d as $t")
      }
    }
  }
}
