package io.kafkalyst.functions
package flink

import java.time.temporal.ChronoUnit
import java.util.Locale
import java.math.{BigDecimal => JavaDecimal, RoundingMode}

import io.kafkalyst.functions.KsqlFunction.{computed, expression, nameIn, sql, wrong}
import io.kafkalyst.functions.KsqlStrings.utf
import io.kafkalyst.model.TimeOfDay
import org.apache.spark.sql.catalyst.analysis.UnresolvedFunction
import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, Literal, ParseToTimestamp, TruncTimestamp}
import org.apache.spark.sql.types._

/** Flink's functions that Spark lacks. A failure within one row gives null. */
object FlinkFunctions {
  private val splitIndex = computed(
    "SPLIT_INDEX(text, delimiter, index) - The part at an index, counted from 0; null where there is none. The delimiter is a text or a character's code."
  ) { args =>
    val usage = "SPLIT_INDEX(text, delimiter, index)"
    if (args.size != 3) throw wrong(usage, args)
    val isCode = Seq(ByteType, ShortType, IntegerType).contains(args(1).dataType)
    val types = Seq(StringType, if (isCode) IntegerType else StringType, IntegerType)
    Computed("split_index", args, StringType, types, nulls = false) { a =>
      val delimiter = if (isCode) Character.toString(a(1).asInstanceOf[Int]) else a(1).toString
      val text = a(0).toString
      val parts = if (text.isEmpty) Array.empty[String] else text.split(java.util.regex.Pattern.quote(delimiter), -1)
      parts.lift(a(2).asInstanceOf[Int]).map(utf).orNull
    }
  }

  private val truncate = computed(
    "TRUNCATE(number[, digits]) - Cut, not rounded, to the digits behind the point, 0 by default; the type stays."
  ) { args =>
    val usage = "TRUNCATE(number[, digits])"
    if (args.isEmpty || args.size > 2 || !args.head.dataType.isInstanceOf[NumericType]) throw wrong(usage, args)
    val number = args.head.dataType
    Computed("truncate", args, number, Seq(number, IntegerType).take(args.size), nulls = false) { a =>
      val digits = if (a.length > 1) a(1).asInstanceOf[Int] else 0
      def cut(value: JavaDecimal) = KsqlNumbers.cut(value, digits, RoundingMode.DOWN)
      (a(0), number) match {
        case (d: Decimal, t: DecimalType) => Decimal(cut(d.toJavaBigDecimal), t.precision, t.scale)
        case (d: Double, _) => if (d.isNaN || d.isInfinite) d else cut(new JavaDecimal(d.toString)).doubleValue
        case (f: Float, _) => if (f.isNaN || f.isInfinite) f else cut(new JavaDecimal(f.toString)).floatValue
        case (n: Long, _) => cut(JavaDecimal.valueOf(n)).longValue
        case (n: Int, _) => cut(JavaDecimal.valueOf(n.toLong)).intValue
        case (n: Short, _) => cut(JavaDecimal.valueOf(n.toLong)).shortValue
        case (n: Byte, _) => cut(JavaDecimal.valueOf(n.toLong)).byteValue
      }
    }
  }

  private val ofDays = Map(
    "HOUR" -> ChronoUnit.HOURS,
    "MINUTE" -> ChronoUnit.MINUTES,
    "SECOND" -> ChronoUnit.SECONDS,
    "MILLISECOND" -> ChronoUnit.MILLIS
  )

  /** Rounds a TIME down or up to a unit; rounding up wraps around at midnight. */
  private def ofDay(time: Expression, unit: String, isUp: Boolean) = {
    val length = ofDays(unit).getDuration.toNanos
    Computed(s"time_to_$unit$isUp", Seq(time), time.dataType, Nil, nulls = false) { a =>
      val nanos = a(0).asInstanceOf[Long]
      val filled = if (isUp) nanos + length - 1 else nanos
      filled / length * length % java.time.Duration.ofDays(1).toNanos
    }
  }

  private val units = Map(
    "MILLENNIUM" -> "INTERVAL '1000' YEAR",
    "CENTURY" -> "INTERVAL '100' YEAR",
    "DECADE" -> "INTERVAL '10' YEAR",
    "QUARTER" -> "INTERVAL '3' MONTH",
    "WEEK" -> "INTERVAL '7' DAY",
    "MILLISECOND" -> "INTERVAL '0.001' SECOND"
  ).withDefault(unit => s"INTERVAL '1' $unit")

