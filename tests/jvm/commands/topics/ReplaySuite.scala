package io.kafkalyst.commands.topics

import java.nio.ByteBuffer
import java.time.Duration

import io.kafkalyst.clients.Consumers
import org.apache.kafka.clients.consumer.KafkaConsumer
import org.scalatest.funsuite.AnyFunSuite

import scala.jdk.CollectionConverters._

/** The clients of a REPLAY that fails. What a REPLAY sends is seen with brokers. */
class ReplaySuite extends AnyFunSuite {
  import ReplaySuite._

  private def replay(client: Map[String, String]) =
    new ReplayRun(client, "letters", Set("t")).through(fromBeginning = false, limit = None)

  test("a cancelled run closes its consumer") {
    val client = Map("bootstrap.servers" -> "localhost:1", "client.id" -> "replay-cancelled")
    val committed: Map[String, Object] = client + ("isolation.level" -> "read_committed")
    val properties = Consumers.properties(committed.asJava, isOpen = false)
    val consumer = new Watched(properties)
    Consumers.release(properties, consumer)
    Thread.currentThread().interrupt()
    try intercept[Exception](replay(client))
    finally Thread.interrupted()
    assert(consumer.isClosed)
  }

  test("a run whose consumer cannot be made leaves no producer") {
    val client =
      Map("bootstrap.servers" -> "localhost:1", "client.id" -> "replay-refused", "max.poll.records" -> "many")
    assert(intercept[Exception](replay(client)).getMessage.contains("max.poll.records"))
    assert(!Thread.getAllStackTraces.keySet.asScala.exists(_.getName.contains("replay-refused")))
  }
}

private object ReplaySuite {

  final class Watched(properties: Consumers.Properties)
      extends KafkaConsumer[ByteBuffer, ByteBuffer](properties.asJava) {
    @volatile var isClosed = false

    override def close(timeout: Duration): Unit = {
      isClosed = true
      super.close(timeout)
    }
  }
}
