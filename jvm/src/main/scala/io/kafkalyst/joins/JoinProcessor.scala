package io.kafkalyst.joins

import org.apache.spark.sql.Row
import org.apache.spark.sql.streaming._
import org.apache.spark.sql.Encoders
import org.apache.spark.sql.types.StructType

import scala.collection.mutable.ArrayBuffer

/** Processes the rows of both sides with the same key, one at a time, and emits each row's results. */
private[joins] abstract class JoinProcessor(shape: JoinShape) extends StatefulProcessor[Row, Row, Row] {
  protected def value(name: String, schema: StructType): ValueState[Row] =
    getHandle.getValueState[Row](name, Encoders.row(schema), TTLConfig.NONE)

  protected def list(name: String, schema: StructType): ListState[Row] =
    getHandle.getListState[Row](name, Encoders.row(schema), TTLConfig.NONE)

  protected def ordered(rows: Iterator[Row]): Seq[Change] = Change.ordered(rows, shape.topics)

  /** The results of one key in one batch. */
  protected final class Results(key: Row) {
    private val rows = ArrayBuffer.empty[Row]

    /** @param by the row that produced the result */
    def add(left: Row, right: Row, time: Long, by: Change, gone: Boolean = false): Unit =
      add(left, right, time, by.stamp, by.headers, gone)

    def add(left: Row, right: Row, time: Long, stamp: Seq[Long], headers: Any, gone: Boolean): Unit =
      rows += Row.fromSeq(key.toSeq ++ Seq(left, right, time, stamp :+ rows.size.toLong, gone, headers))

    def iterator: Iterator[Row] = rows.iterator
  }
}

/** A table side's state for one key: its current row, if any. */
private[joins] final class TableRow(state: ValueState[Row]) {
  private var now: Option[Row] = if (state.exists()) Some(state.get()) else None

  def row: Option[Row] = now.map(_.getStruct(1))
  def time: Long = now.fold(Long.MinValue)(_.getLong(0))

  def put(change: Change): Unit =
    if (change.gone) {
      if (now.isDefined) state.clear()
      now = None
    } else {
      val kept = Row(change.time, change.row)
      state.update(kept)
      now = Some(kept)
    }
}

/**
 * A stream-table join: each stream row is joined with the table's row as of the stream row's time. Changes of the table
 * produce no output.
 *
 * @param outer whether stream rows without a match are emitted
 */
private[joins] final class LookupJoin(shape: JoinShape, outer: Boolean) extends JoinProcessor(shape) {
  @transient private var table: ValueState[Row] = _

  override def init(outputMode: OutputMode, timeMode: TimeMode): Unit = table = value("table", shape.kept(1))

  override def handleInputRows(key: Row, rows: Iterator[Row], timers: TimerValues) = {
    val results = new Results(key)
    val now = new TableRow(table)
    ordered(rows).foreach { change =>
      if (change.side == 1) now.put(change)
      else if (!change.gone && (outer || now.row.isDefined))
        results.add(change.row, now.row.orNull, change.time, change)
    }
    results.iterator
  }
}

/**
 * A table-table join on primary keys: a change of either side updates or deletes the result.
 *
 * @param alone for each side, whether its rows are emitted without a match
 */
private[joins] final class TableJoin(shape: JoinShape, alone: Seq[Boolean]) extends JoinProcessor(shape) {
  @transient private var states: Seq[ValueState[Row]] = _

  override def init(outputMode: OutputMode, timeMode: TimeMode): Unit =
    states = Seq(value("left", shape.kept(0)), value("right", shape.kept(1)))

  override def handleInputRows(key: Row, rows: Iterator[Row], timers: TimerValues) = {
    val results = new Results(key)
    val sides = states.map(new TableRow(_))
    ordered(rows).foreach { change =>
      val (mine, other) = (sides(change.side), sides(1 - change.side))
      val before = mine.row
      mine.put(change)
      def emit(row: Row, gone: Boolean): Unit = {
        val (left, right) = if (change.side == 0) (row, other.row.orNull) else (other.row.orNull, row)
        results.add(left, right, math.max(change.time, other.time), change, gone)
      }
      if (other.row.isDefined) {
        if (change.gone && alone(1 - change.side)) emit(null, gone = false) else emit(change.row, change.gone)
      } else if (alone(change.side) && (!change.gone || before.isDefined || !alone(1 - change.side))) {
        emit(change.row, change.gone)
      }
    }
    results.iterator
  }
}
