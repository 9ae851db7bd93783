package io.kafkalyst.analyze
package tables

import io.kafkalyst.catalog.{StoredObject, TopicSource}
import io.kafkalyst.clients.TopicAdmin
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.lake.History
import io.kafkalyst.model.{Properties, TopicObject}
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.model.flink.{FlinkProperties, OffsetsText}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Alias, Cast, Expression, Literal, UnixMillis}
import org.apache.spark.sql.catalyst.plans.logical.{OneRowRelation, Project}
import org.apache.spark.sql.kafkalyst.Frames
import org.apache.spark.sql.types.TimestampType

/**
 * TIMESTAMP AS OF and VERSION AS OF: an object at an earlier time, read from its topic, and its history, up to the
 * offsets of that time.
 *
 * Errors: AS_OF_OUTSIDE if the topic no longer has, or never had, the data of that time.
 */
private[kafkalyst] object AsOf {

  /** Applies a reader's options; without these, returns the object as it is now. */
  def said(
      session: SparkSession,
      name: String,
      o: TopicObject,
      options: Map[String, String],
      settings: => Settings
  ): TopicObject = {
    def given(option: String) = options.collectFirst { case (said, value) if said.equalsIgnoreCase(option) => value }
    apply(
      session,
      name,
      o,
      given(TopicSource.timestampAsOf).map(Literal(_)),
      given(TopicSource.versionAsOf),
      settings
    )
  }

  def apply(
      session: SparkSession,
      stored: StoredObject,
      timestamp: Option[Expression],
      version: Option[String],
      settings: => Settings
  ): TopicObject = apply(session, stored.name.toString, stored.topic, timestamp, version, settings)

  private def apply(
      session: SparkSession,
      name: String,
      o: TopicObject,
      timestamp: Option[Expression],
      version: Option[String],
      settings: => Settings
  ): TopicObject =
    if (timestamp.isEmpty && version.isEmpty) o
    else {
      if (timestamp.isDefined && version.isDefined)
        outside(
          o,
          s"${timestamp.get.sql} and '${version.get}'",
          "one of the two says what to read, a time or a version"
        )
      val now = settings
      val admin = TopicAdmin(now.clientProperties)
      val history = History.of(session, name, o, admin)
      val ends =
        timestamp.fold(byOffsets(o, version.get, now, admin, history))(byTime(session, o, _, now, admin, history))
      o.copy(options = o.options ++ ends.map { case (property, value) => property.name -> value })
    }

  private def byTime(
      session: SparkSession,
      o: TopicObject,
      timestamp: Expression,
      settings: Settings,
      admin: TopicAdmin,
      history: Option[History]
  ) = {
    val row = Frames.of(
      session,
      Project(Seq(Alias(UnixMillis(Cast(timestamp, TimestampType)), "t")()), OneRowRelation())
    ).head()
    if (row.isNullAt(0)) outside(o, timestamp.sql, "it is not a time such as '2026-01-31 12:00:00'")
    // Records of that same millisecond are included.
    val end = row.getLong(0) + 1
    // Computed once, because it queries the history table.
    val ofHistory = history.map(_.at(end, admin))
    requireThere(o, timestamp.sql, settings, admin, history) { (topic, there) =>
      val places = ofHistory.getOrElse(admin.offsetsAt(topic, end))
      there.collect { case (p, (first, _)) if places.get(p).exists(_ <= first) => (p, first) }
    }
    ofHistory.fold(Seq(Properties.endMode -> "timestamp", Properties.endTime -> end.toString)) { places =>
      val ends = admin.offsets(o.topic).map { case (p, (_, next)) => p -> next } ++ places
      Seq(Properties.endMode -> "specific-offsets", FlinkProperties.endOffsets -> OffsetsText.of(ends))
    }
  }

  private def byOffsets(
      o: TopicObject,
      version: String,
      settings: Settings,
      admin: TopicAdmin,
      history: Option[History]
  ) = {
    val asked = OffsetsText.offsets(version).getOrElse(Map.empty)
    if (asked.isEmpty) outside(o, s"'$version'", s"a version is the offsets to read up to; ${OffsetsText.form}")
    requireThere(o, s"'$version'", settings, admin, history) { (_, there) =>
      asked.foreach { case (p, end) =>
        there.get(p) match {
          case None => outside(o, s"'$version'", s"the topic has no partition $p, but 0 to ${there.size - 1}")
          case Some((_, next)) if end > next =>
            outside(o, s"'$version'", s"partition $p has got to offset $next only")
          case _ =>
        }
      }
      there.collect { case (p, (first, _)) if asked.get(p).exists(_ < first) => (p, first) }
    }
    Seq(Properties.endMode -> "specific-offsets", FlinkProperties.endOffsets -> version)
  }

  /** Rejects a position before the topic's first record, unless the settings accept it. */
  private def requireThere(
      o: TopicObject,
      asked: String,
      settings: Settings,
      admin: TopicAdmin,
      history: Option[History]
  )(
      lost: (String, Map[Int, (Long, Long)]) => Map[Int, Long]
  ): Unit = {
    def there(topic: String) = history.fold(admin.offsets(topic))(_.offsets(admin))
    val gone = o.topics.flatMap(topic => lost(topic, there(topic)).filter(_._2 > 0)).sorted
    if (gone.nonEmpty && !settings(Settings.asOfLost).equalsIgnoreCase("accept")) {
      val still = gone.map { case (p, first) => s"partition $p begins at offset $first" }.mkString(", ")
      outside(
        o,
        asked,
        s"its records of then are deleted: $still. SET `${Settings.asOfLost.name}`=accept reads what is left"
      )
    }
  }

  private def outside(o: TopicObject, asked: String, reason: String): Nothing =
    throw KafkalystException("AS_OF_OUTSIDE", "topic" -> o.topic, "asked" -> asked, "reason" -> reason)
}
