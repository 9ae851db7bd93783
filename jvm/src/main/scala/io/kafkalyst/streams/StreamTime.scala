package io.kafkalyst.streams

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, Nondeterministic, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types.{DataType, LongType}

/**
 * The newest time so far among a task's rows, in row order, which Kafka Streams calls stream time. A task reads a
 * partition in offset order.
 *
 * @param child BIGINT, milliseconds; nulls are ignored
 */
final case class StreamTime(child: Expression) extends UnaryExpression with Nondeterministic with CodegenFallback {
  @transient private var latest = Long.MinValue

  override def dataType: DataType = LongType
  override def nullable: Boolean = false
  override def prettyName: String = "stream_time"
  override def stateful: Boolean = true

  override protected def initializeInternal(partitionIndex: Int): Unit = latest = Long.MinValue

  override protected def evalInternal(input: InternalRow): Any = {
    val time = child.eval(input)
    if (time != null) latest = math.max(latest, time.asInstanceOf[Long])
    latest
  }

  override protected def withNewChildInternal(newChild: Expression): StreamTime = copy(child = newChild)
}
