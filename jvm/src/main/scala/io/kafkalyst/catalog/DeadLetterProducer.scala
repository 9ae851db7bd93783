package io.kafkalyst.catalog

import io.kafkalyst.errors.{KafkalystTaskException, Redaction}
import io.kafkalyst.read.{DeadLetters, DeadLetterTopic}
import io.kafkalyst.write.PlainDelivery
import org.apache.kafka.clients.producer.ProducerRecord
import org.apache.kafka.common.header.Headers

/** Writes dead letters with the same kind of producer as other writes. */
final case class DeadLetterProducer(topic: String, client: Map[String, String]) extends DeadLetterTopic {
  override def open(): DeadLetters = new DeadLetters {
    private val delivery = new PlainDelivery(client, failed)

    override def send(key: Array[Byte], value: Array[Byte], headers: Headers): Unit =
      delivery.send(new ProducerRecord(topic, null, null, key, value, headers))

    override def flush(): Unit = delivery.flush()

    override def close(): Unit = delivery.close()
  }

  private def failed(error: Exception): Nothing =
    throw KafkalystTaskException(
      Redaction.cause(error, client),
      "DEAD_LETTER_FAILED",
      "topic" -> topic,
      "reason" -> Redaction.message(error.getMessage, client)
    )
}
