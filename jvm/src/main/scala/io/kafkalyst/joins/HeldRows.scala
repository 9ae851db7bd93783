package io.kafkalyst.joins

import java.{util => ju}

import org.apache.spark.sql.Row

import scala.jdk.CollectionConverters._

/**
 * The rows of one key in a windowed stream-stream join that may still match, in the order of their times, so that a row
 * costs no pass over all of them.
 *
 * @param retention see [[WindowJoin]]
 * @param alone     for each side, whether its rows are emitted without a match
 * @param kept      each side's rows in the order of their arrival
 * @param watermark stream time so far
 * @param emit      called with a result: the side of a row, the row, the other side's row or null, time, stamp
 */
private[joins] final class HeldRows(
    window: JoinWindow,
    retention: Long,
    alone: Seq[Boolean],
    kept: Seq[Seq[Kept]],
    watermark: Long
)(emit: (Int, Row, Row, Long, Seq[Long]) => Unit) {
  private var streamTime = watermark
  private var arrived = 0L
  private val sides = Seq.fill(2)(new ju.TreeSet[Held](Held.order))
  private val waiting = Seq.fill(2)(new ju.TreeSet[Held](Held.order))
  private val changed = Array(false, false)
  private val newest = Array.fill(2)(Long.MinValue)

  for { side <- sides.indices; row <- kept(side) } add(side, row)

  /** Whether the rows of a side differ from the given ones. */
  def isChanged(side: Int): Boolean = changed(side)

  /** The rows of a side in the order of their arrival. */
  def rows(side: Int): Seq[Kept] = sides(side).asScala.toSeq.sortBy(_.number).map(_.row)

  /** Processes a row: emits its matches, and what its time closes. */
  def take(side: Int, time: Long, row: Row, stamp: Seq[Long]): Unit = {
    val other = 1 - side
    streamTime = math.max(streamTime, time)
    newest(side) = math.max(newest(side), time)
    close()
    val matches = meeting(side, time).filter(_.time > newest(other) - retention)
    matches.foreach { found =>
      if (found.row.waits) {
        found.row.waits = false
        waiting(other).remove(found)
        changed(other) = true
      }
      emit(side, row, found.row.row, math.max(time, found.time), stamp)
    }
    val lonely = matches.isEmpty && alone(side)
    val closed = window.grace.isEmpty || closing(side, time) < streamTime
    if (lonely && closed) emit(side, row, null, time, stamp)
    add(side, Kept(time, row, stamp, lonely && !closed))
    changed(side) = true
  }

  /** Emits rows without a match whose window is closed, and drops rows that can no longer match. */
  def close(): Unit = {
    sides.indices.flatMap(side => over(side).map(side -> _)).sortBy(_._2.time).foreach { case (side, held) =>
      held.row.waits = false
      changed(side) = true
      emit(side, held.row.row, null, held.time, (closing(side, held.time) + 1) +: held.row.stamp.tail)
    }
    sides.indices.foreach { side =>
      val all = sides(side).iterator
      var isOver = false
      while (!isOver && all.hasNext) {
        val first = all.next()
        isOver = !isOld(side, first.time)
        if (!isOver && !first.row.waits) {
          all.remove()
          changed(side) = true
        }
      }
    }
  }

  /** When the next row is emitted or dropped without a further row; None if there are no rows. */
  def next: Option[Long] = {
    val times = for {
      side <- sides.indices.iterator
      held <- sides(side).iterator.asScala
    } yield (if (held.row.waits) closing(side, held.time) else held.time + retention) + 1
    times.minOption
  }

  private def add(side: Int, row: Kept): Unit = {
    val held = new Held(row.time, arrived, row)
    arrived += 1
    newest(side) = math.max(newest(side), row.time)
    sides(side).add(held)
    if (row.waits) waiting(side).add(held)
  }

  /** Takes the rows that no longer wait. */
  private def over(side: Int): Seq[Held] =
    Iterator.continually(waiting(side)).takeWhile(all => !all.isEmpty && closing(side, all.first.time) < streamTime)
      .map(_.pollFirst()).toVector

  private def isOld(side: Int, time: Long) = time <= newest(side) - retention || time + retention < watermark

  /** The other side's rows that match a row of `side` at `time`. */
  private def meeting(side: Int, time: Long): Seq[Held] = {
    val (before, after) = if (side == 0) (window.before, window.after) else (window.after, window.before)
    val rows = sides(1 - side).tailSet(new Held(Held.plus(time, -before), Long.MinValue, null), true)
    rows.iterator.asScala.takeWhile(_.time <= Held.plus(time, after)).toVector
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
private[joins] final case class Kept(time: Long, row: Row, stamp: Seq[Long], var waits: Boolean)

/** @param number in the order of arrival */
private final class Held(val time: Long, val number: Long, val row: Kept)

private object Held {
  val order: Ordering[Held] = Ordering.by[Held, Long](_.time).orElseBy(_.number)

  /** A time that many milliseconds later, or the last or first one if there is none. */
  def plus(time: Long, millis: Long): Long = {
    val sum = time + millis
    if (millis >= 0 && sum < time) Long.MaxValue else if (millis < 0 && sum > time) Long.MinValue else sum
  }
}
