package io.kafkalyst.model

import java.util.Locale

import io.kafkalyst.model.settings.{Setting, Trust}
import io.kafkalyst.model.flink.FlinkProperties
import io.kafkalyst.errors.{Conditions, KafkalystException, Redaction}

/**
 * Properties of Kafka's clients by the trust that they need. The names are Kafka's; properties not listed need the
 * application's configuration, so that a property of a later Kafka is not allowed by default.
 */
object ClientProperties {

  /** Sizes, times, counts and choices; no addresses, logins, files or classes. */
  val free: Seq[String] = Seq(
    "acks",
    "allow.auto.create.topics",
    "auto.commit.interval.ms",
    "auto.offset.reset",
    "batch.size",
    "buffer.memory",
    "check.crcs",
    "client.dns.lookup",
    "client.id",
    "client.rack",
    "compression.gzip.level",
    "compression.lz4.level",
    "compression.type",
    "compression.zstd.level",
    "connections.max.idle.ms",
    "default.api.timeout.ms",
    "delivery.timeout.ms",
    "enable.auto.commit",
    "enable.idempotence",
    "enable.metrics.push",
    "exclude.internal.topics",
    "fetch.max.bytes",
    "fetch.max.wait.ms",
    "fetch.min.bytes",
    "group.id",
    "group.instance.id",
    "group.protocol",
    "heartbeat.interval.ms",
    "isolation.level",
    "linger.ms",
    "max.block.ms",
    "max.in.flight.requests.per.connection",
    "max.partition.fetch.bytes",
    "max.poll.interval.ms",
    "max.poll.records",
    "max.request.size",
    "metadata.max.age.ms",
    "metadata.max.idle.ms",
    "metadata.recovery.rebootstrap.trigger.ms",
    "metadata.recovery.strategy",
    "metrics.num.samples",
    "metrics.recording.level",
    "metrics.sample.window.ms",
    "partitioner.adaptive.partitioning.enable",
    "partitioner.availability.timeout.ms",
    "partitioner.ignore.keys",
    "receive.buffer.bytes",
    "reconnect.backoff.max.ms",
    "reconnect.backoff.ms",
    "request.timeout.ms",
    "retries",
    "retry.backoff.max.ms",
    "retry.backoff.ms",
    "send.buffer.bytes",
    "session.timeout.ms",
    "socket.connection.setup.timeout.max.ms",
    "socket.connection.setup.timeout.ms",
    "transaction.timeout.ms",
    "transactional.id"
  )

  private val isFree = free.toSet

  /** Kafka replaces `${…}` by the value of a config provider, such as an entry of a file. */
  private val reference = "${"

  /** The lowest trust level that may set the value. */
  def needed(name: String, value: String): Trust =
    if (isFree(name.toLowerCase(Locale.ROOT)) && !value.contains(reference)) Trust.Session else Trust.Application

  /**
   * What to say about an unknown property: where the clients' properties are, which Spark's own source takes as options
   * `kafka.x`, or the nearest name.
   *
   * @param name in upper case
   */
  def nearest(name: String, known: Seq[String]): String =
    if (name.startsWith("KAFKA.")) {
      val client = name.stripPrefix("KAFKA.").toLowerCase(Locale.ROOT)
      val setting = if (client == "bootstrap.servers") Setting.prefix + client else Setting.clientPrefix + client
      s" The cluster and its login are of the session, $setting, or of a catalog, see docs/howto/migrate.md."
    } else if (name == "TOPIC") """ Did you mean "KAFKA_TOPIC"?"""
    else Conditions.nearest(name, known)

  /** SECRET_IN_DEFINITION for a secret, which every reader of the catalog could see. */
  def noSecret(name: String): Unit = if (Redaction.isSecret(name)) throw KafkalystException(
    "SECRET_IN_DEFINITION",
    "property" -> (FlinkProperties.clientPrefix.toLowerCase(Locale.ROOT) + name),
    "setting" -> (Setting.clientPrefix + name)
  )
}
