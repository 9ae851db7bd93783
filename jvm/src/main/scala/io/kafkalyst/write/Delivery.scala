package io.kafkalyst.write

import io.kafkalyst.clients.{Producers, SentOffsets}
import org.apache.kafka.clients.producer.{Callback, ProducerRecord, RecordMetadata}
import org.apache.kafka.common.KafkaException

/** The records that a task sends, tracked until all are acknowledged. */
trait Delivery {

  /** The number of a topic's partitions. */
  def partitions(topic: String): Int

  /** Sends a record; throws the error of an earlier record if one has failed. */
  def send(record: ProducerRecord[Array[Byte], Array[Byte]]): Unit

  /** Returns once all in-sync replicas have stored all sent records. */
  def flush(): Unit

  /** Rolls back the sent records, if possible. */
  def abort(): Unit

  def close(): Unit
}

/**
 * The state of records that are in flight.
 *
 * @param offsets is told of each record; None if nobody needs the offsets
 */
private[write] final class Sent(offsets: Option[SentOffsets] = None) extends Callback {
  @volatile private var failure: Exception = _

  override def onCompletion(metadata: RecordMetadata, error: Exception): Unit = {
    if (error != null && failure == null) failure = error
    offsets.foreach(_.onCompletion(metadata, error))
  }

  def check(): Unit = if (failure != null) throw failure
}

/**
 * At-least-once delivery. The task uses the producer exclusively; afterwards the executor keeps the producer for reuse.
 *
 * @param properties properties of the client
 * @param fail       throws the error that names what could not be written
 */
final class PlainDelivery(properties: Map[String, String], fail: Exception => Nothing) extends Delivery {
  private val producer = Producers.acquire(properties)
  private val sent = new Sent
  // Whether nothing is in flight, so that another task can reuse the producer.
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
