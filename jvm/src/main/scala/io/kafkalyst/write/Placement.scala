package io.kafkalyst.write

import io.kafkalyst.keys.{KeyHash, KeyPart}
import io.kafkalyst.model.{Side, SinkProperties, TopicColumn, TopicObject}
import org.apache.spark.sql.catalyst.InternalRow

import scala.collection.mutable

/**
 * Chooses the partitions of one task's records, according to the property `sink.partitioner`. Not thread-safe.
 *
 * @param columns    the rows' columns
 * @param task       the task's number
 * @param partitions the number of a topic's partitions
 */
private[write] final class Placement(
    topic: TopicObject,
    columns: Seq[TopicColumn],
    task: Int,
    partitions: String => Int
) {
  private val known = mutable.Map.empty[String, Int]
  private var next = task

  private lazy val hash = new KeyHash(columns.zipWithIndex.collect {
    case (column, ordinal) if column.isIn(Side.Key) => KeyPart(column.name, column.dataType, ordinal)
  })

  private val choose: (String, InternalRow) => Integer = SinkProperties.partitionerOf(topic) match {
    case SinkProperties.fixed => (name, _) => task % partitionsOf(name)
    case SinkProperties.roundRobin => (name, _) =>
        val at = next % partitionsOf(name)
        next = at + 1
        at
    case SinkProperties.byValue => (name, row) =>
        val of = hash.of(row)
        if (of < 0) null else of % partitionsOf(name)
    case _ => (_, _) => null
  }

  /** The topic's partition for the row; null leaves the choice to Kafka. */
  def apply(name: String, row: InternalRow): Integer = choose(name, row)

  private def partitionsOf(name: String) = known.getOrElseUpdate(name, partitions(name))
}
