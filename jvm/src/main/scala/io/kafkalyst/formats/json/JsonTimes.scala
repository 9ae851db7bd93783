package io.kafkalyst.formats
package json

import java.time._
import java.time.format.{DateTimeFormatter, DateTimeFormatterBuilder}

/**
 * Converts dates and times of JSON to Spark's internal numbers: days, or microseconds since 1970. Errors:
 * DateTimeException or ArithmeticException for an invalid text or number.
 */
private[formats] object JsonTimes {
  private val millis = new DateTimeFormatterBuilder().appendInstant(3).toFormatter
  private val micros = new DateTimeFormatterBuilder().appendInstant(6).toFormatter

  def days(text: String): Int = Math.toIntExact(LocalDate.parse(text).toEpochDay)

  /** An instant; a text without a zone is in UTC, independent of the session. */
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

  /** With milliseconds, or microseconds if they are not zero, and Z. */
  def instant(epochMicros: Long): String = {
    val seconds = Math.floorDiv(epochMicros, 1000000L)
    val instant = Instant.ofEpochSecond(seconds, Math.floorMod(epochMicros, 1000000L) * 1000)
    (if (epochMicros % 1000 == 0) millis else micros).format(instant)
  }

  def local(epochMicros: Long): String = instant(epochMicros).stripSuffix("Z")

  /**
   * With only the needed fractional digits, as Flink writes it.
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

  /** A time of day from its nanoseconds; always with seconds, even if they are 0. */
  def time(nanos: Long): String = DateTimeFormatter.ISO_LOCAL_TIME.format(LocalTime.ofNanoOfDay(nanos))

  private def localMicros(time: LocalDateTime): Long = micros(time.toInstant(ZoneOffset.UTC))

  private def micros(instant: Instant): Long =
    // Before 1970 the two parts have different signs; adding one second keeps the first from overflowing.
    if (instant.getEpochSecond < 0) {
      Math.addExact(Math.multiplyExact(instant.getEpochSecond + 1, 1000000L), instant.getNano / 1000 - 1000000L)
    } else Math.addExact(Math.multiplyExact(instant.getEpochSecond, 1000000L), instant.getNano / 1000L)

  /** Replaces SQL's blank between date and time by T. */
  private def withT(text: String): String = {
    val blank = text.indexOf(' ')
    if (blank > 0) s"${text.substring(0, blank)}T${text.substring(blank + 1)}" else text
  }
}
