package io.kafkalyst.read
package offsets

import java.util.Locale

import com.fasterxml.jackson.databind.ObjectMapper
import io.kafkalyst.model.{Properties, TopicObject}
import io.kafkalyst.model.flink.FlinkProperties
import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path

import scala.collection.immutable.SortedMap

/**
 * Where a bounded stream ends, exclusive, by topic and partition. The ends are stored in the checkpoint: a later start
 * would ask the brokers again and get others, while the offsets in Spark's log reach only to the first ones.
 */
private[read] object TopicEnds {
  type Ends = Map[(String, Int), Long]

  private val file = "topic-ends.json"
  private val mapper = new ObjectMapper()

  /**
   * The ends of the first start; the current ones if the properties that determine them have changed.
   *
   * @param folder of the source in the checkpoint
   * @param now    the ends as of now
   */
  def kept(folder: String, topic: TopicObject, conf: Configuration)(now: => Ends): Ends = {
    val path = new Path(folder, file)
    val before = AtomicFile.read(path, conf).map(mapper.readTree)
    val said = saidOf(topic)
    before.filter(_.path("of").asText == said).fold {
      val ends = now
      // Stores the absence of an end, too: a later ALTER may set the same end again.
      if (ends.nonEmpty || before.isDefined) AtomicFile.write(path, json(said, ends), conf)
      ends
    } { json =>
      PartitionOffsets.of(json.path("ends").toString).flatMap { case (topic, partitions) =>
        partitions.map { case (partition, end) => (topic, partition) -> end }
      }.toMap
    }
  }

  /**
   * The highest offsets that a batch may reach. A partition without an end was added after the first start, so all its
   * records are beyond the end.
   */
  def capped(start: PartitionOffsets.Offsets, latest: PartitionOffsets.Offsets, ends: Ends): PartitionOffsets.Offsets =
    SortedMap.from(latest.iterator.map { case (topic, partitions) =>
      topic -> SortedMap.from(partitions.iterator.flatMap { case (p, offset) =>
        val from = start.get(topic).flatMap(_.get(p))
        // A stream never goes back: it may have ended, or reached a later end before.
        ends.get((topic, p)).map(end => math.min(offset, end)).map(at => from.fold(at)(math.max(_, at))).orElse(from)
          .map(p -> _)
      })
    }.filter(_._2.nonEmpty))

  private def json(said: String, ends: Ends): String = {
    val offsets = ends.groupMap(_._1._1) { case ((_, p), end) => p -> end }.map { case (t, all) =>
      t -> SortedMap.from(all)
    }
    val node = mapper.createObjectNode().put("of", said)
    node.set[Nothing]("ends", mapper.readTree(PartitionOffsets.json(SortedMap.from(offsets))))
    mapper.writeValueAsString(node)
  }

  /** The properties that determine the ends; empty if there are none. */
  private def saidOf(topic: TopicObject): String = {
    val said = Seq(Properties.endMode.name, Properties.endTime.name, FlinkProperties.endOffsets.name)
    val byGroup = topic.options.get(Properties.endMode.name).exists(_.toLowerCase(Locale.ROOT) == "group-offsets")
    (said ++ Option.when(byGroup)(FlinkProperties.group)).flatMap(n => topic.options.get(n).map(v => s"$n=$v"))
      .mkString(";")
  }
}
