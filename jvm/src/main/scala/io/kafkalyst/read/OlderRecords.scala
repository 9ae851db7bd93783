package io.kafkalyst.read

import java.nio.ByteBuffer

import org.apache.spark.{Partition, SparkEnv, TaskContext}
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

/**
 * One task's part of older records.
 *
 * @param all  keeps on the driver what the tasks need: Spark removes a broadcast that nothing there refers to
 * @param sent the serialized [[OlderInputPartition.Rows]]
 */
private[read] final class OlderInputPartition(
    @transient val all: RDD[InternalRow],
    val sent: Broadcast[Array[Byte]],
    val split: Partition
) extends InputPartition {
  private val locations = all.preferredLocations(split).toArray

  override def preferredLocations(): Array[String] = locations
}

private[read] object OlderInputPartition {

  /** Wraps an RDD, which another RDD's tasks cannot have directly. */
  final case class Rows(rdd: RDD[InternalRow])

  /**
   * Broadcasts bytes: Spark estimates the size of an object, and an RDD refers to everything that the driver has. An RDD
   * knows its parents on an executor only if it was asked for its partitions before.
   */
  def of(rows: RDD[InternalRow]): Seq[OlderInputPartition] = {
    val splits = rows.partitions.toSeq
    val buffer = SparkEnv.get.closureSerializer.newInstance().serialize(Rows(rows))
    val bytes = new Array[Byte](buffer.remaining)
    buffer.get(bytes)
    val sent = rows.sparkContext.broadcast(bytes)
    splits.map(new OlderInputPartition(rows, sent, _))
  }

  /** The RDD's rows of one task. */
  def rows(of: OlderInputPartition): Iterator[InternalRow] = {
    val loader = Thread.currentThread.getContextClassLoader
    val bytes = ByteBuffer.wrap(of.sent.value)
    val rows = SparkEnv.get.closureSerializer.newInstance().deserialize[Rows](bytes, loader)
    rows.rdd.iterator(of.split, TaskContext.get())
  }
}

private[read] final class OlderReader(reading: TopicReading, of: OlderInputPartition)
    extends PartitionReader[InternalRow] {
  private val rows = OlderInputPartition.rows(of)

  override def next(): Boolean = {
    val more = rows.hasNext
    if (more) reading.counts.foreach(_.read.add(1))
    more
  }

  override def get(): InternalRow = rows.next()

  override def close(): Unit = ()
}
