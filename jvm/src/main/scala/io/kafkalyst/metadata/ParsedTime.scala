package io.kafkalyst.metadata

import java.time.{DateTimeException, LocalDate, LocalTime, ZonedDateTime, ZoneId}
import java.time.temporal.{ChronoField, TemporalAccessor, TemporalQueries}

/** What a parsed text says of a time whose pattern leaves out parts of it. */
private[kafkalyst] object ParsedTime {

  /** As in ksqlDB: each field of the text is set on the start of 1970, in the text's zone or else the given one. */
  def filled(parsed: TemporalAccessor, zone: ZoneId): ZonedDateTime =
    ChronoField.values.filter(parsed.isSupported).foldLeft(LocalDate.EPOCH.atStartOfDay(zoneOf(parsed, zone))) {
      case (time, field) =>
        val value = parsed.getLong(field)
        // Only a leap year has that day.
        val isLast = field == ChronoField.DAY_OF_YEAR && value == 366
        val ofYear = if (isLast) time.`with`(ChronoField.YEAR, parsed.getLong(ChronoField.YEAR)) else time
        ofYear.`with`(field, value)
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
