package io.kafkalyst.streams
package over

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.aggregate._

/**
 * A window function over rows up to the current one.
 *
 * @param function an aggregate, or the value that LAG returns, over a row's fields
 * @param filter   selects the rows to aggregate
 * @param default  for LAG, the value if there is no such row; None for aggregates
 */
final case class OverCall(
    function: Expression,
    filter: Option[Expression],
    default: Option[Expression],
    frame: OverFrame
) {
  @transient private lazy val inner = InnerAggregate(function.asInstanceOf[AggregateFunction])

  private[streams] def empty: InternalRow = inner.empty
  private[streams] def read(bytes: Array[Byte]): InternalRow = inner.fromBytes(bytes)
  private[streams] def written(buffer: InternalRow): Array[Byte] = inner.toBytes(buffer)
  private[streams] def result(buffer: InternalRow): Any = InternalRow.copyValue(inner.result(buffer))
  private[streams] def taken(buffer: InternalRow, row: InternalRow): InternalRow =
    if (filter.forall(_.eval(row) == true)) inner.update(buffer, row) else buffer

  /** Whether [[merged]] makes one buffer of those of adjacent rows, in constant time and without changing either. */
  private[streams] def isMerged: Boolean = function match {
    case _: Sum | _: Count | _: Average | _: CentralMomentAgg | _: Min | _: Max | _: First | _: Last => true
    case _ => false
  }
  private[streams] def merged(buffer: InternalRow, later: InternalRow): InternalRow = inner.merge(buffer, later)

  /** The value for the rows of a frame. */
  private[streams] def over(rows: Iterator[InternalRow], current: InternalRow): Any = default match {
    case Some(otherwise) =>
      val row = rows.nextOption()
      InternalRow.copyValue(row.fold(otherwise.eval(current))(function.eval))
    case None => result(rows.foldLeft(empty)(taken))
  }
}

/**
 * The rows that a window function sees.
 *
 * @param ofTimes whether the frame is RANGE, which begins a span of time before the current row and ends with the last
 *                row of the same time; otherwise ROWS
 * @param from    microseconds or rows before the current one; None for all rows
 * @param to      rows before the current one
 */
final case class OverFrame(ofTimes: Boolean, from: Option[Long], to: Long = 0)
