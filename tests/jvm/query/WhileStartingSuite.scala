package io.kafkalyst.query

import io.kafkalyst.TopicSession
import org.scalatest.funsuite.AnyFunSuite

class WhileStartingSuite extends AnyFunSuite with TopicSession {
  private val Seq(one, two, three, four) = Seq("one", "two", "three", "four").map("spark.kafkalyst.test." + _)

  test("settings are put back as they were, set or not, but not those that were set meanwhile") {
    val own = session.newSession()
    def settings = own.sessionState.conf.getAllConfs.filter(_._1.startsWith("spark.kafkalyst.test."))
    Seq(one, two).foreach(own.conf.set(_, "mine"))
    val needed = Map(one -> Some("a"), two -> None, three -> Some("c"), four -> Some("d"))
    val during = WhileStarting(own, needed) {
      val seen = settings
      Seq(two, three).foreach(own.conf.set(_, "changed"))
      seen
    }
    assert(during == Map(one -> "a", three -> "c", four -> "d"))
    assert(settings == Map(one -> "mine", two -> "changed", three -> "changed"))
  }
}
