package io.kafkalyst.read

import org.apache.spark.{TaskContext, TaskKilledException}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.connector.expressions.aggregate.{Aggregation, CountStar}
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader}
import org.apache.spark.sql.types.{LongType, StructType}

/**
 * COUNT(*) of a topic: each task counts its rows where it reads them and gives one row, and Spark adds these up. What
 * is counted are the rows that a query without it would see, so a record that ON_ERROR leaves out is none.
 */
private[read] object RowCount {

  /** What a scan that counts gives: a BIGINT, never null. */
  val schema: StructType = new StructType().add("count(*)", LongType, nullable = false)

  /** Whether it is all that an aggregation asks for. */
  def isAll(aggregation: Aggregation): Boolean =
    aggregation.groupByExpressions.isEmpty && (aggregation.aggregateExpressions match {
      case Array(_: CountStar) => true
      case _ => false
    })

  /** Of a topic of which nothing is read: Spark's sum over no counts at all would be null. */
  case object OfNothing extends InputPartition

  /** No rows. */
  object Nothing extends PartitionReader[InternalRow] {
    override def next(): Boolean = false
    override def get(): InternalRow = throw new NoSuchElementException
    override def close(): Unit = ()
  }
}

/** Gives one row: how many another reader has. */
private[read] final class RowCountReader(rows: PartitionReader[InternalRow]) extends PartitionReader[InternalRow] {
  private val task = TaskContext.get()
  private var isDone = false
  private var count = 0L

  override def next(): Boolean = !isDone && {
    while (rows.next()) {
      count += 1
      // Spark looks only between the rows that it is given.
      if (task.isInterrupted()) throw new TaskKilledException
    }
    isDone = true
    true
  }

  override def get(): InternalRow = new GenericInternalRow(Array[Any](count))
  override def close(): Unit = rows.close()
  override def currentMetricsValues(): Array[CustomTaskMetric] = rows.currentMetricsValues()
}
