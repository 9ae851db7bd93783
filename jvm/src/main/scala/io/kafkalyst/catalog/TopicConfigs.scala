package io.kafkalyst.catalog

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.metadata.WindowedKey
import io.kafkalyst.model.{ObjectKind, Properties, TopicObject}

/** What a topic is created with so that the object over it keeps its meaning; as ksqlDB does it. */
private[kafkalyst] object TopicConfigs {
  val retention = "retention.ms"
  private val cleanup = "cleanup.policy"
  private val week = 7L * 24 * 3600 * 1000

  /**
   * A stream's records end by their age, a table's by a newer one of the key, a windowed table's by both.
   *
   * @param given checked properties by upper-case name
   * @throws io.kafkalyst.errors.KafkalystException INVALID_PROPERTY for RETENTION_MS of a table without windows
   */
  def of(o: TopicObject, given: Map[String, String]): Map[String, String] = {
    val asked = given.get(Properties.retention.name)
    val kept = Map(retention -> asked.getOrElse(week.toString))
    if (o.kind == ObjectKind.Stream) kept + (cleanup -> "delete")
    else if (WindowedKey.is(o)) kept + (cleanup -> "compact,delete")
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

  private def refuse(given: String, reason: String): Nothing = throw KafkalystException(
    "INVALID_PROPERTY",
    "property" -> Properties.retention.name,
    "value" -> given,
    "expected" -> reason
  )
}
