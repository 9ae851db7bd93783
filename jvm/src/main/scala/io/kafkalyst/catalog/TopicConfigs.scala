package io.kafkalyst.catalog

import io.kafkalyst.metadata.WindowedKey
import io.kafkalyst.model.{ObjectKind, Properties, TopicObject}

/** The configuration of a new topic that preserves the object's meaning, as in ksqlDB. */
private[kafkalyst] object TopicConfigs {
  val retention = "retention.ms"
  val retentionBytes = "retention.bytes"
  val cleanup = "cleanup.policy"

  /**
   * A stream's records expire by age, by default as the broker is configured; so do events, which have no keys. A
   * table's topic is compacted. A windowed table's topic is both, but expires by age only if requested: a query over
   * old records writes old windows, which would expire at once.
   *
   * @param given checked properties by upper-case name
   * @throws io.kafkalyst.errors.KafkalystException INVALID_PROPERTY for RETENTION_MS of a table without windows
   */
  def of(o: TopicObject, given: Map[String, String]): Map[String, String] = {
    val asked = given.get(Properties.retention.name)
    if (o.kind == ObjectKind.Stream || o.value.isEvent) Map(cleanup -> "delete") ++ asked.map(retention -> _)
    else if (WindowedKey.is(o)) Map(cleanup -> "compact,delete", retention -> asked.getOrElse("-1"))
    else {
      asked.foreach(refuse(_, "the topic of a TABLE without windows is compacted, and keeps each key's latest record"))
      Map(cleanup -> "compact")
    }
  }

  /** Throws INVALID_PROPERTY if an existing topic's retention differs from RETENTION_MS. */
  def checkRetention(topic: String, given: Map[String, String], found: => Option[String]): Unit =
    given.get(Properties.retention.name).filterNot(asked => found.contains(asked)).foreach { asked =>
      refuse(
        asked,
        s"""topic "$topic" exists and has $retention=${found.getOrElse("unknown")}; leave it out to take it as it is"""
      )
    }

  private def refuse(given: String, reason: String): Nothing = throw Properties.retention.invalid(given, reason)
}
