package io.kafkalyst.write

import java.time.Duration
import java.util.concurrent.{ConcurrentHashMap, Executors, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import io.kafkalyst.errors.ClientErrors
import org.apache.kafka.clients.producer.{KafkaProducer, ProducerConfig}
import org.apache.kafka.common.KafkaException
import org.apache.kafka.common.serialization.ByteArraySerializer

import scala.jdk.CollectionConverters._

/** The producers of one JVM: tasks with the same client properties share one, and an idle one is closed. */
object Producers {
  type Producer = KafkaProducer[Array[Byte], Array[Byte]]

  private val idleMinutes = 5L

  private final class Shared(val producer: Producer) {
    val users = new AtomicInteger(0)
    @volatile var lastUse: Long = System.nanoTime()
  }

  private val shared = new ConcurrentHashMap[Map[String, String], Shared]()

  private lazy val sweeper = {
    val executor = Executors.newSingleThreadScheduledExecutor { task =>
      val thread = new Thread(task, "kafkalyst-producer-sweeper")
      thread.setDaemon(true)
      thread
    }
    executor.scheduleWithFixedDelay(() => closeIdle(), 1, 1, TimeUnit.MINUTES)
    executor
  }

  /** Gives the task a producer; [[release]] must follow. */
  def acquire(properties: Map[String, String]): Producer = {
    sweeper
    shared
      .compute(
        properties,
        (_, existing) => {
          // An id of the user's own would let one executor's producer fence another's.
          val entry =
            if (existing == null) new Shared(make(properties - ProducerConfig.TRANSACTIONAL_ID_CONFIG)) else existing
          entry.users.incrementAndGet()
          entry
        }
      )
      .producer
  }

  def release(properties: Map[String, String]): Unit =
    shared.computeIfPresent(
      properties,
      (_, entry) => {
        entry.lastUse = System.nanoTime()
        entry.users.decrementAndGet()
        entry
      }
    )

  private def closeIdle(): Unit = {
    val before = System.nanoTime() - TimeUnit.MINUTES.toNanos(idleMinutes)
    shared.keySet().asScala.toSeq.foreach { properties =>
      shared.computeIfPresent(
        properties,
        (_, entry) =>
          if (entry.users.get == 0 && entry.lastUse < before) {
            entry.producer.close(Duration.ofSeconds(5))
            null
          } else entry
      )
    }
  }

  /** What a transaction may take at most, in milliseconds: as much as brokers allow that are not told otherwise. */
  private[write] val longest = 15 * 60 * 1000

  /** A producer of the caller's own, who closes it. */
  private[write] def transactional(properties: Map[String, String], id: String): Producer = make(
    Map(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG -> longest.toString) ++ properties +
      (ProducerConfig.TRANSACTIONAL_ID_CONFIG -> id)
  )

  private def make(properties: Map[String, String]): Producer = {
    val defaults = Map(
      // A task sends many rows at once: larger batches cost a few milliseconds and save most requests.
      ProducerConfig.BATCH_SIZE_CONFIG -> "131072",
      ProducerConfig.LINGER_MS_CONFIG -> "10",
      ProducerConfig.ACKS_CONFIG -> "all"
    )
    val serializer = classOf[ByteArraySerializer].getName
    val fixed = Map(
      ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG -> serializer,
      ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG -> serializer
    )
    try new KafkaProducer((defaults ++ properties ++ fixed).asJava.asInstanceOf[java.util.Map[String, Object]])
    catch { case e: KafkaException => throw ClientErrors.notMade(e, properties) }
  }
}
