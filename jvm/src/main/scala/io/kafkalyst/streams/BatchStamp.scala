package io.kafkalyst.streams

import org.apache.spark.TaskContext
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{LeafExpression, Nondeterministic}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types.{DataType, LongType}

/**
 * A number that grows from batch to batch of a streaming query, also across restarts, which clocks do not guarantee:
 * Spark's batch number. State of older versions contains times of batches instead, which are all smaller.
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

  /** Larger than any time in milliseconds. */
  val first: Long = 1L << 60

  /** The local property of a batch's jobs in which Spark passes the batch number. */
  val property = "streaming.sql.batchId"
}