  /** A unit's beginning: weeks begin on Sunday, centuries with the year 1. */
  private def began(unit: String) = {
    def years(number: Int, first: Int) =
      s"date_trunc('YEAR', _1) - make_ym_interval(pmod(year(_1) - $first, $number))"
    unit match {
      case "MILLENNIUM" => years(1000, 1)
      case "CENTURY" => years(100, 1)
      case "DECADE" => years(10, 0)
      case "WEEK" => "date_trunc('WEEK', _1 + INTERVAL '1' DAY) - INTERVAL '1' DAY"
      case _ => s"date_trunc('$unit', _1)"
    }
  }

  /** @param result SQL text of the result, over the time, the time rounded down, and the unit's length */
  private def rounded(usage: String, isUp: Boolean)(result: String => String) = computed(usage) { args =>
    if (args.size != 2 || !args(1).foldable || args(1).dataType != StringType) throw wrong(usage, args)
    val unit = args(1).eval().toString.toUpperCase(Locale.ROOT)
    val dataType = args.head.dataType
    if (TimeOfDay.is(dataType) && !ofDays.contains(unit)) throw wrong(usage, args)
    else if (TimeOfDay.is(dataType)) ofDay(args.head, unit, isUp)
    else
      expression(
        s"cast(${result(units(unit))} AS ${dataType.sql})",
        args.head,
        if (dataType == TimestampType) expression(began(unit), args.head)
        else withoutZone(expression(began(unit), Cast(args.head, TimestampNTZType)))
      )
  }

  /** Spark truncates only times with a zone. This uses UTC, in which every day has all hours. */
  private def withoutZone(time: Expression): Expression = time.transformUp {
    case f: UnresolvedFunction if f.nameParts == Seq("date_trunc") =>
      ofUtc(TruncTimestamp(f.arguments.head, inUtc(f.arguments(1)), utc))
  }

  private val utc = Some("UTC")
  private def inUtc(time: Expression) = Cast(time, TimestampType, utc)
  private def ofUtc(time: Expression) = Cast(time, TimestampNTZType, utc)

  private val extractOf = {
    val usage = "EXTRACT_OF(field, time)"
    // The seconds' fraction in nanoseconds; a DATE has none.
    val nanos = "cast(pmod(extract(SECOND FROM _1), 1) * 1000000000 AS BIGINT)"
    val texts = Map(
      "MILLENNIUM" -> "ceil(year(_1) / 1000)",
      "CENTURY" -> "ceil(year(_1) / 100)",
      "DECADE" -> "floor(year(_1) / 10)",
      "ISODOW" -> "weekday(_1) + 1",
      "ISOYEAR" -> "extract(YEAROFWEEK FROM _1)",
      "MILLISECOND" -> s"$nanos div 1000000",
      "MICROSECOND" -> s"$nanos div 1000",
      "NANOSECOND" -> nanos
    )
    computed(
      s"$usage - EXTRACT(field FROM time) for the fields that Spark lacks: EPOCH, MILLENNIUM, CENTURY, DECADE, ISODOW, ISOYEAR, MILLISECOND, MICROSECOND and NANOSECOND, the last three within a second. A BIGINT."
    ) { args =>
      if (args.size != 2 || !args.head.foldable) throw wrong(usage, args)
      val time = if (args(1).dataType == DateType) Cast(args(1), TimestampNTZType) else args(1)
      texts.get(args.head.eval().toString.toUpperCase(Locale.ROOT)) match {
        case Some(text) => expression(s"cast($text AS BIGINT)", time)
        case None =>
          expression("unix_micros(_1) div 1000000", if (time.dataType == TimestampType) time else inUtc(time))
      }
    }
  }

  private val arraySorted = {
    def sorted(nullsFirst: String) =
      s"if(_2, if($nullsFirst, sort_array(_1, true), array_sort(_1)), " +
        s"if($nullsFirst, reverse(array_sort(_1)), sort_array(_1, false)))"
    sql(
      "ARRAY_SORTED(array, ascending[, nulls first]) - ARRAY_SORT(array, …) as in Flink: nulls are first where it ascends, unless told."
    )(sorted("_2"), sorted("_3"))
  }

