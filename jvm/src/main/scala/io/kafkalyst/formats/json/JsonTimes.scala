package io.kafkalyst.formats
package json

import java.time._
import java.time.format.{DateTimeFormatter, DateTimeFormatterBuilder}

/**
 * Dates and times of JSON as the numbers that Spark holds: days, or microseconds since 1970.
 * Errors: DateTimeException or ArithmeticException for a text or number that is none.
 */
private[formats] object JsonTimes {
  private val millis = new DateTimeFormatterBuilder().appendInstant(3).toFormatter
  private val micros = new DateTimeFormatterBuilder().appendInstant(6).toFormatter

  def days(text: String): Int = Math.toIntExact(LocalDate.parse(text).toEpochDay)

  /** An instant; a text without a zone is taken as UTC, so that it means the same in every session. */
  def instantMicros(text: String): Long = {
    val iso = withT(text)
    DateTimeFormatter.ISO_DATE_TIME.parseBest(iso, OffsetDateTime.from(_), LocalDateTime.from(_)) match {
      case zoned: OffsetDateTime => micros(zoned.toInstant)
      case local: LocalDateTime => localMicros(local)
      case other => throw new DateTimeException(other.toString)
    }
  }

  def localMicros(text: String): Long = localMicros(LocalDateTime.parse(withT(text)))

  def millisToMicros(epochMillis: Long): Long = Math.multiplyExact(epochMillis, 1000L)

  def date(days: Int): String = LocalDate.ofEpochDay(days.toLong).toString

  /** With milliseconds, or with microseconds where there are some, and Z. */
  def instant(epochMicros: Long): String = {
    val seconds = Math.floorDiv(epochMicros, 1000000L)
    val instant = Instant.ofEpochSecond(seconds, Math.floorMod(epochMicros, 1000000L) * 1000)
    (if (epochMicros % 1000 == 0) millis else micros).format(instant)
  }

  def local(epochMicros: Long): String = instant(epochMicros).stripSuffix("Z")

  /**
   * With the digits that it needs, as Flink writes it.
   *
   * @param standard SQL, with a blank between date and time, or ISO-8601
   */
  def local(epochMicros: Long, standard: String): String = {
    val seconds = Math.floorDiv(epochMicros, 1000000L)
    val time = LocalDateTime.ofEpochSecond(seconds, Math.floorMod(epochMicros, 1000000) * 1000, ZoneOffset.UTC)
    val text = DateTimeFormatter.ISO_LOCAL_DATE_TIME.format(time)
    if (standard.equalsIgnoreCase("SQL")) text.replace('T', ' ') else text
  }

  def instant(epochMicros: Long, standard: String): String = local(epochMicros, standard) + "Z"

  /** A time of the day, from its nanoseconds, with its seconds even where they are 0. */
  def time(nanos: Long): String = DateTimeFormatter.ISO_LOCAL_TIME.format(LocalTime.ofNanoOfDay(nanos))

  private def localMicros(time: LocalDateTime): Long = micros(time.toInstant(ZoneOffset.UTC))

  private def micros(instant: Instant): Long =
    // Before 1970 the two parts have different signs; adding one second keeps the first from overflowing.
    if (instant.getEpochSecond < 0) {
      Math.addExact(Math.multiplyExact(instant.getEpochSecond + 1, 1000000L), instant.getNano / 1000 - 1000000L)
    } else Math.addExact(Math.multiplyExact(instant.getEpochSecond, 1000000L), instant.getNano / 1000L)

  /** A blank between date and time, as SQL writes it, stands for the T. */
  private def withT(text: String): String = {
    val blank = text.indexOf(' ')
    if (blank > 0) s"${text.substring(0, blank)}T${text.substring(blank + 1)}" else text
  }
}
