package io.kafkalyst.metadata

import java.time.{ZoneId, ZoneOffset}

import io.kafkalyst.errors.KafkalystException
import org.scalatest.funsuite.AnyFunSuite

class TimeTextSuite extends AnyFunSuite {
  test("what is missing is the earliest there is") {
    assert(TimeText.millis("1970", ZoneOffset.UTC) == 0)
    assert(TimeText.millis("1970-02", ZoneOffset.UTC) == 31 * 86400000L)
    assert(TimeText.millis("1970-01-02", ZoneOffset.UTC) == 86400000L)
    assert(TimeText.millis("1970-01-01T02", ZoneOffset.UTC) == 7200000L)
    assert(TimeText.millis("1970-01-01T00:01", ZoneOffset.UTC) == 60000L)
    assert(TimeText.millis("1970-01-01T00:00:01", ZoneOffset.UTC) == 1000L)
    assert(TimeText.millis("1970-01-01T00:00:00.5", ZoneOffset.UTC) == 500L)
  }

  test("a zone stands behind the time") {
    assert(TimeText.millis("1970-01-01T01:00:00.000+0100", ZoneOffset.UTC) == 0)
    assert(TimeText.millis("1970-01-01T00:00:00-01:00", ZoneOffset.UTC) == 3600000L)
    assert(TimeText.millis("1970-01-01T00:00Z", ZoneOffset.UTC) == 0)
  }

  test("a text without a zone is in the given one, which may have no such hour") {
    val newYork = ZoneId.of("America/New_York")
    assert(TimeText.millis("1970-01-01", newYork) == 5 * 3600000L)
    assert(TimeText.millis("1970-01-01Z", newYork) == 0)
    assert(TimeText.millis("2024-03-10T02:30", newYork) == TimeText.millis("2024-03-10T07:30Z", newYork))
  }

  test("any other text is none") {
    Seq("", "x", "70", "1970-13", "1970-02-30", "1970-01-01 00:00", "1970-01-01T25").foreach { text =>
      assert(
        intercept[KafkalystException](TimeText.millis(text, ZoneOffset.UTC)).getCondition == "KAFKALYST_TIME_TEXT",
        text
      )
    }
  }
}
