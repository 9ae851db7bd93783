package io.kafkalyst.joins

import org.apache.spark.sql.{Encoders, Row}
import org.apache.spark.sql.streaming._
import org.apache.spark.sql.types.{BooleanType, StructField}

/**
 * A windowed stream-stream join. The watermark is the greatest ROWTIME of both sides so far, which Kafka Streams calls
 * stream time.
 *
 * @param retention how many milliseconds behind the newest row of its own side a row is kept for matches, as in Kafka
 *                  Streams' store of each side
 * @param alone     for each side, whether its rows are emitted without a match
 */
private[joins] final class WindowJoin(
    shape: JoinShape,
    window: JoinWindow,
    retention: Long,
    alone: Seq[Boolean]
) extends JoinProcessor(shape) {
  @transient private var states: Seq[ListState[Row]] = _
  @transient private var timer: ValueState[Long] = _

  override def init(outputMode: OutputMode, timeMode: TimeMode): Unit = {
    val more = Seq(StructField("stamp", Change.stampType), StructField("waits", BooleanType))
    states = Seq(list("left", shape.kept(0, more: _*)), list("right", shape.kept(1, more: _*)))
    timer = getHandle.getValueState[Long]("timer", Encoders.scalaLong, TTLConfig.NONE)
  }

  override def handleInputRows(key: Row, rows: Iterator[Row], timers: TimerValues): Iterator[Row] = {
    // Timers fire after all rows of a batch, so a late row still meets the rows that waited for it.
    val results = new WindowResults(key)
    val changes = ordered(rows).filterNot(_.gone)
    // A row without a key never matches.
    if (key.anyNull) changes.foreach { change =>
      results.headers = change.headers
      results.add(change.side, change.row, null, change.time, change.stamp)
    }
    else {
      val held = rowsOf(Long.MinValue, results)
      changes.foreach { change =>
        results.headers = change.headers
        held.take(change.side, change.time, change.row, change.stamp)
      }
      save(held)
    }
    results.iterator
  }

  override def handleExpiredTimer(key: Row, timers: TimerValues, expired: ExpiredTimerInfo): Iterator[Row] = {
    val results = new WindowResults(key)
    val held = rowsOf(timers.getCurrentWatermarkInMs(), results)
    // Spark removes an expired timer itself.
    timer.clear()
    save(held)
    results.iterator
  }

  private def rowsOf(watermark: Long, results: WindowResults): HeldRows = {
    val kept = states.map { state =>
      state.get().map(r => Kept(r.getLong(0), r.getStruct(1), r.getSeq[Long](2).toSeq, r.getBoolean(3))).toVector
    }
    new HeldRows(window, retention, alone, kept, watermark)(results.add)
  }

  private def save(held: HeldRows): Unit = {
    held.close()
    states.indices.filter(held.isChanged).foreach { side =>
      val rows = held.rows(side)
      if (rows.isEmpty) states(side).clear()
      else states(side).put(rows.map(k => Row(k.time, k.row, k.stamp, k.waits)).toArray)
    }
    val next = held.next
    val set = if (timer.exists()) Some(timer.get()) else None
    if (set != next) {
      set.foreach(getHandle.deleteTimer)
      next.fold(timer.clear()) { at =>
        getHandle.registerTimer(at)
        timer.update(at)
      }
    }
  }

  private final class WindowResults(key: Row) {
    private val results = new Results(key)

    /** Those of the record being processed, as Kafka Streams forwards them; an expired timer has no record. */
    var headers: Any = _

    def add(side: Int, row: Row, other: Row, time: Long, stamp: Seq[Long]): Unit =
      if (side == 0) results.add(row, other, time, stamp, headers, gone = false)
      else results.add(other, row, time, stamp, headers, gone = false)

    def iterator: Iterator[Row] = results.iterator
  }
}
