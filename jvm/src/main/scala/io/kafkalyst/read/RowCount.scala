package io.kafkalyst.read

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.connector.expressions.aggregate.{Aggregation, CountStar}
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader}
import org.apache.spark.sql.types.{LongType, StructType}

/**
 * COUNT(*) over a topic: each task counts its rows and returns one row, and Spark adds these up. It counts the rows
 * that a query without COUNT(*) would return, so records that ON_ERROR skips are not counted.
 */
private[read] object RowCount {

  /** The schema of a counting scan: a BIGINT, never null. */
  val schema: StructType = new StructType().add("count(*)", LongType, nullable = false)

  /** Whether COUNT(*) is the whole aggregation. */
  def isAll(aggregation: Aggregation): Boolean =
    aggregation.groupByExpressions.isEmpty && (aggregation.aggregateExpressions match {
      case Array(_: CountStar) => true
      case _ => false
    })

  /** The partition of a scan that reads nothing: without it, Spark's sum over no counts would be null. */
  case object OfNothing extends InputPartition

  /** No rows. */
  object Nothing extends PartitionReader[InternalRow] {
    override def next(): Boolean = false
    override def get(): InternalRow = throw new NoSuchElementException
    override def close(): Unit = ()
  }
}

/** Returns one row: the number of rows of another reader. */
private[read] final class RowCountReader(rows: PartitionReader[InternalRow]) extends PartitionReader[InternalRow] {
  private var isDone = false
  private var count = 0L

  override def next(): Boolean = !isDone && {
    while (rows.next()) count += 1
    isDone = true
    true
  }

  override def get(): InternalRow = new GenericInternalRow(Array[Any](count))
  override def close(): Unit = rows.close()
  override def currentMetricsValues(): Array[CustomTaskMetric] = rows.currentMetricsValues()
}
