package io.kafkalyst.clients

import java.time.Duration

import io.kafkalyst.errors.{Causes, ClientErrors}
import org.apache.kafka.clients.producer.{KafkaProducer, ProducerConfig}
import org.apache.kafka.common.KafkaException
import org.apache.kafka.common.errors.{InvalidProducerEpochException, ProducerFencedException}
import org.apache.kafka.common.serialization.ByteArraySerializer

import scala.jdk.CollectionConverters._
import scala.util.Try

/**
 * The producers of the tasks of one JVM. Each task has its own while it writes: tasks that share a producer block each
 * other on every record.
 */
object Producers {
  type Producer = KafkaProducer[Array[Byte], Array[Byte]]

  private val closingMs = 1000L
  private val kept = new KeptClients[Producer](make, discard, KeptClients.ofTasks)

  /** A producer for the caller's exclusive use, until [[release]] or [[discard]]. */
  def acquire(properties: Map[String, String]): Producer = kept.acquire(plain(properties))

  /** Takes back a producer without pending records. */
  def release(properties: Map[String, String], producer: Producer): Unit = kept.release(plain(properties), producer)

  /**
   * Closes a producer, also in an interrupted thread. Pending records belong to a failed task and are sent again by its
   * retry.
   */
  def discard(producer: Producer): Unit = {
    // Kafka waits without a limit for the producer's thread, which may be looking up a broker's name.
    val closing = new Thread(() => { Try(producer.close(Duration.ZERO)); () }, "kafkalyst-closing-producer")
    closing.setDaemon(true)
    closing.start()
    Uninterrupted(closing.join(closingMs))
  }

  // With a user-defined transactional id, one executor's producer would fence another's.
  private def plain(properties: Map[String, String]) = properties - ProducerConfig.TRANSACTIONAL_ID_CONFIG

  /** Maximum duration of a transaction, in milliseconds: the brokers' default limit. */
  val longest: Int = 15 * 60 * 1000

  /** A transactional producer; the caller closes it. */
  def transactional(properties: Map[String, String], id: String): Producer = make(
    Map(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG -> longest.toString) ++ properties +
      (ProducerConfig.TRANSACTIONAL_ID_CONFIG -> id)
  )

  /** Whether another producer with the same transactional id has begun. */
  def isFenced(e: Throwable): Boolean = Causes.of(e).take(10).exists {
    case _: ProducerFencedException | _: InvalidProducerEpochException => true
    case _ => false
  }

  private def make(properties: Map[String, AnyRef]): Producer = {
    val defaults = Map[String, AnyRef](
      // A task sends many rows at once: larger batches add a few milliseconds but save most requests.
      ProducerConfig.BATCH_SIZE_CONFIG -> (256 * 1024).toString,
      ProducerConfig.LINGER_MS_CONFIG -> "10",
      ProducerConfig.ACKS_CONFIG -> "all"
    )
    val serializer = classOf[ByteArraySerializer].getName
    val fixed = Map(
      ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG -> serializer,
      ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG -> serializer
    )
    try new KafkaProducer((defaults ++ properties ++ fixed).asJava)
    catch { case e: KafkaException => throw ClientErrors.notMade(e, properties) }
  }
}
