package io.kafkalyst.read

import org.apache.spark.{Partition, TaskContext}
import org.apache.spark.broadcast.Broadcast
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader}
import org.apache.spark.sql.types.StructType

/** A topic's records in another store, which keeps records that the brokers have deleted. */
trait OlderRecords {

  /** Per partition, the first offset that the store does not have. */
  def border: Map[Int, Long]

  /**
   * Per partition, the store's first offset whose record has this time (epoch milliseconds) or a later one; absent if
   * there is none.
   */
  def at(time: Long): Map[Int, Long]

  /**
   * @param ranges  partition, first offset, and end offset, exclusive
   * @param columns under their internal names; a column that the store lacks fails when it is read
   */
  def rows(ranges: Seq[(Int, Long, Long)], columns: StructType): RDD[InternalRow]

  /**
   * Fails: neither the store nor the brokers have the records between the store's border and the brokers' first record.
   */
  def gap(partition: Int, first: Long): Nothing
}

/** Where a stream without offsets begins. */
sealed trait StreamStart

object StreamStart {

  /** At the first record. */
  case object First extends StreamStart

  /** At the first record of this time or later, in epoch milliseconds. */
  final case class At(time: Long) extends StreamStart

  /** At the initial offsets of Spark's Kafka source. */
  case object Elsewhere extends StreamStart
}

/** One task's part of older records. */
private[read] final case class OlderInputPartition(rows: Broadcast[OlderInputPartition.Rows], split: Partition)
    extends InputPartition {
  override def preferredLocations(): Array[String] = rows.value.rdd.preferredLocations(split).toArray
}

private[read] object OlderInputPartition {

  /** Wraps an RDD, which cannot be broadcast directly. */
  final case class Rows(rdd: RDD[InternalRow])

  def of(rows: RDD[InternalRow]): Seq[OlderInputPartition] = {
    val sent = rows.sparkContext.broadcast(Rows(rows))
    rows.partitions.toSeq.map(OlderInputPartition(sent, _))
  }
}

private[read] final class OlderReader(reading: TopicReading, of: OlderInputPartition)
    extends PartitionReader[InternalRow] {
  private val rows = of.rows.value.rdd.iterator(of.split, TaskContext.get())

  override def next(): Boolean = {
    val more = rows.hasNext
    if (more) reading.counts.foreach(_.read.add(1))
    more
  }

  override def get(): InternalRow = rows.next()

  override def close(): Unit = ()
}
