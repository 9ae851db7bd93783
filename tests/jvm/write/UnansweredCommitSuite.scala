package io.kafkalyst.write

import java.time.Duration

import org.apache.kafka.common.KafkaException
import org.apache.kafka.common.errors.{ProducerFencedException, TimeoutException, TransactionalIdAuthorizationException}
import org.scalatest.funsuite.AnyFunSuite

class UnansweredCommitSuite extends AnyFunSuite {
  private val long = Duration.ofMinutes(10)

  /** How often a commit is asked for that fails with these errors, one after the other; and its own error. */
  private def asked(patience: Duration, errors: Exception*)(isDone: => Boolean): (Int, Option[Throwable]) = {
    var times = 0
    val failed =
      try {
        UnansweredCommit(patience) {
          times += 1
          errors.lift(times - 1).foreach(throw _)
        }(isDone)
        None
      } catch { case e: KafkaException => Some(e) }
    (times, failed)
  }

  private def unneeded: Boolean = fail("the broker was asked for the mark")
  private val late = new TimeoutException("late")

  test("a commit whose answer is late is asked for again") {
    assert(asked(long)(unneeded) == (1, None))
    assert(asked(long, late, late)(unneeded) == (3, None))
  }

  test("without an answer the mark decides") {
    assert(asked(Duration.ZERO, late)(isDone = true) == (1, None))
    assert(asked(Duration.ZERO, late)(isDone = false) == (1, Some(late)))
    val unknown = new KafkaException("unknown server error")
    assert(asked(long, late, unknown)(isDone = true) == (2, None))
    assert(asked(long, unknown)(isDone = false) == (1, Some(unknown)))
  }

  test("if the broker does not tell the mark either, the error says that the rows may be visible") {
    val (_, failed) = asked(Duration.ZERO, late)(throw new TimeoutException("down"))
    assert(failed.exists(_.isInstanceOf[UnansweredCommit]))
    val told = intercept[Exception](WriteErrors.fail("t", None, Map.empty)(failed.get.asInstanceOf[Exception]))
    assert(told.getMessage.contains("rows may be visible"))
    val (_, denied) = asked(Duration.ZERO, late)(throw new TransactionalIdAuthorizationException("no right"))
    val said = intercept[Exception](WriteErrors.fail("t", None, Map.empty)(denied.get.asInstanceOf[Exception]))
    assert(said.getMessage.contains("rows may be visible") && said.getMessage.contains("no right"))
  }

  test("a producer that was fenced is not asked") {
    val fenced = new ProducerFencedException("another")
    assert(asked(long, fenced)(unneeded) == (1, Some(fenced)))
  }
}
