package io.kafkalyst.read

import java.nio.ByteBuffer
import java.time.Duration
import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.{util => ju}

import io.kafkalyst.clients.Consumers
import io.kafkalyst.model._
import org.apache.kafka.clients.consumer.{ConsumerRecord, ConsumerRecords, KafkaConsumer}
import org.apache.kafka.common.TopicPartition
import org.apache.spark.sql.kafka010.KafkaPlanBridge
import org.apache.spark.sql.types.{DataTypes, StructType}
import org.apache.spark.{SparkConf, SparkContext}
import org.scalatest.funsuite.AnyFunSuite

import scala.jdk.CollectionConverters._

/** A cancelled task ends in the middle of its records, also if it returns no row. */
final class CancelledReadSuite extends AnyFunSuite {
  test("bad records that are skipped")(assertEnds("bad", _.copy(onError = OnError.Skip), value = "{"))

  test("superseded records of a table") {
    assertEnds("superseded", _.copy(kind = ObjectKind.Table), value = "{}", _.copy(latest = true))
  }

  test("rows that are only counted")(assertEnds("counted", identity, value = "{}", _.copy(isCounted = true)))

  private def assertEnds(
      name: String,
      changed: TopicObject => TopicObject,
      value: String,
      by: TopicReading => TopicReading = identity
  ): Unit = {
    val columns =
      Seq(TopicColumn("k", DataTypes.StringType, Side.Key), TopicColumn("v", DataTypes.LongType, Side.Value))
    val topic = TopicObject(ObjectKind.Stream, name, SideFormat("KAFKA"), SideFormat("JSON"), columns)
    val asked = new StructType().add("v", DataTypes.LongType)
    val reading = by(TopicReading(changed(topic), asked, None, None, "UTC"))
    val client = Map[String, Object]("bootstrap.servers" -> "localhost:1", "client.id" -> name)
    val endless = KafkaPlanBridge.Range(name, 0, 0, Long.MaxValue, client.asJava, 1000, true, Array.empty)
    val read = new CancelledReadSuite.Read
    val properties = Consumers.properties(client.asJava, isOpen = false)
    Consumers.release(properties, new CancelledReadSuite.Endless(properties, name, value, read), isAssigned = true)
    CancelledReadSuite.reads.put(name, read)
    val spark =
      new SparkContext(new SparkConf().setMaster("local[1]").setAppName(name).set("spark.ui.enabled", "false"))
    try {
      val job = new Thread(() => {
        spark.setJobGroup(name, "records without end", interruptOnCancel = false)
        spark.parallelize(Seq(1), 1).foreachPartition { _ =>
          val reader = TopicReaderFactory(reading).createReader(TopicInputPartition(endless))
          try while (!reader.next()) ()
          finally {
            reader.close()
            CancelledReadSuite.reads.get(name).ended.countDown()
          }
        }
      })
      job.setDaemon(true)
      job.setUncaughtExceptionHandler((_, _) => ())
      job.start()
      assert(read.begun.await(60, TimeUnit.SECONDS))
      spark.cancelJobGroup(name)
      assert(read.ended.await(60, TimeUnit.SECONDS))
      // The consumer is healthy, so the next task has it.
      assert(Consumers.acquire(properties).isInstanceOf[CancelledReadSuite.Endless])
    } finally {
      read.isOver = true
      spark.stop()
    }
  }
}

private object CancelledReadSuite {
  val reads = new ju.concurrent.ConcurrentHashMap[String, Read]()

  final class Read {
    val begun, ended = new CountDownLatch(1)
    @volatile var isOver = false
  }

  /** A consumer that always has more records, of one key. */
  final class Endless(properties: Map[String, AnyRef], topic: String, value: String, read: Read)
      extends KafkaConsumer[ByteBuffer, ByteBuffer](properties.asJava) {
    private var at = 0L
    private def bytes(text: String) = ByteBuffer.wrap(text.getBytes("UTF-8"))

    override def poll(timeout: Duration): ConsumerRecords[ByteBuffer, ByteBuffer] = {
      if (read.isOver) throw new IllegalStateException("the test is over")
      if (at > 10000) read.begun.countDown()
      val records = ju.List.of(new ConsumerRecord(topic, 0, at, bytes("k"), bytes(value)))
      at += 1
      new ConsumerRecords(ju.Map.of(new TopicPartition(topic, 0), records))
    }

    override def position(of: TopicPartition): Long = at
  }
}
