package io.kafkalyst.catalog

import io.kafkalyst.errors.{KafkalystTaskException, Redaction}
import io.kafkalyst.read.{DeadLetters, DeadLetterTopic}
import io.kafkalyst.write.PlainDelivery
import org.apache.kafka.clients.producer.{ProducerConfig, ProducerRecord}
import org.apache.kafka.common.header.Headers

/**
 * Writes dead letters with the same kind of producer as other writes. Unless the client's properties limit the request
 * size, only the topic does: a letter that the producer refuses would stop the read for good.
 */
final case class DeadLetterProducer(topic: String, client: Map[String, String]) extends DeadLetterTopic {
  // The client's properties contain its login.
  override def toString: String = s"DeadLetterProducer($topic)"

  override def open(): DeadLetters = new DeadLetters {
    private val delivery = new PlainDelivery(limits ++ client, failed)

    override def send(key: Array[Byte], value: Array[Byte], headers: Headers): Unit =
      delivery.send(new ProducerRecord(topic, null, null, key, value, headers))

    override def flush(): Unit = delivery.flush()

    override def close(): Unit = delivery.close()
  }

  private def limits = Map(
    ProducerConfig.MAX_REQUEST_SIZE_CONFIG -> client.getOrElse(ProducerConfig.BUFFER_MEMORY_CONFIG, "33554432")
  )

  private def failed(error: Exception): Nothing =
    throw KafkalystTaskException(
      Redaction.cause(error, client),
      "DEAD_LETTER_FAILED",
      "topic" -> topic,
      "reason" -> Redaction.message(error.getMessage, client)
    )
}
