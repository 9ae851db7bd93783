package io.kafkalyst.analyze
package tables

import java.util.Locale

import io.kafkalyst.clients.TopicAdmin
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{OffsetsText, Properties, Settings, TopicObject}
import io.kafkalyst.model.flink.FlinkProperties
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Alias, Cast, Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{OneRowRelation, Project}
import org.apache.spark.sql.kafkalyst.Frames
import org.apache.spark.sql.types.TimestampType

/**
 * TIMESTAMP AS OF and VERSION AS OF: an object at an earlier time, which is its topic up to that time's offsets.
 *
 * Errors: AS_OF_OUTSIDE if the topic no longer has, or never had, the data of that time.
 */
private[analyze] object AsOf {
  private val timestampOption = "timestampasof"
  private val versionOption = "versionasof"

  /** The equivalent reader options, which are Spark's own. */
  def isOption(name: String): Boolean = Seq(timestampOption, versionOption).contains(name.toLowerCase(Locale.ROOT))

  /** Applies a reader's options; without them, the object as it is now. */
  def said(session: SparkSession, o: TopicObject, options: Map[String, String], settings: => Settings): TopicObject = {
    val given = options.map { case (name, value) => name.toLowerCase(Locale.ROOT) -> value }
    apply(session, o, given.get(timestampOption).map(Literal(_)), given.get(versionOption), settings)
  }

  def apply(
      session: SparkSession,
      o: TopicObject,
      timestamp: Option[Expression],
      version: Option[String],
      settings: => Settings
  ): TopicObject =
    if (timestamp.isEmpty && version.isEmpty) o
    else {
      val ends = timestamp.fold(byOffsets(o, version.get, settings))(byTime(session, o, _, settings))
      o.copy(options = o.options ++ ends.map { case (property, value) => property.name -> value })
    }

  private def byTime(session: SparkSession, o: TopicObject, timestamp: Expression, settings: Settings) = {
    val row = Frames.of(session, Project(Seq(Alias(Cast(timestamp, TimestampType), "t")()), OneRowRelation())).head()
    if (row.isNullAt(0)) outside(o, timestamp.sql, "it is no time")
    // Records of that same millisecond are included.
    val end = row.getTimestamp(0).getTime + 1
    requireThere(o, timestamp.sql, settings) { (admin, topic) =>
      val at = admin.offsetsAt(topic, end)
      admin.offsets(topic).collect { case (p, (first, _)) if at.get(p).exists(_ <= first) => (p, first) }
    }
    Seq(Properties.endMode -> "timestamp", Properties.endTime -> end.toString)
  }

  private def byOffsets(o: TopicObject, version: String, settings: Settings) = {
    val asked = OffsetsText.offsets(version).getOrElse(Map.empty)
    if (asked.isEmpty) outside(o, s"'$version'", s"a version is the offsets to read up to; ${OffsetsText.form}")
    requireThere(o, s"'$version'", settings) { (admin, topic) =>
      val there = admin.offsets(topic)
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
  private def requireThere(o: TopicObject, asked: String, settings: Settings)(
      lost: (TopicAdmin, String) => Map[Int, Long]
  ): Unit = {
    val admin = TopicAdmin(settings.clientProperties)
    val gone = o.topics.flatMap(topic => lost(admin, topic).filter(_._2 > 0)).sorted
    if (gone.nonEmpty && !settings(Settings.asOfLost).equalsIgnoreCase("accept")) {
      val still = gone.map { case (p, first) => s"partition $p begins at offset $first" }.mkString(", ")
      outside(
        o,
        asked,
        s"its records of then are deleted: $still. SET ${Settings.asOfLost.name}=accept reads what is left"
      )
    }
  }

  private def outside(o: TopicObject, asked: String, reason: String): Nothing =
    throw KafkalystException("AS_OF_OUTSIDE", "topic" -> o.topic, "asked" -> asked, "reason" -> reason)
}
