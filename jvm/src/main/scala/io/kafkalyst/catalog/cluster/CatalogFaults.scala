package io.kafkalyst.catalog.cluster

import io.kafkalyst.errors.{Causes, ClientErrors, KafkalystException, Redaction}
import org.apache.kafka.common.KafkaException
import org.apache.kafka.common.errors.{AuthorizationException, TransactionalIdAuthorizationException}

/** What is wrong with a catalog's topic of definitions, or with a login's rights on it. */
private[cluster] final class CatalogFaults(
    catalog: String,
    topic: String,
    client: Map[String, String],
    transactionalId: String
) {
  def isDenied(e: Throwable): Boolean = causes(e).exists(_.isInstanceOf[AuthorizationException])

  private def causes(e: Throwable) = Causes.of(e).take(10)

  def unusable(reason: String): KafkalystException =
    KafkalystException("CATALOG_TOPIC", "catalog" -> catalog, "topic" -> topic, "reason" -> reason)

  def failed(e: KafkaException): KafkalystException = KafkalystException.caused(
    Redaction.cause(e, client),
    "KAFKA_ERROR",
    "brokers" -> client("bootstrap.servers"),
    "reason" -> ClientErrors.reason(e, client)
  )

  def denied(e: Throwable): KafkalystException = {
    val isOfId = causes(e).exists(_.isInstanceOf[TransactionalIdAuthorizationException])
    val right =
      if (isOfId) s"WRITE and DESCRIBE on the transactional id $transactionalId"
      else s"CREATE, READ, WRITE, DESCRIBE and DESCRIBE_CONFIGS on the topic $topic"
    KafkalystException.caused(
      Redaction.cause(e, client),
      "CATALOG_DENIED",
      "catalog" -> catalog,
      "topic" -> topic,
      "right" -> right
    )
  }
}
