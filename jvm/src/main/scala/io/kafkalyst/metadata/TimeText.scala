package io.kafkalyst.metadata

import java.time.{DateTimeException, LocalDateTime, OffsetDateTime, ZoneId}

import io.kafkalyst.errors.KafkalystException

/** Texts that a query compares with ROWTIME or with the bounds of a window. */
object TimeText {
  private val form =
    """(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T(?:(\d{2})(?::(\d{2})(?::(\d{2})(?:\.(\d{1,3}))?)?)?)?)?)?)?(Z|[+-]\d{2}:?\d{2})?""".r

  /**
   * The time of a text such as `2020-05`, `2020-05-26T23` or `2020-05-26T23:59:58.000+0100`, in milliseconds since
   * 1970; missing parts default to the earliest value.
   *
   * @param zone for a text without a zone
   * @throws io.kafkalyst.errors.KafkalystException TIME_TEXT for any other text
   */
  def millis(text: String, zone: ZoneId): Long = {
    def no = throw KafkalystException("TIME_TEXT", "text" -> text)
    text match {
      case form(year, month, day, hour, minute, second, fraction, offset) =>
        def or(part: String, otherwise: String) = Option(part).getOrElse(otherwise)
        val date = s"$year-${or(month, "01")}-${or(day, "01")}"
        val time = s"${or(hour, "00")}:${or(minute, "00")}:${or(second, "00")}.${or(fraction, "0")}"
        def withColon = if (offset.length == 5) offset.take(3) + ":" + offset.drop(3) else offset
        try {
          val instant =
            if (offset == null) LocalDateTime.parse(s"${date}T$time").atZone(zone).toInstant
            else OffsetDateTime.parse(s"${date}T$time$withColon").toInstant
          instant.toEpochMilli
        } catch { case _: DateTimeException => no }
      case _ => no
    }
  }
}
