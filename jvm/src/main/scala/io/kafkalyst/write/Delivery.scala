package io.kafkalyst.write

import org.apache.kafka.clients.producer.{Callback, ProducerRecord, RecordMetadata}

/**
 * What a task sends by a shared producer, until it knows that all of it has arrived.
 *
 * @param producer properties of the client
 * @param fail     throws the error that tells what could not be written
 */
final class Delivery(producer: Map[String, String], fail: Exception => Nothing) {
  private val shared = Producers.acquire(producer)
  private var released = false

  @volatile private var failure: Exception = _

  private val onSent = new Callback {
    override def onCompletion(metadata: RecordMetadata, error: Exception): Unit =
      if (error != null && failure == null) failure = error
  }

  /** The number of a topic's partitions. */
  def partitions(topic: String): Int =
    try shared.partitionsFor(topic).size
    catch { case error: org.apache.kafka.common.KafkaException => fail(error) }

  /** Sends a record, or fails with what is known of earlier ones. */
  def send(record: ProducerRecord[Array[Byte], Array[Byte]]): Unit = {
    check()
    try shared.send(record, onSent)
    catch { case error: org.apache.kafka.common.KafkaException => fail(error) }
  }

  /** Returns when all in-sync replicas have all that was sent. */
  def flush(): Unit = {
    shared.flush()
    check()
  }

  def close(): Unit = if (!released) {
    released = true
    Producers.release(producer)
  }

  private def check(): Unit = if (failure != null) fail(failure)
}
