package io.kafkalyst.functions

import java.util.Locale
import java.math.{BigDecimal, MathContext, RoundingMode}

import io.kafkalyst.formats.FormatRules.exactDecimal
import io.kafkalyst.functions.KsqlFunction.{computed, expression, nameIn, sql, wrong}
import io.kafkalyst.model.settings.Settings
import org.apache.spark.sql.catalyst.expressions.{
  And,
  CaseWhen,
  Cast,
  EqualTo,
  Expression,
  GreaterThan,
  GreaterThanOrEqual,
  IsNull,
  LessThan,
  LessThanOrEqual,
  Literal,
  Not
}
import org.apache.spark.sql.types._

/** ksqlDB's numeric functions. */
private[functions] object KsqlNumbers {

  /** CEIL or FLOOR: the result has the argument's type. */
  private def whole(name: String, what: String) =
    computed(s"$name(x) - The nearest whole number $what x, or x itself if it is one; of x's type.") {
      case Seq(x) if x.dataType == IntegerType || x.dataType == LongType => x
      case Seq(x) if x.dataType == NullType => Cast(x, DoubleType)
      case Seq(x) => expression(s"cast(${name.toLowerCase(Locale.ROOT)}(_1) AS ${x.dataType.sql})", x)
      case args => throw wrong(s"$name(x)", args)
    }

  /**
   * Rounds to the number of places. A row may choose any number, so zeros are not computed. The mode is to the nearest,
   * or down.
   */
  def cut(x: BigDecimal, places: Int, mode: RoundingMode): BigDecimal =
    if (x.scale <= places) x
    else if (x.precision.toLong - x.scale + places < 0) BigDecimal.ZERO
    else x.setScale(places, mode)

  /** Rounds halves up: towards positive infinity. */
  private def halfUp(x: BigDecimal): RoundingMode = if (x.signum < 0) RoundingMode.HALF_DOWN else RoundingMode.HALF_UP

  /** Without a number of places the result is a whole number, BIGINT for a DOUBLE. */
  private def rounded(usage: String, mode: BigDecimal => RoundingMode): KsqlFunction = computed(usage) { args =>
    def call(result: DataType, from: DataType)(body: (BigDecimal, Int) => Any): Expression =
      Computed(
        nameIn(usage),
        args,
        result,
        Seq(from, IntegerType).take(args.size),
        nulls = false
      ) {
        values =>
          val x = values(0) match {
            case d: Decimal => d.toJavaBigDecimal
            case d: Double => new BigDecimal(d.toString)
          }
          body(x, KsqlStrings.int(values, 1, 0))
      }
    def at(x: BigDecimal, places: Int) = cut(x, places, mode(x))
    def bigint(x: BigDecimal) =
      x.max(BigDecimal.valueOf(Long.MinValue)).min(BigDecimal.valueOf(Long.MaxValue)).longValue
    (args.headOption.map(_.dataType), args.size) match {
      case (Some(IntegerType | LongType), 1) => Cast(args.head, LongType)
      case (Some(d: DecimalType), 1) =>
        val result = DecimalType(math.max(1, d.precision - d.scale), 0)
        call(result, d)((x, _) => Decimal(at(x, 0), result.precision, 0))
      case (Some(d: DecimalType), 2) =>
        call(d, d)((x, n) => Decimal(at(x, n).setScale(d.scale, RoundingMode.HALF_UP), d.precision, d.scale))
      case (Some(_), 1) =>
        Computed(nameIn(usage), args, LongType, Seq(DoubleType), nulls = false)(_.head match {
          case x: Double if x.isFinite => bigint(at(new BigDecimal(x.toString), 0))
          // As Java: 0 for NaN, the largest or smallest BIGINT for an infinity.
          case x: Double => x.toLong
        })
      case (Some(_), 2) => call(DoubleType, DoubleType)((x, n) => at(x, n).doubleValue)
      case _ => throw wrong(usage, args)
    }
  }

  /**
   * `+`, `-`, `*` or `/` of DECIMALs. In ksqlDB's dialect a result that the type's digits cannot hold is null, not
   * rounded.
   */
  def ofDecimals(sign: String, sides: Seq[Expression]): Expression = sides.map(_.dataType) match {
    case Seq(l: DecimalType, r: DecimalType) if Settings.current.isKsqldb && sign != "%" =>
      val (digits, places) = sizeOf(sign, l, r)
      // Spark's own result is exact if it has all digits, except for a quotient.
      if (digits <= DecimalType.MAX_PRECISION && sign != "/") expression(s"_1 $sign _2", sides: _*)
      else {
        val result = bounded(digits, places, l, r)
        Computed(sign, sides, result, Nil, nulls = false) { values =>
          val (x, y) = (exact(values(0)), exact(values(1)))
          val value = sign match {
            case "+" => x.add(y)
            case "-" => x.subtract(y)
            case "*" => x.multiply(y)
            case _ => x.divide(y, new MathContext(result.precision, RoundingMode.UNNECESSARY))
          }
          exactDecimal(value, result)
        }
      }
    case _ => expression(s"_1 $sign _2", sides: _*)
  }

  /** The digits of ksqlDB's result, and how many are behind the point. */
  private def sizeOf(sign: String, l: DecimalType, r: DecimalType): (Int, Int) = sign match {
    case "*" => (l.precision + r.precision + 1, l.scale + r.scale)
    case "/" =>
      val places = math.max(6, l.scale + r.precision + 1)
      (l.precision - l.scale + r.scale + places, places)
    case _ =>
      val places = math.max(l.scale, r.scale)
      (math.max(l.precision - l.scale, r.precision - r.scale) + places + 1, places)
  }

  /** ksqlDB's digits are not limited, Spark's are: as many are behind the point as the operands have, or as fit. */
  private def bounded(digits: Int, places: Int, l: DecimalType, r: DecimalType): DecimalType = {
    val most = DecimalType.MAX_PRECISION
    if (digits <= most) DecimalType(digits, places)
    else DecimalType(most, Seq(most - (digits - places), l.scale, r.scale, 6).max.min(places))
  }

  /**
   * A comparison of a DECIMAL with a number for which Spark's common type has not all digits; in ksqlDB's dialect it is
   * exact, and null for a DOUBLE that is no number.
   */
  def compared(sign: String, sides: Seq[Expression]): Option[Expression] = {
    val types = sides.map(_.dataType)
    val sizes = types.map {
      case d: DecimalType => d
      case _ => DecimalType(20, 0)
    }
    def isDouble(t: DataType) = t == DoubleType || t == FloatType
    def isWide = sizes.map(t => t.precision - t.scale).max + sizes.map(_.scale).max > DecimalType.MAX_PRECISION
    if (!Settings.current.isKsqldb || !types.exists(_.isInstanceOf[DecimalType])) None
    else if (!types.exists(isDouble) && !isWide) None
    else withLiteral(sign, sides).orElse(Some(Computed(s"compare $sign", sides, BooleanType, Nil, nulls = true) {
      values =>
        def order = exact(values(0)).compareTo(exact(values(1)))
        if (values.contains(null)) sign == "<=>" && values.forall(_ == null)
        else sign match {
          case "=" | "<=>" => order == 0
          case "<>" => order != 0
          case "<" => order < 0
          case "<=" => order <= 0
          case ">" => order > 0
          case ">=" => order >= 0
        }
    }))
  }

  /**
   * A DOUBLE compared with a DECIMAL literal, exactly, as an expression for which Spark generates code. The texts of
   * DOUBLEs are in the order of the DOUBLEs, and the literal rounds to one of them: only for that one it matters on
   * which side of it the literal is.
   */
  private def withLiteral(sign: String, sides: Seq[Expression]): Option[Expression] = sides match {
    case Seq(x, literal @ Literal(value: Decimal, _)) if x.dataType == DoubleType && sign != "<=>" =>
      val nearest = value.toDouble
      if (nearest.isInfinite) None
      else {
        val (n, order) = (Literal(nearest), exact(nearest).compareTo(value.toJavaBigDecimal))
        val holds: Expression = sign match {
          case "=" => if (order == 0) EqualTo(x, n) else Literal.FalseLiteral
          case "<>" => if (order == 0) Not(EqualTo(x, n)) else Literal.TrueLiteral
          case "<" => if (order < 0) LessThanOrEqual(x, n) else LessThan(x, n)
          case "<=" => if (order <= 0) LessThanOrEqual(x, n) else LessThan(x, n)
          case ">" => if (order > 0) GreaterThanOrEqual(x, n) else GreaterThan(x, n)
          case _ => if (order >= 0) GreaterThanOrEqual(x, n) else GreaterThan(x, n)
        }
        val isNumber =
          And(GreaterThan(x, Literal(Double.NegativeInfinity)), LessThan(x, Literal(Double.PositiveInfinity)))
        Some(CaseWhen(Seq(IsNull(x) -> Literal.FalseLiteral, isNumber -> holds), None))
      }
    case Seq(literal @ Literal(_: Decimal, _), x) if x.dataType == DoubleType =>
      withLiteral(mirrored.getOrElse(sign, sign), Seq(x, literal))
    case _ => None
  }

  private val mirrored = Map("<" -> ">", "<=" -> ">=", ">" -> "<", ">=" -> "<=")

  private def exact(number: Any): BigDecimal = number match {
    case d: Decimal => d.toJavaBigDecimal
    case d: Double => BigDecimal.valueOf(d)
    case f: Float => new BigDecimal(f.toString)
    case n: Number => BigDecimal.valueOf(n.longValue)
  }

  /** Java's function on DOUBLE: Spark's logarithms are null at 0 and below, and its powers differ in the last digit. */
  private def java(usage: String, counts: Int*)(of: Seq[Double] => Double) =
    Computed.uniform(usage, counts, DoubleType, DoubleType)(values => of(values.toSeq.map(_.asInstanceOf[Double])))

  private val kilometres = 6371.0
  private val miles = 3959.0
  private val radii = Seq(
    Set("km", "kilometer", "kilometers", "kilometre", "kilometres") -> kilometres,
    Set("mi", "mile", "miles") -> miles
  )

  private val geoDistance = computed(
    "GEO_DISTANCE(lat1, lon1, lat2, lon2[, 'KM'|'MI']) - The great-circle distance between two points given in degrees, in kilometres unless the unit says miles, DOUBLE."
  ) { args =>
    if (args.size < 4 || args.size > 5) throw wrong("GEO_DISTANCE(lat1, lon1, lat2, lon2[, unit])", args)
    val types = (Seq.fill(4)(DoubleType) :+ StringType).take(args.size)
    Computed("geo_distance", args, DoubleType, types, nulls = true) { values =>
      if (values.take(4).contains(null)) null else distance(values)
    }
  }

  /** In ksqlDB's order of operations, which decides the last digits. */
  private def distance(values: Array[Any]): Double = {
    val degrees = values.toSeq.take(4).map(_.asInstanceOf[Double])
    if (degrees.zipWithIndex.exists { case (d, i) => math.abs(d) > (if (i % 2 == 0) 90 else 180) })
      throw new IllegalArgumentException("no place")
    val Seq(lat1, lon1, lat2, lon2) = degrees
    val unit = Option(values.lift(4).orNull).map(_.toString.trim.toLowerCase(Locale.ROOT)).filter(_.nonEmpty)
    val radius = radii.collectFirst { case (names, radius) if names(unit.getOrElse("km")) => radius }.get
    def haversine(degrees: Double) = math.pow(math.sin(math.toRadians(degrees) / 2), 2)
    val a = haversine(lat2 - lat1) +
      haversine(lon2 - lon1) * math.cos(math.toRadians(lat1)) * math.cos(math.toRadians(lat2))
    2 * math.asin(math.sqrt(a)) * radius
  }

  val all: Seq[KsqlFunction] = Seq(
    whole("CEIL", "above"),
    whole("FLOOR", "below"),
    geoDistance,
    java("EXP(x) - e raised to the power x, DOUBLE.", 1)(x => math.exp(x.head)),
    java("LN(x) - The natural logarithm; -Infinity for 0, NaN for negative numbers.", 1)(x => math.log(x.head)),
    java(
      "LOG([base, ]x) - The logarithm, natural by default; -Infinity for 0, NaN for negative numbers and invalid bases.",
      1,
      2
    ) {
      case Seq(base, _) if base <= 0 || base == 1 => Double.NaN
      case Seq(base, x) => math.log(x) / math.log(base)
      case x => math.log(x.head)
    },
    java("POWER(x, y) - x raised to the power y, DOUBLE.", 2)(x => math.pow(x.head, x(1))),
    rounded(
      "ROUND(x[, places]) - x rounded, halves towards positive infinity; an INT or DOUBLE without places becomes a BIGINT.",
      halfUp
    ),
    sql("SIGN(x) - -1, 0 or 1, INT.")("cast(sign(_1) AS INT)"),
    rounded(
      "TRUNC(x[, places]) - x truncated towards zero; an INT or DOUBLE without places becomes a BIGINT.",
      _ => RoundingMode.DOWN
    )
  )
}
