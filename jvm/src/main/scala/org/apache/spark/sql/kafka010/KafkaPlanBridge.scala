package org.apache.spark.sql.kafka010

import org.apache.kafka.common.TopicPartition
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.connector.read.streaming.PartitionOffset

/**
 * Reads what Spark's Kafka source planned for one task, and tells it how far one came. Its classes for both are
 * private to this package and the same in all supported versions; nothing else of ours may stand here.
 */
object KafkaPlanBridge {

  /** What Spark plans for a batch instead of an offset. */
  val earliest: Long = KafkaOffsetRangeLimit.EARLIEST
  val latest: Long = KafkaOffsetRangeLimit.LATEST

  /** A range of one partition. */
  final case class Range(
      topic: String,
      partition: Int,
      from: Long,
      until: Long,
      consumer: java.util.Map[String, Object],
      pollTimeoutMs: Long,
      failOnDataLoss: Boolean,
      preferredLocations: Array[String]
  ) {
    // The consumer's properties hold secrets.
    override def toString: String = s"$topic-$partition from $from until $until"
  }

  /** The next offset to be read, as Spark's Kafka source merges it with those of other partitions. */
  def reached(topic: String, partition: Int, offset: Long): PartitionOffset =
    KafkaSourcePartitionOffset(new TopicPartition(topic, partition), offset)

  def range(planned: InputPartition): Range = planned match {
    case p: KafkaBatchInputPartition =>
      Range(
        p.offsetRange.topicPartition.topic,
        p.offsetRange.topicPartition.partition,
        p.offsetRange.fromOffset,
        p.offsetRange.untilOffset,
        p.executorKafkaParams,
        p.pollTimeoutMs,
        p.failOnDataLoss,
        p.preferredLocations()
      )
  }
}
