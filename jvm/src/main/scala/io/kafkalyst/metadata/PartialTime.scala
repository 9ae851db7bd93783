package io.kafkalyst.metadata

import java.time.{Instant, ZoneId, ZonedDateTime}
import java.time.temporal.{ChronoField, TemporalAccessor, TemporalQueries}

/** The time of a text whose pattern may leave out fields. */
object PartialTime {

  /**
   * Each field that the text has, put into 1970-01-01 at midnight: `hh` without `a` is a time before noon.
   *
   * @param zone for a text without a zone
   * @throws java.time.DateTimeException if a field has no such value, as day 366 without a year
   */
  def instant(found: TemporalAccessor, zone: ZoneId): Instant = {
    val start = ZonedDateTime.of(1970, 1, 1, 0, 0, 0, 0, Option(found.query(TemporalQueries.zone())).getOrElse(zone))
    def has(field: ChronoField) = found.isSupported(field)
    // 1970 has no day 366, so the year comes first.
    val year = if (has(ChronoField.DAY_OF_YEAR) && has(ChronoField.YEAR)) Seq(ChronoField.YEAR) else Nil
    (year ++ ChronoField.values.filter(has)).foldLeft(start)((time, field) => time.`with`(field, found.getLong(field)))
      .toInstant
  }
}
