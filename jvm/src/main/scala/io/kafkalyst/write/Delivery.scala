package io.kafkalyst.write

import io.kafkalyst.clients.Producers
import org.apache.kafka.clients.producer.{Callback, ProducerRecord, RecordMetadata}
import org.apache.kafka.common.KafkaException

/** What a task sends, until it knows that all of it has arrived. */
trait Delivery {

  /** The number of a topic's partitions. */
  def partitions(topic: String): Int

  /** Sends a record, or fails with what is known of earlier ones. */
  def send(record: ProducerRecord[Array[Byte], Array[Byte]]): Unit

  /** Returns when all in-sync replicas have all that was sent. */
  def flush(): Unit

  /** Takes back what can be taken back. */
  def abort(): Unit

  def close(): Unit
}

/** What is known of records that are under way. */
private[write] final class Sent extends Callback {
  @volatile private var failure: Exception = _

  override def onCompletion(metadata: RecordMetadata, error: Exception): Unit =
    if (error != null && failure == null) failure = error

  def check(): Unit = if (failure != null) throw failure
}

/**
 * At least once, by a producer that the task has for itself and that stays with the executor.
 *
 * @param properties properties of the client
 * @param fail       throws the error that tells what could not be written
 */
final class PlainDelivery(properties: Map[String, String], fail: Exception => Nothing) extends Delivery {
  private val producer = Producers.acquire(properties)
  private val sent = new Sent
  // Whether nothing is under way, so that another task may have the producer.
  private var isSettled = true
  private var isClosed = false

  override def partitions(topic: String): Int = told(producer.partitionsFor(topic).size)

  override def send(record: ProducerRecord[Array[Byte], Array[Byte]]): Unit = told {
    sent.check()
    isSettled = false
    producer.send(record, sent)
    ()
  }

  override def flush(): Unit = told {
    producer.flush()
    sent.check()
    isSettled = true
  }

  override def abort(): Unit = ()

  override def close(): Unit = if (!isClosed) {
    isClosed = true
    if (isSettled) Producers.release(properties, producer) else Producers.discard(producer)
  }

  private def told[T](action: => T): T =
    try action
    catch { case error: KafkaException => fail(error) }
}
