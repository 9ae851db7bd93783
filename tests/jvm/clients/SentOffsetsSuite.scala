package io.kafkalyst.clients

import java.time.Duration

import org.apache.kafka.clients.producer.RecordMetadata
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.TopicAuthorizationException
import org.scalatest.funsuite.AnyFunSuite

/** What a statement waits for after its commit, without brokers. */
class SentOffsetsSuite extends AnyFunSuite {
  private val (first, second) = (new TopicPartition("t", 0), new TopicPartition("u", 3))
  private val long = Duration.ofMinutes(10)

  private def sent(records: (TopicPartition, Long)*): SentOffsets = {
    val offsets = new SentOffsets
    records.foreach { case (partition, at) =>
      offsets.onCompletion(new RecordMetadata(partition, at, 0, 0L, 0, 0), null)
    }
    offsets
  }

  test("waits until the last stable offset of each partition has passed the last record") {
    val answers = Iterator((5L, 8L), (6L, 8L), (7L, 8L), (7L, 9L))
    sent(first -> 5L, first -> 6L, second -> 8L).awaitVisible(
      partitions => {
        assert(partitions.toSet == Set(first, second))
        val (a, b) = answers.next()
        Map(first -> a, second -> b)
      },
      long
    )
    assert(answers.isEmpty)
  }

  test("another producer's open transaction does not hold a statement for ever") {
    var asked = 0
    sent(first -> 5L).awaitVisible(
      _ => {
        asked += 1
        Map(first -> 2L)
      },
      Duration.ofMillis(100)
    )
    assert(asked > 1)
  }

  test("a statement that has committed does not fail because the offsets cannot be asked") {
    sent(first -> 5L).awaitVisible(_ => throw new TopicAuthorizationException("t"), long)
  }

  test("asks nothing if nothing was written") {
    val offsets = new SentOffsets
    offsets.onCompletion(new RecordMetadata(first, -1, 0, -1L, -1, -1), new TopicAuthorizationException("t"))
    offsets.awaitVisible(Map("bootstrap.servers" -> "127.0.0.1:1"))
  }
}
