package io.kafkalyst.clients

import java.nio.ByteBuffer
import java.time.Duration
import java.{util => ju}

import io.kafkalyst.errors.{ClientErrors, KafkalystTaskException, Redaction}
import org.apache.kafka.clients.consumer.{ConsumerConfig, KafkaConsumer}
import org.apache.kafka.common.KafkaException
import org.apache.kafka.common.serialization.ByteBufferDeserializer

import scala.jdk.CollectionConverters._

/** The consumers of the tasks of one JVM, without consumer groups: Spark manages the offsets. */
object Consumers {
  type Consumer = KafkaConsumer[ByteBuffer, ByteBuffer]
  type Properties = Map[String, AnyRef]

  /**
   * Defaults: fetches of 8 MiB; a receive buffer of -1, so the OS chooses its size. Spark's source uses Kafka's 64 KiB
   * buffer and 1 MiB per fetch, and a task with one partition waits after each fetch.
   */
  val fetches: Map[String, String] = Map(
    ConsumerConfig.RECEIVE_BUFFER_CONFIG -> "-1",
    ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG -> (8 * 1024 * 1024).toString
  )

  private val kept = new KeptClients[Consumer](make, discard, KeptClients.ofTasks)

  /**
   * The properties of a consumer for the ranges that Spark's Kafka source has planned.
   *
   * @param given  the properties of the source's consumers
   * @param isOpen whether the task waits for new records
   */
  def properties(given: ju.Map[String, Object], isOpen: Boolean): Properties = {
    val fixed = Map(
      ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG -> classOf[ByteBufferDeserializer].getName,
      ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG -> classOf[ByteBufferDeserializer].getName,
      ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG -> "false",
      ConsumerConfig.AUTO_OFFSET_RESET_CONFIG -> "none"
    )
    // A bounded task need not wait for new data.
    val defaults: Properties = if (isOpen) Map.empty else Map(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG -> "5")
    // Spark manages the offsets: its group id, different for each query, would only prevent sharing of equal consumers.
    (defaults ++ given.asScala - ConsumerConfig.GROUP_ID_CONFIG) ++ fixed
  }

  /** A consumer for the caller's exclusive use, until [[release]] or [[discard]]; the caller assigns its partitions. */
  def acquire(properties: Properties): Consumer = kept.acquire(properties)

  /**
   * Takes back a healthy consumer.
   *
   * @param isAssigned whether it keeps its partitions; assigning the same ones again then needs no leader lookup
   */
  def release(properties: Properties, consumer: Consumer, isAssigned: Boolean = false): Unit = {
    if (!isAssigned) consumer.unsubscribe()
    kept.release(properties, consumer)
  }

  /** A consumer's error: a named condition if the broker refused something, else unchanged. */
  def failed(e: KafkaException, topic: String, properties: Properties): Exception = {
    val texts = properties.map { case (name, value) => name -> String.valueOf(value) }
    ClientErrors.refused(e, texts, topic).fold[Exception](e) { case (condition, parameters) =>
      KafkalystTaskException(Redaction.cause(e, texts), condition, parameters: _*)
    }
  }

  /** A copy of a record's key or value; None for null. */
  def bytes(of: ByteBuffer): Option[Array[Byte]] = Option(of).map { b =>
    val copied = new Array[Byte](b.remaining)
    b.duplicate().get(copied)
    copied
  }

  // Without a group there is nothing to commit, so a graceful close would only wait for the current fetch.
  def discard(consumer: Consumer): Unit = consumer.close(Duration.ZERO)

  private def make(properties: Properties): Consumer =
    try new KafkaConsumer[ByteBuffer, ByteBuffer](properties.asJava)
    catch { case e: KafkaException => throw ClientErrors.notMade(e, properties) }
}
