package io.kafkalyst.clients

import io.kafkalyst.errors.{Conditions, KafkalystException}
import org.apache.kafka.clients.admin.AdminClientConfig
import org.apache.kafka.clients.consumer.ConsumerConfig
import org.apache.kafka.clients.producer.ProducerConfig
import org.slf4j.LoggerFactory

import scala.jdk.CollectionConverters._

/** Checks the names of client properties: Kafka's clients accept any name, and unknown ones have no effect. */
private[clients] object ClientNames {
  private val log = LoggerFactory.getLogger("io.kafkalyst.clients")

  private lazy val known: Set[String] =
    Seq(AdminClientConfig.configNames(), ConsumerConfig.configNames(), ProducerConfig.configNames())
      .flatMap(_.asScala).toSet ++ Seq("metrics.jmx.include", "metrics.jmx.exclude")

  // librdkafka's names, as in clients for Python, Go and C#, and what Kafka's own clients have for them.
  private val others = Map(
    "compression.codec" -> "compression.type",
    "enable.ssl.certificate.verification" -> "ssl.endpoint.identification.algorithm",
    "fetch.message.max.bytes" -> "max.partition.fetch.bytes",
    "message.max.bytes" -> "max.request.size",
    "message.timeout.ms" -> "delivery.timeout.ms",
    "metadata.broker.list" -> "bootstrap.servers",
    "queue.buffering.max.ms" -> "linger.ms",
    "request.required.acks" -> "acks",
    "sasl.mechanisms" -> "sasl.mechanism",
    "sasl.password" -> "sasl.jaas.config",
    "sasl.username" -> "sasl.jaas.config",
    "socket.timeout.ms" -> "request.timeout.ms",
    "ssl.ca.location" -> "ssl.truststore.location",
    "ssl.certificate.location" -> "ssl.keystore.location",
    "ssl.key.location" -> "ssl.keystore.location"
  )

  // Sessions may set any number of names.
  private val told = new Recent[String, Unit](most = 1024)

  /**
   * Refuses a misspelt name, and logs a warning for any other unknown one. Classes of users, such as callback handlers
   * and config providers, may have properties of any name, so beside them nothing is refused.
   *
   * @throws io.kafkalyst.errors.KafkalystException CLIENT_SETTINGS
   */
  def check(properties: Iterable[String]): Unit = {
    val unknown = properties.toSeq.filterNot(isKnown).sorted
    if (!properties.exists(isOfUsers))
      unknown.find(Conditions.isMisspelt(_, known)).foreach { name =>
        throw KafkalystException("CLIENT_SETTINGS", "reason" -> said(name), "hint" -> "")
      }
    unknown.foreach(name => told.getOrMake(name)(log.warn(said(name))))
  }

  private def isKnown(name: String) = known(name) || name.startsWith("config.providers.") ||
    name.startsWith("metrics.context.")

  /** Whether the property names classes of users. */
  private def isOfUsers(name: String) = name == "config.providers" || name == "metric.reporters" ||
    name == "security.providers" || name.endsWith(".class") || name.endsWith(".classes")

  /** What is wrong with an unknown name; without its value, which may be a secret. */
  private[clients] def said(name: String): String = {
    val instead = others.get(name).map(of => s""" That is librdkafka's name; Kafka's own clients have "$of".""")
    s"""Kafka's clients have no property "$name".${instead.getOrElse(Conditions.nearest(name, known))}"""
  }

  /** The sentences about librdkafka's names among the properties. */
  def ofOthers(properties: Iterable[String]): Seq[String] =
    properties.toSeq.filter(name => others.contains(name) && !known(name)).sorted.map(said)
}