  /**
   * Converts SQL's pattern for a whole text to a regular expression that is searched for in the text.
   *
   * @throws java.lang.IllegalArgumentException if the pattern ends with the escape character, or has an unknown class
   */
  private def regex(pattern: String, escape: Option[Char]): String = {
    val out = new StringBuilder("\\A(?:")
    var isClass = false
    var i = 0
    while (i < pattern.length) {
      pattern(i) match {
        case c if escape.contains(c) =>
          i += 1
          if (i == pattern.length) throw new IllegalArgumentException(pattern)
          out.append(java.util.regex.Pattern.quote(pattern(i).toString))
        case '%' if !isClass => out.append("(?s:.*)")
        case '_' if !isClass => out.append('.')
        case '[' if isClass && pattern.startsWith("[:", i) && pattern.indexOf(":]", i) > 0 =>
          val name = pattern.substring(i + 2, pattern.indexOf(":]", i))
          out.append(classes.getOrElse(name.toUpperCase(Locale.ROOT), throw new IllegalArgumentException(name)))
          i += name.length + 3
        case c =>
          isClass = c == '[' || isClass && c != ']'
          out.append(c)
      }
      i += 1
    }
    out.append(")\\z").toString
  }

  private val classes = Map(
    "ALPHA" -> "\\p{Alpha}",
    "UPPER" -> "\\p{Upper}",
    "LOWER" -> "\\p{Lower}",
    "DIGIT" -> "\\d",
    "SPACE" -> " ",
    "WHITESPACE" -> "\\s",
    "ALNUM" -> "\\p{Alnum}"
  )

  private val similar = {
    val usage = "SIMILAR_REGEX(pattern[, escape])"
    computed(s"$usage - The regular expression of a pattern of SIMILAR TO, for RLIKE.") { args =>
      if (args.isEmpty || args.size > 2) throw wrong(usage, args)
      Computed("similar_regex", args, StringType, args.map(_ => StringType), nulls = false) { a =>
        utf(regex(a(0).toString, a.lift(1).flatMap(_.toString.headOption)))
      }
    }
  }

  private val overlap = {
    val usage = "TIMES_OVERLAP(start, end, start, end)"
    computed(
      s"$usage - (start, end) OVERLAPS (start, end): whether the two have a time in common; an end may be an INTERVAL."
    ) {
      args =>
        if (args.size != 4) throw wrong(usage, args)
        def end(i: Int) = args(i).dataType match {
          case _: DayTimeIntervalType | _: YearMonthIntervalType => s"_${i} + _${i + 1}"
          case _ => s"_${i + 1}"
        }
        val (first, second) = (end(1), end(3))
        expression(
          s"greatest(_1, $first) >= least(_3, $second) AND greatest(_3, $second) >= least(_1, $first)",
          args: _*
        )
    }
  }

  private def is(usage: String)(test: String => Boolean) = computed(usage) { args =>
    if (args.size != 1) throw wrong(usage, args)
    Computed(nameIn(usage), args, BooleanType, Seq(StringType), nulls = true) {
      a =>
        a(0) != null && a(0).toString.nonEmpty && test(a(0).toString)
    }
  }

  private val timestampOfZone = {
    val usage = "TO_TIMESTAMP_OF_ZONE(text, format, zone)"
    computed(
      s"$usage - TO_TIMESTAMP_LTZ(text, format, zone): the time at which a clock in the zone shows the text."
    ) {
      case Seq(text, format, zone) =>
        val shown = ofUtc(ParseToTimestamp(text, Some(format), TimestampType, utc, failOnError = false))
        inUtc(expression("convert_timezone(_1, 'UTC', _2)", zone, shown))
      case args => throw wrong(usage, args)
    }
  }

  private val timestampOfUtc = {
    val usage = "TO_TIMESTAMP_OF_UTC(x[, format])"
    computed(s"$usage - TO_TIMESTAMP_LTZ(x[, format]) as in Flink: a text in UTC, or a number of milliseconds.") {
      case Seq(number) if number.dataType.isInstanceOf[NumericType] =>
        expression("timestamp_millis(cast(_1 AS BIGINT))", number)
      case Seq(text) => ParseToTimestamp(text, None, TimestampType, utc, failOnError = false)
      case Seq(text, format) => ParseToTimestamp(text, Some(format), TimestampType, utc, failOnError = false)
      case args => throw wrong(usage, args)
    }
  }

