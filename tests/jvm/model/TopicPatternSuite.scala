package io.kafkalyst.model

import io.kafkalyst.errors.KafkalystException
import org.scalatest.concurrent.TimeLimits
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Seconds, Span}

class TopicPatternSuite extends AnyFunSuite with TimeLimits {
  private val slow = "(.*)" * 15 + "!"

  test("a pattern is for the whole name") {
    assert(TopicPattern.matches("shop\\..*", "shop.visits") && !TopicPattern.matches("shop", "shop.visits"))
    assert(TopicPattern.mayMatch("a|b", "b") && !TopicPattern.mayMatch("a|b", "c"))
    assert(!TopicPattern.matches(".*a.*a.*!", "a" * 249))
  }

  test("a pattern that would take for ever is refused, and of another object may match") {
    val name = "t" * 65
    failAfter(Span(60, Seconds)) {
      val refused = intercept[KafkalystException](TopicPattern.matches(slow, name))
      assert(refused.getCondition == "KAFKALYST_PATTERN_TOO_SLOW" && refused.getMessage.contains(name))
      assert(TopicPattern.mayMatch(slow, name))
      val o = TopicObject(
        ObjectKind.Stream,
        slow,
        SideFormat("KAFKA"),
        SideFormat("JSON"),
        Nil,
        options = Map("TOPIC-PATTERN" -> slow)
      )
      assert(intercept[KafkalystException](o.reads(name)).getCondition == refused.getCondition)
    }
  }
}
