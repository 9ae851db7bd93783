package io.kafkalyst.catalog

import java.util.Locale

import com.fasterxml.jackson.databind.ObjectMapper
import io.kafkalyst.clients.{TopicAdmin, TopicShape}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{Properties, Property, TopicObject, TopicPattern}
import io.kafkalyst.model.flink.{FlinkProperties, OffsetsText}
import io.kafkalyst.read.StreamStart
import org.slf4j.LoggerFactory

import scala.jdk.CollectionConverters._

/**
 * The range that an object's SCAN properties define.
 *
 * @param admin the client for the topic's brokers
 * @param reset where an unbounded read begins by default: `earliest` or `latest`
 */
private[catalog] final class ScanRange(o: TopicObject, admin: => TopicAdmin, reset: String = "earliest") {
  import ScanRange._

  /** The topics that are read; a pattern matches the topics that exist now. */
  lazy val topics: Seq[TopicShape] = o.pattern match {
    case None => o.topics.map(admin.require)
    case Some(pattern) => admin.list().filter(t => TopicPattern.matches(pattern, t.name))
  }

  /** Options of Spark's Kafka source: which topics to read, and from where. */
  def options(streaming: Boolean): Map[String, String] = {
    val start = mode(o, Properties.startMode) match {
      case Some("latest-offset") if streaming => Map("startingOffsets" -> "latest")
      case Some("timestamp") => Map(
          "startingTimestamp" -> required(o, Properties.startTime),
          // If no record has that timestamp yet, begin at the end.
          "startingOffsetsByTimestampStrategy" -> "latest"
        )
      case Some("specific-offsets") =>
        val given = offsets(o, Properties.startOffsets)
        // A restarted stream uses its own offsets, so the given offsets may be gone by then.
        if (!streaming) topics.foreach(t => checkStart(t.name, given))
        from((_, partition) => given.getOrElse(partition, earliest))
      case Some("group-offsets") =>
        val given = admin.committed(group(o))
        from((topic, partition) => given.getOrElse((topic, partition), withoutCommit(topic, partition)))
      case None if streaming => Map("startingOffsets" -> reset)
      case Some(mode) =>
        FlinkProperties.startNote(mode).foreach(note => log.warn(s"${o.topic}: $note"))
        Map("startingOffsets" -> "earliest")
      case _ => Map("startingOffsets" -> "earliest")
    }
    start + o.pattern.fold("subscribe" -> o.topics.mkString(","))("subscribePattern" -> _)
  }

  /** The position where a stream begins. */
  def start: StreamStart = mode(o, Properties.startMode) match {
    case Some("timestamp") => StreamStart.At(required(o, Properties.startTime).toLong)
    case Some("earliest-offset") => StreamStart.First
    case None if reset == "earliest" => StreamStart.First
    case _ => StreamStart.Elsewhere
  }

  /** START_OFFSET_OUT_OF_RANGE for an offset before the first record or after the end. */
  private def checkStart(topic: String, given: Map[Int, Long]): Unit = admin.offsets(topic).foreach {
    case (partition, (first, next)) =>
      given.get(partition).filter(at => at < first || at > next).foreach { at =>
        throw KafkalystException(
          "START_OFFSET_OUT_OF_RANGE",
          "topic" -> topic,
          "partition" -> partition.toString,
          "offset" -> at.toString,
          "first" -> first.toString,
          "next" -> next.toString
        )
      }
  }

  /** The end of each partition, the same for a range's start and its end. */
  private lazy val last =
    topics.flatMap(t => admin.offsets(t.name).map { case (p, (_, end)) => (t.name, p) -> end }).toMap

  private def from(offset: (String, Int) => Long): Map[String, String] = {
    // Spark requires an offset for every partition.
    val all = topics.map { t =>
      t.name -> (0 until t.partitions).map(p => p.toString -> Long.box(offset(t.name, p))).toMap.asJava
    }
    Map("startingOffsets" -> new ObjectMapper().writeValueAsString(all.toMap.asJava))
  }

  private def withoutCommit(topic: String, partition: Int): Long =
    o.options.get(FlinkProperties.reset).map(_.toLowerCase(Locale.ROOT)) match {
      case Some("earliest") => earliest
      case Some("latest") => last(topic -> partition)
      case _ => throw noCommit(topic, partition, "set 'properties.auto.offset.reset' to 'earliest' or 'latest', or ")
    }

  private def noCommit(topic: String, partition: Int, instead: String) = KafkalystException(
    "GROUP_WITHOUT_OFFSET",
    "group" -> group(o),
    "topic" -> topic,
    "partition" -> partition.toString,
    "instead" -> s"To read it, ${instead}choose another mode of the scan."
  )

  /**
   * The exclusive end offsets, by topic and partition; a batch reads all other partitions to their end.
   *
   * @param streaming whether for a stream, which waits for records up to its ends; a batch stops at the current end
   */
  def ends(streaming: Boolean): Map[(String, Int), Long] = {
    val ends: Map[(String, Int), Long] = mode(o, Properties.endMode) match {
      case Some("latest-offset") if streaming => last
      case Some("timestamp") =>
        val time = required(o, Properties.endTime).toLong
        last ++ topics.flatMap(t => admin.offsetsAt(t.name, time).map { case (p, at) => (t.name, p) -> at })
      case Some("group-offsets") =>
        val given = admin.committed(group(o))
        last.map { case (p, _) => p -> given.getOrElse(p, throw noCommit(p._1, p._2, "")) }
      case Some("specific-offsets") =>
        val given = offsets(o, FlinkProperties.endOffsets)
        last.map { case ((topic, p), _) => (topic, p) -> given.getOrElse(p, 0L) }
      case _ => Map.empty
    }
    if (streaming) ends else ends.map { case (p, end) => p -> math.min(end, last(p)) }
  }
}

private[catalog] object ScanRange {

  private val log = LoggerFactory.getLogger("io.kafkalyst.catalog")

  // The value of Spark's Kafka source for the earliest offset.
  private val earliest = -2L

  private def mode(o: TopicObject, property: Property) = o.options.get(property.name).map(_.toLowerCase(Locale.ROOT))

  private def required(o: TopicObject, property: Property): String =
    o.options.getOrElse(property.name, throw property.missing)

  private def offsets(o: TopicObject, property: Property): Map[Int, Long] =
    OffsetsText.offsets(required(o, property)).getOrElse(Map.empty)

  private def group(o: TopicObject): String = o.options.getOrElse(
    FlinkProperties.group,
    throw KafkalystException(
      "MISSING_PROPERTY",
      "property" -> FlinkProperties.group,
      "doc" -> "The consumer group whose committed offsets the mode `group-offsets` takes."
    )
  )

  /** Throws MISSING_PROPERTY if a scan mode needs another property. */
  def check(o: TopicObject): Unit = {
    Seq(
      Properties.startMode -> Map("timestamp" -> Properties.startTime, "specific-offsets" -> Properties.startOffsets),
      Properties.endMode -> Map("timestamp" -> Properties.endTime, "specific-offsets" -> FlinkProperties.endOffsets)
    ).foreach { case (property, companions) =>
      mode(o, property).foreach { said =>
        companions.get(said).foreach(required(o, _))
        if (said == "group-offsets") group(o)
      }
    }
  }
}