  private def hash(bits: Int) = sql(s"SHA$bits(text) - The SHA-$bits hash in small hexadecimal digits.")(
    s"sha2(_1, $bits)"
  )

  /** The slice of the array `_1` from `_2` to the end; null if one of them is null. */
  private def slice(end: String) = {
    // The place 0 is the first.
    def place(n: String) = s"CASE WHEN $n < 0 THEN size(_1) + 1 + $n WHEN $n = 0 THEN 1 ELSE $n END"
    val (from, until) = (s"greatest(${place("_2")}, 1)", s"least(${place(end)}, size(_1))")
    s"if(_1 IS NULL OR _2 IS NULL OR $end IS NULL, NULL, slice(_1, $from, greatest($until - $from + 1, 0)))"
  }

  val families: Seq[(String, Seq[KsqlFunction])] = Seq(
    "Windows of GROUP BY" -> GroupWindows.all,
    "JSON" -> FlinkJson.all,
    "Arrays and maps" -> FlinkCollections.all,
    "Rows" -> UnnestFunctions.all,
    "Others" -> Seq(
      splitIndex,
      hash(224),
      hash(256),
      hash(384),
      hash(512),
      sql("TO_BASE64(text) - As base64.")("base64(_1)"),
      sql("FROM_BASE64(text) - The text that was made base64.")("cast(unbase64(_1) AS STRING)"),
      truncate,
      rounded("FLOOR_TO(time, unit) - FLOOR(time TO unit): the time at which its unit began.", isUp = false)(_ => "_2"),
      rounded(
        "CEIL_TO(time, unit) - CEIL(time TO unit): the time at which a unit begins, its own or the next.",
        isUp = true
      )(unit => s"if(_1 = _2, _2, _2 + $unit)"),
      extractOf,
      arraySorted,
      is("IS_ALPHA(text) - Whether it is letters only; FALSE for null and ''.")(_.forall(Character.isLetter)),
      is("IS_DIGIT(text) - Whether it is digits only; FALSE for null and ''.")(_.forall(Character.isDigit)),
      // Parsing a BigDecimal takes quadratic time in the length of the text.
      is("IS_DECIMAL(text) - Whether it is a number; FALSE for null and ''.")(_.toDoubleOption.isDefined),
      sql("RAND_INTEGER([seed, ]bound) - A random INT from 0 to below the bound.")(
        "cast(floor(rand() * _1) AS INT)",
        "cast(floor(rand(_1) * _2) AS INT)"
      ),
      sql("WEEK(date) - The week of the year, from 1 to 53.")("weekofyear(_1)"),
      sql("ARRAY_REVERSE(array) - The elements from the last to the first.")("reverse(_1)"),
      sql(
        "ARRAY_SLICE(array, start[, end]) - The elements from start to end, counted from 1, or from the array's end where negative; [] where there is none."
      )(slice("size(_1)"), slice("_3")),
      computed("COLLECT(x) - How often each value occurs in the group, a MULTISET: MAP<t, INT>; nulls do not count.") {
        case Seq(x) => KsqlAggregates.counted("collect", x, IntegerType, undoes = false)
        case args => throw wrong("COLLECT(x)", args)
      },
      similar,
      overlap,
      sql("ELEMENT(array) - Its only element; null if it is empty, and an error if there are more.")(
        "if(size(_1) > 1, raise_error('ELEMENT of an array of more than one element'), get(_1, 0))"
      ),
      timestampOfZone,
      timestampOfUtc,
      sql("PROCTIME() - The time at which the query, or its micro-batch, runs.")("now()"),
      sql("CURRENT_ROW_TIMESTAMP() - As PROCTIME().")("now()"),
      computed("CURRENT_WATERMARK(time) - Always null: no expression sees Spark's watermark.") { args =>
        val isTime = args.map(_.dataType).forall(t => t == TimestampType || t == TimestampNTZType)
        if (args.size != 1 || !isTime) throw wrong("CURRENT_WATERMARK(time)", args)
        Literal.create(null, args.head.dataType)
      }
    )
  )

  /** Functions available in every statement: Spark's names stay Spark's. */
  def everywhere: Seq[KsqlFunction] = families.flatMap(_._2).filterNot(_.isSparkBuiltin)
}
