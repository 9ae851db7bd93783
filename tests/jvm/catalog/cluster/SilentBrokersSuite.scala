package io.kafkalyst.catalog.cluster

import java.nio.ByteBuffer
import java.time.Duration
import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.{lang => jl, util => ju}

import io.kafkalyst.clients.Consumers
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.settings.Settings
import org.apache.kafka.clients.consumer.KafkaConsumer
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.errors.TimeoutException
import org.scalatest.concurrent.Eventually
import org.scalatest.funsuite.AnyFunSuite
import org.scalatest.time.{Seconds, Span}

import scala.jdk.CollectionConverters._

/** Callers that wait for definitions while the brokers do not answer. */
class SilentBrokersSuite extends AnyFunSuite with Eventually {
  import SilentBrokersSuite._
  implicit override val patienceConfig: PatienceConfig = PatienceConfig(Span(60, Seconds))

  /** A caller in a thread of its own. */
  private final class Caller(topic: DefinitionTopic) {
    @volatile private var failed = Option.empty[Exception]
    private val thread = new Thread(() =>
      try topic.all()
      catch { case e: Exception => failed = Some(e) }
    )
    thread.setDaemon(true)
    thread.start()

    def isWaiting: Boolean = Set(Thread.State.WAITING, Thread.State.BLOCKED)(thread.getState)
    def interrupt(): Unit = thread.interrupt()
    def failure: Exception = {
      eventually(assert(failed.isDefined))
      failed.get
    }
  }

  private def settings(name: String) = Settings.of(Map(
    "spark.kafkalyst.bootstrap.servers" -> "localhost:1",
    "spark.kafkalyst.kafka.client.id" -> name
  ))

  /** The consumer of the next request. */
  private def silent(of: Settings): Silent = {
    val client: Map[String, Object] =
      of.clientProperties ++ Map("isolation.level" -> "read_committed", "allow.auto.create.topics" -> "false")
    val properties = Consumers.properties(client.asJava, isOpen = false)
    val consumer = new Silent(properties)
    Consumers.release(properties, consumer, isAssigned = true)
    consumer
  }

  private def waiting(settings: Settings)(test: (DefinitionTopic, Silent, Seq[Caller]) => Unit): Unit = {
    val consumer = silent(settings)
    val topic = new DefinitionTopic("k", settings)
    // Only the consumer asks: the topic's id is known from a listing.
    topic.listed(Some("id"))
    val first = new Caller(topic)
    try {
      assert(consumer.asked.await(60, TimeUnit.SECONDS))
      val others = Seq.fill(4)(new Caller(topic))
      eventually(assert(others.forall(_.isWaiting)))
      test(topic, consumer, first +: others)
    } finally consumer.ends.countDown()
  }

  test("all callers that wait for brokers that do not answer fail with the first") {
    waiting(settings("fails")) { (_, consumer, callers) =>
      consumer.ends.countDown()
      val failures = callers.map(_.failure)
      assert(failures.head.asInstanceOf[KafkalystException].getCondition == "KAFKALYST_CATALOG_TOPIC")
      assert(failures.head.getMessage.contains("offset 0 to 1 could not be read within 8 s"))
      assert(failures.forall(_ eq failures.head))
    }
  }

  test("a later caller asks again") {
    val again = settings("again")
    waiting(again) { (topic, consumer, callers) =>
      consumer.ends.countDown()
      callers.foreach(_.failure)
      val next = silent(again)
      next.ends.countDown()
      new Caller(topic).failure
      assert(next.asked.getCount == 0)
    }
  }

  test("a caller that waits for another's request can be interrupted") {
    waiting(settings("interrupted")) { (_, consumer, callers) =>
      callers.last.interrupt()
      assert(callers.last.failure.isInstanceOf[InterruptedException])
      assert(consumer.ends.getCount == 1)
    }
  }
}

private object SilentBrokersSuite {

  /** A consumer that learns the partition's end, and then no position. */
  final class Silent(properties: Consumers.Properties)
      extends KafkaConsumer[ByteBuffer, ByteBuffer](properties.asJava) {
    val asked, ends = new CountDownLatch(1)

    override def endOffsets(of: ju.Collection[TopicPartition], patience: Duration): ju.Map[TopicPartition, jl.Long] =
      of.asScala.map(_ -> jl.Long.valueOf(1)).toMap.asJava

    // Without patience, it would wait for the client's own limit of a minute.
    override def position(of: TopicPartition): Long = throw new IllegalStateException("no patience")

    override def position(of: TopicPartition, patience: Duration): Long = {
      asked.countDown()
      ends.await()
      throw new TimeoutException("no position")
    }
  }
}
