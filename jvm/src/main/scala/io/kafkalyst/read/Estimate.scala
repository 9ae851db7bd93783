package io.kafkalyst.read

import java.util.OptionalLong

import org.apache.spark.sql.connector.read.Statistics
import org.apache.spark.sql.types.StructType

/** What a scan will give, for Spark's choice among plans. */
private[read] final case class Estimate(rows: Option[Long], bytes: Option[Long]) extends Statistics {
  override def numRows(): OptionalLong = rows.fold(OptionalLong.empty())(OptionalLong.of)
  override def sizeInBytes(): OptionalLong = bytes.fold(OptionalLong.empty())(OptionalLong.of)
}

private[read] object Estimate {
  val unknown = Estimate(None, None)

  /**
   * The rows are as many as offsets, after pushdown. A row has the size of the columns asked for by Spark's own measure,
   * and no less than a record has on the brokers' disks: what is short there may be long texts, and is broadcast as such.
   */
  def of(parts: Seq[TopicInputPartition], asked: StructType, bounds: String => TopicBounds): Estimate = {
    val (rows, bytes) = parts.groupBy(_.range.topic).map { case (topic, of) =>
      val rows = of.map(part => part.range.until - part.range.from).sum
      val found = bounds(topic)
      val kept = found.offsets().values.map { case (first, end) => end - first }.sum
      val onDisk = found.bytes().filter(_ => kept > 0).fold(0L)(all => (all + kept - 1) / kept)
      (rows, rows * math.max(rowBytes + asked.defaultSize, onDisk))
    }.unzip
    // Spark takes what has no bytes for empty.
    Estimate(Some(rows.sum), Some(math.max(1L, bytes.sum)))
  }

  // As Spark counts a row beside its columns.
  private val rowBytes = 8L
}
