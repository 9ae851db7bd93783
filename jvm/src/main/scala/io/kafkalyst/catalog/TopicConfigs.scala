package io.kafkalyst.catalog

import io.kafkalyst.metadata.WindowedKey
import io.kafkalyst.model.{ObjectKind, Properties, TopicObject}

/** What a topic is created with so that the object over it keeps its meaning; as ksqlDB does it. */
private[kafkalyst] object TopicConfigs {
  val retention = "retention.ms"
  val retentionBytes = "retention.bytes"
  val cleanup = "cleanup.policy"

  /**
   * A stream's records end by their age, which is the broker's to say unless it is asked for; a table's by a newer one of
   * the key; a windowed table's by both, but only where an age is asked for: windows of long ago, as a query over old
   * records makes them, would be gone as soon as they are written.
   *
   * @param given checked properties by upper-case name
   * @throws io.kafkalyst.errors.KafkalystException INVALID_PROPERTY for RETENTION_MS of a table without windows
   */
  def of(o: TopicObject, given: Map[String, String]): Map[String, String] = {
    val asked = given.get(Properties.retention.name)
    if (o.kind == ObjectKind.Stream) Map(cleanup -> "delete") ++ asked.map(retention -> _)
    else if (WindowedKey.is(o)) Map(cleanup -> "compact,delete", retention -> asked.getOrElse("-1"))
    else {
      asked.foreach(refuse(_, "the topic of a TABLE without windows is compacted, and keeps each key's latest record"))
      Map(cleanup -> "compact")
    }
  }

  /** INVALID_PROPERTY where a topic that exists keeps its records for another time than RETENTION_MS says. */
  def checkRetention(topic: String, given: Map[String, String], found: => Option[String]): Unit =
    given.get(Properties.retention.name).filterNot(asked => found.contains(asked)).foreach { asked =>
      refuse(
        asked,
        s"""topic "$topic" exists and has $retention=${found.getOrElse("unknown")}; leave it out to take it as it is"""
      )
    }

  private def refuse(given: String, reason: String): Nothing = throw Properties.retention.invalid(given, reason)
}
