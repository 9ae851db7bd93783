package io.kafkalyst.write

import io.kafkalyst.clients.Producers
import io.kafkalyst.errors.{Causes, ClientErrors, KafkalystTaskException, Redaction}
import io.kafkalyst.model.settings.Setting
import org.apache.kafka.clients.producer.ProducerConfig
import org.apache.kafka.common.errors._

/** Translates a producer's errors into conditions with a fix. */
private[kafkalyst] object WriteErrors {

  /** @throws io.kafkalyst.errors.KafkalystTaskException WRITE_FAILED, or EXACTLY_ONCE_NOT_REPEATABLE for a batch */
  def fail(topic: String, epoch: Option[Long], properties: Map[String, String])(error: Exception): Nothing =
    error match {
      case not: NotRepeatable =>
        throw KafkalystTaskException(
          null,
          "EXACTLY_ONCE_NOT_REPEATABLE",
          "topic" -> topic,
          "epoch" -> epoch.fold("")(_.toString),
          "reason" -> not.reason
        )
      case _ =>
        // After a commit without an answer, the missing right is not what the user must know first.
        val refused =
          if (error.isInstanceOf[UnansweredCommit]) None
          else ClientErrors.refused(ofTopic(error, topic), properties, topic)
        refused.foreach { case (condition, parameters) =>
          throw KafkalystTaskException(Redaction.cause(error, properties), condition, parameters: _*)
        }
        throw KafkalystTaskException(
          Redaction.cause(error, properties),
          "WRITE_FAILED",
          "topic" -> topic,
          "brokers" -> properties.getOrElse("bootstrap.servers", ""),
          "reason" -> Redaction.message(String.valueOf(error.getMessage), properties),
          "hint" -> hint(error, properties)
        )
    }

  /** The cluster refuses a login that may write to no topic at all, without naming a topic. */
  private def ofTopic(error: Exception, topic: String): Exception =
    if (!Causes.of(error).exists(_.isInstanceOf[ClusterAuthorizationException])) error
    else new TopicAuthorizationException(java.util.Set.of(topic))

  private def hint(error: Throwable, properties: Map[String, String]): String = {
    def setting(name: String) = s"${Setting.clientPrefix}$name"
    def limit(name: String, default: Int) = s"${setting(name)} (${properties.getOrElse(name, default.toString)} ms)"
    Causes.of(error).collectFirst {
      case _: UnansweredCommit =>
        "The broker did not answer the commit: the task's rows may be visible, or become so within " +
          s"${limit(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, Producers.longest)}. Look into the topic before you " +
          "repeat a statement; a query notices them by itself."
      case _: InvalidTxnTimeoutException =>
        s"The broker allows less than ${setting(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG)}: lower it to the broker's " +
          "transaction.max.timeout.ms."
      case _: TimeoutException =>
        "The broker may be down or slow, or the topic may have fewer replicas in sync than its min.insync.replicas. " +
          s"The limits are ${limit(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 120000)} for a record and " +
          s"${limit(ProducerConfig.MAX_BLOCK_MS_CONFIG, 60000)} to reach the broker at all."
      case _: RecordTooLargeException =>
        s"${setting(ProducerConfig.MAX_REQUEST_SIZE_CONFIG)} and the topic's max.message.bytes limit its size."
      case _: ProducerFencedException | _: InvalidProducerEpochException =>
        "Another run of the same query, or another attempt of the same task, has taken over."
      case _: AuthorizationException => "The login lacks a right."
      case _: UnknownTopicOrPartitionException | _: UnknownTopicIdException => "The topic was deleted meanwhile."
      case _: InvalidTxnStateException | _: InvalidPidMappingException =>
        s"The transaction was open longer than ${limit(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, Producers.longest)}."
    }.getOrElse("Nothing of what this task sent counts as written; it is tried again as often as Spark retries tasks.")
  }
}
