package io.kafkalyst.write

import java.util.Arrays

import io.kafkalyst.keys.{KeyHash, KeyPart}
import io.kafkalyst.metadata.WindowedKey
import io.kafkalyst.model.{Side, SinkProperties, TopicColumn, TopicObject}
import org.apache.kafka.clients.producer.ProducerConfig
import org.apache.kafka.common.utils.Utils
import org.apache.spark.sql.catalyst.InternalRow

import scala.collection.mutable

/**
 * Chooses the partitions of one task's records, according to the property `sink.partitioner`. Not thread-safe.
 *
 * @param columns    the rows' columns
 * @param task       the task's number
 * @param producer   the producer's properties
 * @param partitions the number of a topic's partitions
 */
private[write] final class Placement(
    topic: TopicObject,
    columns: Seq[TopicColumn],
    task: Int,
    producer: Map[String, String],
    partitions: String => Int
) {
  private val known = mutable.Map.empty[String, Int]
  private var next = task

  private lazy val hash = new KeyHash(columns.zipWithIndex.collect {
    case (column, ordinal) if column.isIn(Side.Key) => KeyPart(column.name, column.dataType, ordinal)
  })

  private val window = WindowedKey.length(topic)
  private val ignoresKeys =
    producer.get(ProducerConfig.PARTITIONER_IGNORE_KEYS_CONFIG).exists(_.equalsIgnoreCase("true"))

  private val choose: (String, InternalRow, Array[Byte]) => Integer = SinkProperties.partitionerOf(topic) match {
    case SinkProperties.fixed => (name, _, _) => task % partitionsOf(name)
    case SinkProperties.roundRobin => (name, _, _) =>
        val at = next % partitionsOf(name)
        next = at + 1
        at
    case SinkProperties.byValue => (name, row, _) =>
        val of = hash.of(row)
        if (of < 0) null else of % partitionsOf(name)
    // As in Kafka Streams, all windows of a key are in one partition.
    case _ if window > 0 && !ignoresKeys =>
      (name, _, key) =>
        if (key == null) null
        else Utils.toPositive(Utils.murmur2(Arrays.copyOf(key, key.length - window))) % partitionsOf(name)
    case _ => (_, _, _) => null
  }

  /**
   * The topic's partition for the row; null leaves the choice to Kafka.
   *
   * @param key the record's key, with its window; may be null
   */
  def apply(name: String, row: InternalRow, key: Array[Byte]): Integer = choose(name, row, key)

  private def partitionsOf(name: String) = known.getOrElseUpdate(name, partitions(name))
}
