package io.kafkalyst.streams

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}

import org.apache.spark.sql.catalyst.InternalRow

import scala.collection.mutable.ArrayBuffer

/**
 * One session of a key.
 *
 * @param stamp  the batch that changed it last
 * @param values one buffer per aggregate
 */
private[streams] final class Session(var start: Long, var end: Long, var stamp: Long, val values: Array[InternalRow])

/** The sessions of one key, in order and always more than the gap apart; see [[Sessions]]. */
final class SessionBuffer(functions: Array[InnerAggregate], gap: Long, lateness: Long) {
  private[streams] var sessions = ArrayBuffer.empty[Session]

  /** Emitted sessions that have since been merged into others; they have no values. */
  private[streams] var gone = ArrayBuffer.empty[Session]

  private[streams] def newest: Long = (sessions ++ gone).map(_.stamp).maxOption.getOrElse(Long.MinValue)

  /** Whether the session of a row with this time, including its grace period, is over at a stream time. */
  private[streams] def isOver(time: Long, now: Long): Boolean =
    now != Long.MinValue && {
      val ends = sessions.filter(s => s.start - gap <= time && time <= s.end + gap).map(_.end)
      (ends :+ time).max < now - gap - lateness
    }

  /** The session of a row with this time: the merged sessions that it touches, or a new one. */
  private[streams] def at(time: Long, stamp: Long): Session =
    joined(new Session(time, time, stamp, functions.map(_.empty)))

  /** Merges a session with those that it touches, which come before it in the aggregates. */
  private def joined(one: Session): Session = {
    val (touched, others) = sessions.partition(s => s.start - gap <= one.end && one.start - gap <= s.end)
    if (touched.isEmpty) sessions = others :+ one
    else {
      val first = touched.head
      val all = touched.tail.toSeq :+ one
      val (start, end) = ((touched :+ one).map(_.start).min, (touched :+ one).map(_.end).max)
      all.foreach { s =>
        functions.indices.foreach(i => first.values(i) = functions(i).merge(first.values(i), s.values(i)))
      }
      first.start = start
      first.end = end
      first.stamp = (touched :+ one).map(_.stamp).max
      sessions = others :+ first
    }
    sessions = sessions.sortBy(_.start)
    sessions.find(s => s.start <= one.start && one.end <= s.end).get
  }

  private[streams] def merged(input: SessionBuffer): SessionBuffer =
    if (newest > input.newest) input.withLater(this) else withLater(input)

  /** Merges later input: closed sessions accept no rows, and are dropped once all their changes have been emitted. */
  private def withLater(later: SessionBuffer): SessionBuffer = {
    val isLater = later.newest > newest
    val closed = if (isLater && sessions.nonEmpty) sessions.map(_.end).max - gap - lateness else Long.MinValue
    val told = if (isLater) sessions.map(s => (s.start, s.end)) else Nil
    later.sessions.foreach { s =>
      val touches = sessions.exists(o => o.start - gap <= s.end && s.start - gap <= o.end)
      if (touches || s.end >= closed) joined(s)
    }
    gone ++= later.gone
    told.filterNot { case (start, end) => sessions.exists(s => s.start == start && s.end == end) }.foreach {
      case (start, end) => gone += new Session(start, end, later.newest, Array.empty)
    }
    val last = newest
    val limit = if (sessions.isEmpty) Long.MinValue else sessions.map(_.end).max - gap - lateness
    sessions = sessions.filter(s => s.stamp == last || s.end >= limit)
    gone = gone.filter(_.stamp == last)
    this
  }

  private[streams] def toBytes: Array[Byte] = {
    val bytes = new ByteArrayOutputStream
    val out = new DataOutputStream(bytes)
    Seq(sessions, gone).foreach { list =>
      out.writeInt(list.size)
      list.foreach { s =>
        Seq(s.start, s.end, s.stamp).foreach(out.writeLong)
        s.values.zip(functions).foreach { case (value, f) =>
          val written = f.toBytes(value)
          out.writeInt(written.length)
          out.write(written)
        }
      }
    }
    bytes.toByteArray
  }

  private[streams] def read(bytes: Array[Byte]): SessionBuffer = {
    val in = new DataInputStream(new ByteArrayInputStream(bytes))
    def list(of: Array[InnerAggregate]) = ArrayBuffer.fill(in.readInt()) {
      val (start, end, stamp) = (in.readLong(), in.readLong(), in.readLong())
      new Session(start, end, stamp, of.map(f => f.fromBytes(in.readNBytes(in.readInt()))))
    }
    sessions = list(functions)
    gone = list(Array.empty)
    this
  }
}
