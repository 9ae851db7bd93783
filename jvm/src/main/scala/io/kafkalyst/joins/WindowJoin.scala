package io.kafkalyst.joins

import org.apache.spark.sql.{Encoders, Row}
import org.apache.spark.sql.streaming._
import org.apache.spark.sql.types.{BooleanType, StructField}

import scala.collection.mutable.ArrayBuffer

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
    val held = new Held(key, Long.MinValue)
    val changes = ordered(rows).filterNot(_.gone)
    if (key.anyNull) changes.foreach(held.lonely)
    else {
      changes.foreach(held.take)
      held.save()
    }
    held.results.iterator
  }

  override def handleExpiredTimer(key: Row, timers: TimerValues, expired: ExpiredTimerInfo): Iterator[Row] = {
    val held = new Held(key, timers.getCurrentWatermarkInMs())
    // Spark removes an expired timer itself.
    timer.clear()
    held.save()
    held.results.iterator
  }

  /** The buffered rows of a key that may still match. */
  private final class Held(key: Row, watermark: Long) {
    val results = new Results(key)
    private var streamTime = watermark
    // The headers of the record being processed, as Kafka Streams forwards them; an expired timer has no record.
    private var headers: Any = _
    private val sides = states.map { state =>
      ArrayBuffer.from(state.get().map(r =>
        Kept(r.getLong(0), r.getStruct(1), r.getSeq[Long](2).toSeq, r.getBoolean(3))
      ))
    }
    private val changed = Array(false, false)
    private val newest = sides.map(_.map(_.time).maxOption.getOrElse(Long.MinValue)).toArray

    def take(change: Change): Unit = {
      val (side, other) = (change.side, 1 - change.side)
      streamTime = math.max(streamTime, change.time)
      newest(side) = math.max(newest(side), change.time)
      headers = change.headers
      close()
      val matches = sides(other).indices.filter { i =>
        val at = sides(other)(i).time
        meet(side, change.time, at) && at > newest(other) - retention
      }
      matches.sortBy(i => (sides(other)(i).time, i)).foreach { i =>
        val found = sides(other)(i)
        if (found.waits) {
          found.waits = false
          changed(other) = true
        }
        emit(side, change.row, found.row, math.max(change.time, found.time), change.stamp)
      }
      val lonely = matches.isEmpty && alone(side)
      val closed = window.grace.isEmpty || closing(side, change.time) < streamTime
      if (lonely && closed) emit(side, change.row, null, change.time, change.stamp)
      sides(side) += Kept(change.time, change.row, change.stamp, lonely && !closed)
      changed(side) = true
    }

    /** Emits a row without a key at once: it never matches. */
    def lonely(change: Change): Unit = {
      headers = change.headers
      emit(change.side, change.row, null, change.time, change.stamp)
    }

    /** Emits buffered rows without a match and drops rows that can no longer match. */
    private def close(): Unit = {
      val over = for {
        side <- sides.indices
        kept <- sides(side) if kept.waits && closing(side, kept.time) < streamTime
      } yield (side, kept)
      over.sortBy(_._2.time).foreach { case (side, kept) =>
        kept.waits = false
        changed(side) = true
        emit(side, kept.row, null, kept.time, (closing(side, kept.time) + 1) +: kept.stamp.tail)
      }
      sides.indices.foreach { side =>
        if (sides(side).exists(isOld(side, _))) {
          sides(side).filterInPlace(!isOld(side, _))
          changed(side) = true
        }
      }
    }

    def save(): Unit = {
      close()
      sides.indices.filter(changed(_)).foreach { side =>
        if (sides(side).isEmpty) states(side).clear()
        else states(side).put(sides(side).map(k => Row(k.time, k.row, k.stamp, k.waits)).toArray)
      }
      val next = (for {
        side <- sides.indices
        kept <- sides(side)
      } yield (if (kept.waits) closing(side, kept.time) else kept.time + retention) + 1).minOption
      val set = if (timer.exists()) Some(timer.get()) else None
      if (set != next) {
        set.foreach(getHandle.deleteTimer)
        next.fold(timer.clear()) { at =>
          getHandle.registerTimer(at)
          timer.update(at)
        }
      }
    }

    private def isOld(side: Int, kept: Kept) =
      !kept.waits && (kept.time <= newest(side) - retention || kept.time + retention < watermark)

    private def emit(side: Int, row: Row, other: Row, time: Long, stamp: Seq[Long]): Unit =
      if (side == 0) results.add(row, other, time, stamp, headers, gone = false)
      else results.add(other, row, time, stamp, headers, gone = false)
  }

  /** Whether a row of `side` at `time` matches a row of the other side at `other`. */
  private def meet(side: Int, time: Long, other: Long): Boolean = {
    val later = if (side == 0) other - time else time - other
    later >= -window.before && later <= window.after
  }

  /** The last time at which a row of the other side could still match a row of this side. */
  private def closing(side: Int, time: Long): Long =
    time + (if (side == 0) window.after else window.before) + window.grace.getOrElse(0L)
}

/**
 * A buffered stream row that may still match.
 *
 * @param waits whether it is emitted without a match once its window is closed
 */
private final case class Kept(time: Long, row: Row, stamp: Seq[Long], var waits: Boolean)
