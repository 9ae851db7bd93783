package io.kafkalyst.streams
package over

import org.apache.spark.sql.catalyst.InternalRow

/**
 * A function's values over frames of a key's rows. A frame begins and ends no earlier than the one before.
 *
 * If buffers can be merged, rows are taken once: the frame is the rows up to `middle`, of which there is the buffer of
 * each possible start, and the later ones, which have one buffer. When the frame begins after `middle`, its rows become
 * the first part. That is constant time for each row on average. A sum of floating-point numbers is rounded as a sum
 * of these two parts.
 *
 * @param rows the key's row at a place
 */
private[streams] final class MovingFrame(call: OverCall, rows: Int => InternalRow) {
  private var middle = 0
  private var end = 0
  // The buffer at i is that of the `i + 1` rows before `middle`.
  private var before = Array.empty[InternalRow]
  private var after: InternalRow = _

  /** The value for the rows from `from` until before `until`. */
  def value(from: Int, until: Int, current: InternalRow): Any = {
    def each = call.over((from until until).iterator.map(rows), current)
    if (!call.isMerged) each
    else
      try merged(from, until)
      // A part may overflow where the frame does not.
      catch { case _: ArithmeticException => each }
  }

  private def merged(from: Int, until: Int): Any = {
    if (from >= end) start(from, Array.empty)
    else if (from > middle) start(end, buffers(from))
    while (end < until) {
      after = call.taken(after, rows(end))
      end += 1
    }
    call.result(if (from < middle) call.merged(before(middle - from - 1), after) else after)
  }

  private def start(at: Int, earlier: Array[InternalRow]): Unit = {
    middle = at
    end = at
    before = earlier
    after = call.empty
  }

  private def buffers(from: Int): Array[InternalRow] =
    (from until end).reverseIterator.scanLeft(call.empty) { (later, i) =>
      call.merged(call.taken(call.empty, rows(i)), later)
    }.drop(1).toArray
}
