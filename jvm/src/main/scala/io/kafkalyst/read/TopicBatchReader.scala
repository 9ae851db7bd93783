package io.kafkalyst.read

import scala.util.control.NonFatal

import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.PartitionReader
import org.apache.spark.sql.vectorized.ColumnarBatch

/**
 * The rows of a task in batches. An error is raised only after the rows before it, as in row mode, so that a LIMIT does
 * not hit a bad record after its last row. Errors: as [[TopicPartitionReader]].
 */
private[read] final class TopicBatchReader(reading: TopicReading, part: TopicInputPartition)
    extends PartitionReader[ColumnarBatch] {
  private val rows = new RowBatch(reading.layout.types, reading.asked.length)
  private val reader = new TopicPartitionReader(reading, part, rows)
  private var failure: Throwable = _

  override def next(): Boolean = {
    if (failure != null) throw failure
    rows.begin()
    try while (!rows.isFull && reader.next()) rows.keep()
    catch { case NonFatal(e) if !rows.isEmpty => failure = e }
    !rows.isEmpty
  }

  override def get(): ColumnarBatch = rows.kept
  override def close(): Unit = reader.close()
  override def currentMetricsValues(): Array[CustomTaskMetric] = reader.currentMetricsValues()
}
