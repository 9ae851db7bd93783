package io.kafkalyst.metadata

import java.time.{DateTimeException, LocalDate, LocalTime, ZonedDateTime, ZoneId}
import java.time.temporal.{ChronoField, TemporalAccessor, TemporalQueries}

/** What a parsed text says of a time whose pattern leaves out parts of it. */
private[kafkalyst] object ParsedTime {

  private val (ofTimes, others) = ChronoField.values.partition(_.isTimeBased)
  private val (ofDates, ofInstants) = others.partition(_.isDateBased)

  // The finer fields of a whole time are cut to milliseconds, and the coarser ones say nothing more.
  private val wholeTime = Array(ChronoField.MILLI_OF_DAY)
  // Fields after the day of the epoch say nothing more. Those before it make a difference if the days that they lead to
  // have another offset.
  private val wholeDate = Array(ChronoField.EPOCH_DAY)
  private val wholeDateByOffsets = ofDates.takeWhile(_ != ChronoField.EPOCH_DAY) ++ wholeDate

  /**
   * As in ksqlDB: each field of the text is set on the start of 1970, in the text's zone or else the given one. Fields
   * that make no difference are left out.
   */
  def filled(parsed: TemporalAccessor, zone: ZoneId): ZonedDateTime = {
    val start = LocalDate.EPOCH.atStartOfDay(zoneOf(parsed, zone))
    val times = if (parsed.query(TemporalQueries.localTime()) == null) ofTimes else wholeTime
    val dates =
      if (parsed.query(TemporalQueries.localDate()) == null) ofDates
      else if (start.getZone.getRules.isFixedOffset) wholeDate
      else wholeDateByOffsets
    (times.iterator ++ dates ++ ofInstants).filter(parsed.isSupported).foldLeft(start) { case (time, field) =>
      val value = parsed.getLong(field)
      // Only a leap year has that day.
      val isLast = field == ChronoField.DAY_OF_YEAR && value == 366
      val ofYear = if (isLast) time.`with`(ChronoField.YEAR, parsed.getLong(ChronoField.YEAR)) else time
      ofYear.`with`(field, value)
    }
  }

  /**
   * The time of day, midnight if the text has none.
   *
   * @throws java.time.DateTimeException for a part of a time, such as an hour of 12 without AM or PM
   */
  def timeOfDay(parsed: TemporalAccessor): LocalTime =
    Option(parsed.query(TemporalQueries.localTime())).getOrElse {
      refuse(parsed, _.isTimeBased)
      LocalTime.MIDNIGHT
    }

  def zoneOf(parsed: TemporalAccessor, otherwise: ZoneId): ZoneId =
    Option(parsed.query(TemporalQueries.zone())).getOrElse(otherwise)

  /** @throws java.time.DateTimeException for a text that has such a field */
  def refuse(parsed: TemporalAccessor, isField: ChronoField => Boolean): Unit =
    ChronoField.values.find(f => isField(f) && parsed.isSupported(f)).foreach(f => throw new DateTimeException(s"$f"))
}
