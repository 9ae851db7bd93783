package io.kafkalyst.clients

import io.kafkalyst.errors.KafkalystException
import org.scalatest.funsuite.AnyFunSuite

import java.time.Duration

class TopicAdminSuite extends AnyFunSuite {
  private val nowhere = TopicAdmin(Map("bootstrap.servers" -> "no-such-host.invalid:9092"))

  test("a broker without an address is told by name") {
    val refused = intercept[KafkalystException](nowhere.require("t"))
    assert(refused.getCondition == "KAFKALYST_BROKER_UNKNOWN_HOST")
    assert(refused.getMessage.contains("no-such-host.invalid:9092"))
  }

  test("a running query waits for a broker without an address, as for one that does not answer") {
    var asked = 0
    val answer = TopicAdmin.retryUntil(Duration.ofMinutes(1)) {
      asked += 1
      if (asked < 3) nowhere.require("t")
      asked
    }
    assert(answer == 3)
  }

  test("patience ends") {
    val refused = intercept[KafkalystException](TopicAdmin.retryUntil(Duration.ZERO)(nowhere.require("t")))
    assert(refused.getCondition == "KAFKALYST_BROKER_UNKNOWN_HOST")
  }
}
