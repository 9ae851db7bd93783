package io.kafkalyst.functions

import java.time._
import java.time.format.{DateTimeFormatter, DateTimeFormatterBuilder}
import java.time.temporal.{ChronoField, ChronoUnit, TemporalAccessor, TemporalQueries}
import java.util.{Locale, TimeZone}

import io.kafkalyst.functions.KsqlFunction.{computed, nameIn, sql, wrong}
import io.kafkalyst.functions.KsqlStrings.utf
import io.kafkalyst.metadata.ParsedTime
import io.kafkalyst.model.TimeOfDay
import io.kafkalyst.model.settings.Settings
import org.apache.commons.lang3.time.FastDateFormat
import org.apache.spark.sql.types._

/** ksqlDB's date and time functions. Patterns are those of Java's DateTimeFormatter; the default zone is UTC. */
private[functions] object KsqlTimes {

  /** The formatters of one call's patterns. */
  private def formatters = new LastMade[DateTimeFormatter](
    new DateTimeFormatterBuilder().parseCaseInsensitive().appendPattern(_).toFormatter(Locale.US)
  )

  private def zone(values: Array[Any]): ZoneId =
    if (values.length > 2) ZoneId.of(values(2).toString) else ZoneOffset.UTC

  private def microsOf(i: Instant): Long =
    Math.addExact(Math.multiplyExact(i.getEpochSecond, 1000000L), i.getNano / 1000L)
  private def instant(micros: Long): Instant = Instant.EPOCH.plus(micros, ChronoUnit.MICROS)

  /** The time of a parsed text; missing fields default to 1970-01-01 at midnight. */
  private def instantOf(found: TemporalAccessor, values: Array[Any], asKsqldb: Boolean): Instant =
    if (asKsqldb) ParsedTime.filled(found, zone(values)).toInstant
    else {
      val date = Option(found.query(TemporalQueries.localDate())).getOrElse(dateOf(found))
      date.atTime(ParsedTime.timeOfDay(found)).atZone(ParsedTime.zoneOf(found, zone(values))).toInstant
    }

  private def ofText(usage: String, result: DataType)(value: Instant => Any): KsqlFunction = computed(usage) { args =>
    if (args.size < 2 || args.size > 3) throw wrong(usage, args)
    val asKsqldb = Settings.current.isKsqldb
    val formatter = formatters
    Computed(nameIn(usage), args, result, args.map(_ => StringType), nulls = false) { a =>
      value(instantOf(formatter(a(1)).parse(a(0).toString), a, asKsqldb))
    }
  }

  private val gmt = TimeZone.getTimeZone("GMT")

  /**
   * The formats of PARSE_DATE in ksqlDB's dialect. Like ksqlDB's, they are lenient: a number may have fewer digits than
   * its pattern, 30 February is 2 March, and text after the pattern is not read. `FastDateFormat.getInstance` would keep
   * each pattern for ever.
   */
  private def lenientFormats =
    new LastMade[FastDateFormat](pattern => new FastDateFormat(years(pattern), gmt, Locale.US) {})

  /** `u` is the year, as in the patterns of the other functions; here it would be the day of the week. */
  private def years(pattern: String): String =
    pattern.split("'", -1).zipWithIndex.map { case (part, i) => if (i % 2 == 0) part.replace('u', 'y') else part }
      .mkString("'")

  private def dateOf(found: TemporalAccessor): LocalDate = {
    def part(field: ChronoField, otherwise: Int) = if (found.isSupported(field)) found.get(field) else otherwise
    val year =
      if (found.isSupported(ChronoField.YEAR)) found.get(ChronoField.YEAR) else part(ChronoField.YEAR_OF_ERA, 1970)
    LocalDate.of(year, part(ChronoField.MONTH_OF_YEAR, 1), part(ChronoField.DAY_OF_MONTH, 1))
  }

  /** @param body evaluated for each call */
  private def call(usage: String, result: DataType, counts: Seq[Int], types: DataType*)(
      body: => Array[Any] => Any
  ): KsqlFunction = computed(usage) { args =>
    if (!counts.contains(args.size)) throw wrong(usage, args)
    Computed(nameIn(usage), args, result, types.take(args.size), nulls = false)(body)
  }

  private val units = Map(
    "DAY" -> ChronoUnit.DAYS,
    "HOUR" -> ChronoUnit.HOURS,
    "MINUTE" -> ChronoUnit.MINUTES,
    "SECOND" -> ChronoUnit.SECONDS,
    "MILLISECOND" -> ChronoUnit.MILLIS
  )

  private def unit(name: Any): ChronoUnit = unitOf(name).get

  private def unitOf(name: Any): Option[ChronoUnit] =
    units.get(String.valueOf(name).toUpperCase(Locale.ROOT).stripSuffix("S"))

  /** The function, with its unit validated at analysis if it is constant. */
  private def withUnit(function: KsqlFunction): KsqlFunction = computed(function.usage) { args =>
    args.headOption.filter(a => a.resolved && a.foldable && unitOf(a.eval()).isEmpty).foreach(_ =>
      throw wrong(function.usage, args)
    )
    function.build(args)
  }

  private def onTimestamps(name: String, sign: Int) = call(
    s"$name(unit, n, timestamp) - The timestamp ${if (sign > 0) "plus" else "minus"} n DAYS, HOURS, MINUTES, SECONDS or MILLISECONDS.",
    TimestampType,
    Seq(3),
    StringType,
    IntegerType,
    TimestampType
  )(a => microsOf(instant(a(2).asInstanceOf[Long]).plus(sign.toLong * a(1).asInstanceOf[Int], unit(a(0)))))

  private def onDates(name: String, sign: Int) = call(
    s"$name(unit, n, date) - The date ${if (sign > 0) "plus" else "minus"} n DAYS.",
    DateType,
    Seq(3),
    StringType,
    IntegerType,
    DateType
  ) { a =>
    val moved = LocalDate.ofEpochDay(a(2).asInstanceOf[Int].toLong).atStartOfDay()
      .plus(sign.toLong * a(1).asInstanceOf[Int], unit(a(0)))
    // Part of a day is cut towards 1970.
    Math.toIntExact(moved.toInstant(ZoneOffset.UTC).toEpochMilli / 86400000L)
  }

  /**
   * @param at   the index of the time argument: TIME, or INT milliseconds of the day
   * @param body takes the time and all arguments; evaluated for each call
   */
  private def ofTime(usage: String, at: Int, result: DataType => DataType, types: DataType*)(
      body: => (LocalTime, Array[Any]) => Any
  ): KsqlFunction = computed(usage) { args =>
    val given = args.lift(at).map(_.dataType).collect {
      case t if TimeOfDay.is(t) || t == IntegerType => t
      case NullType => TimeOfDay.dataType.getOrElse(IntegerType)
    }
    if (args.size != types.size || given.isEmpty) throw wrong(usage, args)
    val value = body
    Computed(nameIn(usage), args, result(given.get), types.updated(at, given.get), nulls = false) { a =>
      val nanos = if (given.get == IntegerType) a(at).asInstanceOf[Int] * 1000000L else a(at).asInstanceOf[Long]
      value(LocalTime.ofNanoOfDay(nanos), a)
    }
  }

  private def valueOf(time: LocalTime, isMillis: Boolean): Any =
    if (isMillis) TimeOfDay.toMillis(time.toNanoOfDay) else time.toNanoOfDay / 1000 * 1000

  private def onTimes(name: String, sign: Int) = ofTime(
    s"$name(unit, n, time) - The time ${if (sign > 0) "plus" else "minus"} n HOURS, MINUTES, SECONDS or MILLISECONDS, wrapping around at midnight. Of TIME, or of INT milliseconds of the day.",
    2,
    identity,
    StringType,
    IntegerType,
    IntegerType
  ) { (time, a) =>
    val millis = Math.multiplyExact(a(1).asInstanceOf[Int].toLong, unit(a(0)).getDuration.toMillis)
    valueOf(time.plus(sign * millis, ChronoUnit.MILLIS), a(2).isInstanceOf[Int])
  }

  private def dateText: Array[Any] => Any = {
    val formatter = formatters
    a => utf(LocalDate.ofEpochDay(a(0).asInstanceOf[Int].toLong).format(formatter(a(1))))
  }

  private val seconds = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss")

  /** Flink's CONVERT_TZ takes and returns a text. */
  private val convertTz = {
    val usage = "CONVERT_TZ(timestamp, from zone, to zone)"
    computed(s"$usage - The timestamp, or its text, converted from one time zone's local time to another's.") { args =>
      if (args.size != 3) throw wrong(usage, args)
      val isText = args.head.dataType == StringType
      val form = if (isText) StringType else TimestampType
      Computed("convert_tz", args, form, Seq(form, StringType, StringType), nulls = false) { a =>
        val (from, to) = (ZoneId.of(a(1).toString), ZoneId.of(a(2).toString))
        if (isText) {
          val time = LocalDateTime.parse(a(0).toString.takeWhile(_ != '.'), seconds)
          utf(time.atZone(from).withZoneSameInstant(to).format(seconds))
        } else {
          val at = instant(a(0).asInstanceOf[Long])
          def offset(zone: ZoneId) = zone.getRules.getOffset(at).getTotalSeconds
          a(0).asInstanceOf[Long] + (offset(to) - offset(from)) * 1000000L
        }
      }
    }
  }

  val all: Seq[KsqlFunction] = Seq(
    convertTz,
    withUnit(onDates("DATEADD", 1)),
    withUnit(onDates("DATESUB", -1)),
    call(
      "DATETOSTRING(days, pattern) - The date of a number of days since 1970-01-01, as text.",
      StringType,
      Seq(2),
      IntegerType,
      StringType
    )(dateText),
    call("FORMAT_DATE(date, pattern) - The date as text.", StringType, Seq(2), DateType, StringType)(dateText),
    call(
      "FORMAT_TIMESTAMP(timestamp, pattern[, zone]) - The timestamp as text.",
      StringType,
      Seq(2, 3),
      TimestampType,
      StringType,
      StringType
    ) {
      val formatter = formatters
      a =>
        // The default zone's name is GMT, which a pattern may show.
        val at = if (a.length > 2) zone(a) else ZoneId.of("GMT")
        utf(instant(a(0).asInstanceOf[Long]).atZone(at).format(formatter(a(1))))
    },
    ofTime(
      "FORMAT_TIME(time, pattern) - The TIME, or INT milliseconds of the day, as text.",
      0,
      _ => StringType,
      IntegerType,
      StringType
    ) {
      val formatter = formatters
      (time, a) => utf(time.format(formatter(a(1))))
    },
    Computed.uniform("FROM_DAYS(days) - The DATE of a number of days since 1970-01-01.", Seq(1), IntegerType, DateType)(
      _.head
    ),
    sql(
      "FROM_UNIXTIME(milliseconds) - The TIMESTAMP of a number of milliseconds since 1970; NULL outside the range of TIMESTAMP."
    )(
      "CASE WHEN _1 BETWEEN -9223372036854775 AND 9223372036854775 THEN timestamp_millis(_1) END"
    ),
    computed(
      "PARSE_DATE(text, pattern) - The DATE; NULL if the text does not match the pattern, or has a time other than midnight UTC. In ksqlDB's dialect patterns are those of SimpleDateFormat, which are lenient, and `u` is the year."
    ) { args =>
      if (args.size != 2) throw wrong("PARSE_DATE(text, pattern)", args)
      val asKsqldb = Settings.current.isKsqldb
      val (lenient, formatter) = (lenientFormats, formatters)
      Computed("parse_date", args, DateType, Seq(StringType, StringType), nulls = false) { a =>
        val text = a(0).toString
        val millis =
          if (asKsqldb) lenient(a(1)).parse(text).getTime
          else instantOf(formatter(a(1)).parse(text), a, asKsqldb = false).toEpochMilli
        if (Math.floorMod(millis, 86400000L) == 0) Math.toIntExact(Math.floorDiv(millis, 86400000L)) else null
      }
    },
    computed(
      "PARSE_TIME(text, pattern) - The TIME (on Spark 4.0: INT milliseconds of the day); NULL if the pattern has a date."
    ) { args =>
      if (args.size != 2) throw wrong("PARSE_TIME(text, pattern)", args)
      val result = TimeOfDay.dataType.getOrElse(IntegerType)
      // ksqlDB's TIME has milliseconds.
      val unit = if (Settings.current.isKsqldb) ChronoUnit.MILLIS else ChronoUnit.MICROS
      val formatter = formatters
      Computed("parse_time", args, result, Seq(StringType, StringType), nulls = false) { a =>
        val found = formatter(a(1)).parse(a(0).toString)
        ParsedTime.refuse(found, _.isDateBased)
        valueOf(LocalTime.from(found).truncatedTo(unit), result == IntegerType)
      }
    },
    ofText(
      "PARSE_TIMESTAMP(text, pattern[, zone]) - The TIMESTAMP; NULL if the text does not match the pattern.",
      TimestampType
    )(microsOf),
    call(
      "STRINGTODATE(text, pattern) - The date as days since 1970-01-01, INT.",
      IntegerType,
      Seq(2),
      StringType,
      StringType
    ) {
      val formatter = formatters
      a => Math.toIntExact(LocalDate.parse(a(0).toString, formatter(a(1))).toEpochDay)
    },
    ofText(
      "STRINGTOTIMESTAMP(text, pattern[, zone]) - The timestamp as milliseconds since 1970, BIGINT.",
      LongType
    )(_.toEpochMilli),
    withUnit(onTimes("TIMEADD", 1)),
    withUnit(onTimes("TIMESUB", -1)),
    withUnit(onTimestamps("TIMESTAMPADD", 1)),
    withUnit(onTimestamps("TIMESTAMPSUB", -1)),
    call(
      "TIMESTAMPTOSTRING(milliseconds, pattern[, zone]) - The timestamp of a number of milliseconds since 1970, as text.",
      StringType,
      Seq(2, 3),
      LongType,
      StringType,
      StringType
    ) {
      val formatter = formatters
      a => utf(Instant.ofEpochMilli(a(0).asInstanceOf[Long]).atZone(zone(a)).format(formatter(a(1))))
    },
    sql("UNIX_DATE([date]) - The date, by default today, as days since 1970-01-01.")(
      "unix_date(current_date())",
      "unix_date(_1)"
    ),
    sql("UNIX_TIMESTAMP([timestamp]) - The timestamp, by default now, as milliseconds since 1970.")(
      "unix_millis(current_timestamp())",
      "unix_millis(_1)"
    )
  )
}
