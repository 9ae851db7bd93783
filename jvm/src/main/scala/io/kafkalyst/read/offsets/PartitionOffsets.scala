package io.kafkalyst.read
package offsets

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}

import scala.collection.immutable.SortedMap
import scala.jdk.CollectionConverters._

/** Offsets, or distances between them, by topic and partition, in the JSON of Spark's Kafka source. */
object PartitionOffsets {
  type Offsets = SortedMap[String, SortedMap[Int, Long]]
  val none: Offsets = SortedMap.empty

  private val mapper = new ObjectMapper()

  /** The offsets in `{"topic":{"0":7,"1":9}}`; empty for null. */
  def of(json: String): Offsets = {
    val node: JsonNode = if (json == null) null else mapper.readTree(json)
    if (node == null || !node.isObject) none
    else SortedMap.from(node.fields.asScala.filter(_.getValue.isObject).map { topic =>
      topic.getKey -> SortedMap.from(topic.getValue.fields.asScala.map(p => p.getKey.toInt -> p.getValue.asLong))
    })
  }

  /** As JSON, with topics and partitions sorted. */
  def json(offsets: Offsets): String = {
    val all = mapper.createObjectNode()
    offsets.foreach { case (topic, partitions) =>
      val node = all.putObject(topic)
      partitions.foreach { case (partition, offset) => node.put(partition.toString, offset) }
    }
    mapper.writeValueAsString(all)
  }

  /** How far the second is behind the first; zero if the first does not contain the partition. */
  def behind(latest: Offsets, end: Offsets): Offsets = SortedMap.from(end.map { case (topic, partitions) =>
    topic -> SortedMap.from(partitions.map { case (partition, offset) =>
      partition -> math.max(0L, latest.get(topic).flatMap(_.get(partition)).fold(0L)(_ - offset))
    })
  })

  /** The sum of the distances of all partitions; None if there are none. */
  def total(distances: Offsets): Option[Long] = Option.when(distances.nonEmpty)(distances.values.flatMap(_.values).sum)

  /** Merges all into one; a partition that occurs twice gets the result of `both`. */
  def merged(all: Seq[Offsets])(both: (Long, Long) => Long): Offsets = all.foldLeft(none) { (sum, more) =>
    more.foldLeft(sum) { case (to, (topic, partitions)) =>
      val known = to.getOrElse(topic, SortedMap.empty[Int, Long])
      to.updated(topic, partitions.foldLeft(known) { case (k, (p, o)) => k.updated(p, k.get(p).fold(o)(both(_, o))) })
    }
  }
}
