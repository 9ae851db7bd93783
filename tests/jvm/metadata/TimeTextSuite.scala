package io.kafkalyst.metadata

import io.kafkalyst.errors.KafkalystException
import org.scalatest.funsuite.AnyFunSuite

class TimeTextSuite extends AnyFunSuite {
  test("what is missing is the earliest there is, in UTC") {
    assert(TimeText.millis("1970") == 0)
    assert(TimeText.millis("1970-02") == 31 * 86400000L)
    assert(TimeText.millis("1970-01-02") == 86400000L)
    assert(TimeText.millis("1970-01-01T02") == 7200000L)
    assert(TimeText.millis("1970-01-01T00:01") == 60000L)
    assert(TimeText.millis("1970-01-01T00:00:01") == 1000L)
    assert(TimeText.millis("1970-01-01T00:00:00.5") == 500L)
  }

  test("a zone stands behind the time") {
    assert(TimeText.millis("1970-01-01T01:00:00.000+0100") == 0)
    assert(TimeText.millis("1970-01-01T00:00:00-01:00") == 3600000L)
    assert(TimeText.millis("1970-01-01T00:00Z") == 0)
  }

  test("any other text is none") {
    Seq("", "x", "70", "1970-13", "1970-02-30", "1970-01-01 00:00", "1970-01-01T25").foreach { text =>
      assert(intercept[KafkalystException](TimeText.millis(text)).getCondition == "KAFKALYST_TIME_TEXT", text)
    }
  }
}
