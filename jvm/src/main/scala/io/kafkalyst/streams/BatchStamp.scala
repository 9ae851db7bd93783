package io.kafkalyst.streams

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{LeafExpression, Nondeterministic}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types.{DataType, LongType}

/**
 * A number that grows from batch to batch of a streaming query, also across restarts, as clocks do not: Spark's number of
 * the batch. The state of former versions has the times of batches instead, which are all before.
 */
final case class BatchStamp() extends LeafExpression with Nondeterministic with CodegenFallback {
  @transient private var stamp = BatchStamp.first

  override def dataType: DataType = LongType
  override def nullable: Boolean = false
  override def prettyName: String = "batch_stamp"

  override protected def initializeInternal(partitionIndex: Int): Unit = {
    val batch = Option(TaskContext.get()).flatMap(task => Option(task.getLocalProperty(BatchStamp.property)))
    stamp = BatchStamp.first + batch.fold(0L)(_.toLong)
  }

  override protected def evalInternal(input: InternalRow): Any = stamp
}

private[streams] object BatchStamp {

  /** Later than any time in milliseconds. */
  val first: Long = 1L << 60

  /** Spark's local property of a batch's jobs. */
  val property = "streaming.sql.batchId"
}
