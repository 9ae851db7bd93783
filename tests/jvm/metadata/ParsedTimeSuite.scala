package io.kafkalyst.metadata

import java.time._
import java.time.temporal.{ChronoField, TemporalAccessor}

import org.scalatest.funsuite.AnyFunSuite

import scala.jdk.CollectionConverters._
import scala.util.Random

/** Times whose missing parts are those of the start of 1970, compared with setting each field of the text. */
class ParsedTimeSuite extends AnyFunSuite {
  private def each(parsed: TemporalAccessor, zone: ZoneId): ZonedDateTime = {
    var time = LocalDate.EPOCH.atStartOfDay(ParsedTime.zoneOf(parsed, zone))
    ChronoField.values.filter(parsed.isSupported).foreach { field =>
      val value = parsed.getLong(field)
      if (field == ChronoField.DAY_OF_YEAR && value == 366) time = time.withYear(parsed.get(ChronoField.YEAR))
      time = time.`with`(field, value)
    }
    time
  }

  private val patterns = Seq(
    "uuuu-MM-dd HH:mm:ss.SSSSSSSSS",
    "yyyy-MM-dd HH:mm[:ss]",
    "yyyy-MM-dd hh:mm a",
    "yyyy-MM-dd hh:mm",
    "yyyy-MM-dd",
    "yyyy-DDD HH",
    "YYYY-'W'ww-e HH:mm",
    "yyyy-MM",
    "MM-dd HH:mm",
    "HH:mm:ss",
    "mm:ss",
    "yyyy-MM-dd HH:mmXXX",
    "yyyy-MM-dd HH:mm:ss.SSS'['VV']'"
  ).map(RowTime.formatter)

  test("as if each field was set, in all zones and where their offsets change") {
    val r = new Random(1)
    ZoneId.getAvailableZoneIds.asScala.toSeq.sorted.map(ZoneId.of(_)).foreach { zone =>
      val changes = zone.getRules.getTransitions.asScala.map(_.getInstant)
      val moments = Seq.fill(4)(Instant.ofEpochSecond(r.nextInt(), r.nextInt(1000000000).toLong)) ++
        (0 until 366).map(day => Instant.EPOCH.plusSeconds(day * 86400L + r.nextInt(3) * 1800L)) ++
        changes.flatMap(t => Seq(-5400L, -1800L, -1L, 0L, 1800L).map(t.plusSeconds))
      moments.foreach { moment =>
        val pattern = patterns(r.nextInt(patterns.size))
        val text = pattern.format(LocalDateTime.ofInstant(moment, ZoneOffset.UTC).atZone(zone))
        val parsed = pattern.parse(text)
        def result(f: (TemporalAccessor, ZoneId) => ZonedDateTime) =
          try f(parsed, zone)
          catch { case _: DateTimeException => "wrong" }
        assert(result(ParsedTime.filled) == result(each), s"$text in $zone")
      }
    }
  }
}
