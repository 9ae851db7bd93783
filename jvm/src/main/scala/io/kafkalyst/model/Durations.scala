package io.kafkalyst.model

import java.util.Locale

/** Durations in ksqlDB's syntax: `10 SECONDS`. */
object Durations {
  private val units = Map(
    "MILLISECOND" -> 1L,
    "SECOND" -> 1000L,
    "MINUTE" -> 60000L,
    "HOUR" -> 3600000L,
    "DAY" -> 86400000L
  )
  private val span = """\s*(\d{1,12})\s+([A-Za-z]+)\s*""".r

  /** Milliseconds; None if the text is not a number with a unit. */
  def millis(text: String): Option[Long] = text match {
    case span(number, unit) => units.get(unit.toUpperCase(Locale.ROOT).stripSuffix("S")).map(_ * number.toLong)
    case _ => None
  }
}
