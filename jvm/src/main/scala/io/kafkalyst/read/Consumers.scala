package io.kafkalyst.read

import java.nio.ByteBuffer
import java.time.Duration
import java.util.concurrent.TimeUnit
import java.{util => ju}

import io.kafkalyst.errors.ClientErrors
import org.apache.kafka.clients.consumer.{ConsumerConfig, KafkaConsumer}
import org.apache.kafka.common.KafkaException
import org.apache.kafka.common.serialization.ByteBufferDeserializer

import scala.collection.mutable
import scala.jdk.CollectionConverters._

/**
 * The consumers of one JVM: a task takes one for itself and gives it back, so that the next task with the same client
 * properties need not connect. Those that were idle for long are closed when another comes back.
 */
private[read] object Consumers {
  type Consumer = KafkaConsumer[ByteBuffer, ByteBuffer]
  type Properties = Map[String, AnyRef]

  private val idleNanos = TimeUnit.MINUTES.toNanos(5)

  private final class Idle(val consumer: Consumer, val since: Long)

  // The last that came back is the first to be taken, so that those too many grow old. Guarded by itself.
  private val idle = mutable.Map.empty[Properties, List[Idle]]

  /**
   * The properties of a consumer that reads what Spark's Kafka source has planned.
   *
   * @param given  of the source's consumers
   * @param isOpen whether the task waits for records that are still to come
   */
  def properties(given: ju.Map[String, Object], isOpen: Boolean): Properties = {
    val fixed = Map(
      ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG -> classOf[ByteBufferDeserializer].getName,
      ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG -> classOf[ByteBufferDeserializer].getName,
      ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG -> "false",
      ConsumerConfig.AUTO_OFFSET_RESET_CONFIG -> "none"
    )
    // A task that reads what is there has nothing to wait for with its fetches, nor has the one after it.
    val defaults: Properties = if (isOpen) Map.empty else Map(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG -> "5")
    // Offsets are Spark's: a group, another for each of its queries, would only tell equal consumers apart.
    (defaults ++ given.asScala - ConsumerConfig.GROUP_ID_CONFIG) ++ fixed
  }

  /** A consumer without partitions for the caller alone, until [[release]] or [[discard]]. */
  def acquire(properties: Properties): Consumer = taken(properties).getOrElse {
    try new KafkaConsumer[ByteBuffer, ByteBuffer](properties.asJava)
    catch { case e: KafkaException => throw ClientErrors.notMade(e, properties) }
  }

  private def taken(properties: Properties): Option[Consumer] = idle.synchronized {
    idle.get(properties).map { free =>
      if (free.tail.isEmpty) idle.remove(properties) else idle.put(properties, free.tail)
      free.head.consumer
    }
  }

  /** Takes back a consumer that has not failed. */
  def release(properties: Properties, consumer: Consumer): Unit = {
    consumer.unsubscribe()
    val now = System.nanoTime()
    val old = idle.synchronized {
      idle.put(properties, new Idle(consumer, now) :: idle.getOrElse(properties, Nil))
      val (closing, kept) = idle.toSeq.flatMap { case (of, free) => free.map(of -> _) }
        .partition(now - _._2.since > idleNanos)
      if (closing.nonEmpty) {
        idle.clear()
        kept.groupMap(_._1)(_._2).foreach { case (of, free) => idle.put(of, free.toList) }
      }
      closing
    }
    old.foreach { case (_, free) => discard(free.consumer) }
  }

  // Nothing is to be left in order: without a group, a graceful close would only wait for the fetch under way.
  def discard(consumer: Consumer): Unit = consumer.close(Duration.ZERO)
}
