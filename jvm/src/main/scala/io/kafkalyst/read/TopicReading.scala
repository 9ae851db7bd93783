package io.kafkalyst.read

import io.kafkalyst.model.TopicObject
import io.kafkalyst.registry.RegistryConfig
import org.apache.spark.sql.connector.read.InputPartition
import org.apache.spark.sql.kafka010.KafkaPlanBridge
import org.apache.spark.sql.types.StructType

/**
 * One task's range of one partition.
 *
 * @param isOpen  whether the task waits for records until its batch's time is over (real-time mode)
 * @param isWhole whether it starts at the partition's beginning: records that retention has deleted since then are no
 *                data loss
 * @param inRows  whether its records are returned as rows, because another task of the same batch returns rows
 */
final case class TopicInputPartition(
    range: KafkaPlanBridge.Range,
    isOpen: Boolean = false,
    isWhole: Boolean = false,
    inRows: Boolean = false
) extends InputPartition {
  override def preferredLocations(): Array[String] = range.preferredLocations
}

/**
 * What tasks need to decode: the object, the required columns, the registry's address.
 *
 * @param zone      the session's time zone
 * @param counts    accumulators for what a stream's tasks have read; None in a batch
 * @param latest    whether only the last record of each key is needed, in each batch of a stream
 * @param isCounted whether only the number of rows is needed
 */
final case class TopicReading(
    topic: TopicObject,
    asked: StructType,
    registry: Option[RegistryConfig],
    deadLetters: Option[DeadLetterTopic],
    zone: String,
    counts: Option[SourceCounts] = None,
    latest: Boolean = false,
    isCounted: Boolean = false
) {

  /**
   * Whether rows can be returned in batches. Events cannot: columns that their rows share are filled once, for the
   * first row.
   */
  def isColumnar: Boolean = !isCounted && !topic.value.isEvent && layout.types.forall(BatchColumn.takes)

  // Built once on the driver, which uses it for each partition, and once per task.
  @transient private[read] lazy val layout: RowLayout = new RowLayout(topic, asked)

  override def toString: String = s"TopicReading(${topic.topic})"
}
