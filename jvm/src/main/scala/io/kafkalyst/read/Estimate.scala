package io.kafkalyst.read

import io.kafkalyst.read.offsets.TopicBounds

import java.util.OptionalLong

import org.apache.spark.sql.connector.read.Statistics
import org.apache.spark.sql.types.StructType

/** Size estimate of a scan, for Spark's optimizer. */
private[read] final case class Estimate(rows: Option[Long], bytes: Option[Long]) extends Statistics {
  override def numRows(): OptionalLong = rows.fold(OptionalLong.empty())(OptionalLong.of)
  override def sizeInBytes(): OptionalLong = bytes.fold(OptionalLong.empty())(OptionalLong.of)
}

private[read] object Estimate {
  val unknown = Estimate(None, None)

  /**
   * The rows are the number of offsets after pushdown. A row has Spark's default size for the required columns, but at
   * least the size of a record on the brokers' disks: columns that are short by default may hold long texts, and a side
   * that looks small is broadcast.
   */
  def of(
      parts: Seq[TopicInputPartition],
      asked: StructType,
      bounds: String => TopicBounds,
      offsets: String => Map[Int, (Long, Long)]
  ): Estimate = {
    val (rows, bytes) = parts.groupBy(_.range.topic).toSeq.map { case (topic, of) =>
      val rows = of.map(part => part.range.until - part.range.from).sum
      val kept = offsets(topic).values.map { case (first, end) => end - first }.sum
      val onDisk = bounds(topic).bytes().filter(_ => kept > 0).fold(0L)(all => (all + kept - 1) / kept)
      (rows, rows * math.max(rowBytes + asked.defaultSize, onDisk))
    }.unzip
    // Spark treats a size of zero as empty.
    Estimate(Some(rows.sum), Some(math.max(1L, bytes.sum)))
  }

  // Spark's per-row overhead.
  private val rowBytes = 8L
}
