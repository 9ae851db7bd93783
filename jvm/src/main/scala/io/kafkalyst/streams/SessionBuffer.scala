package io.kafkalyst.streams

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}

import org.apache.spark.sql.catalyst.InternalRow

import scala.collection.mutable.ArrayBuffer

/**
 * One session of a key.
 *
 * @param stamp  the batch that last changed it
 * @param values one buffer per aggregate
 */
private[streams] final class Session(var start: Long, var end: Long, var stamp: Long, val values: Array[InternalRow])

/**
 * A row whose session was already closed when it arrived, as far as its own batch shows: an older session that only the
 * state contains may still include it.
 *
 * @param now stream time when the row arrives
 */
private[streams] final class LateRow(val session: Session, val now: Long)

/** The sessions of one key, in order and always more than the gap apart; see [[Sessions]]. */
final class SessionBuffer(functions: Array[InnerAggregate], gap: Long, lateness: Long) {
  private[streams] var sessions = ArrayBuffer.empty[Session]

  /** Emitted sessions that have since been merged into others; they have no values. */
  private[streams] var gone = ArrayBuffer.empty[Session]

  private var late = ArrayBuffer.empty[LateRow]

  /** The stamp of the last batch with a row of the key. */
  private[streams] var newest: Long = Long.MinValue

  /** How long a session is kept, and the length of the segments in which Kafka Streams' store drops them. */
  private val retention = gap + lateness
  private val segment = math.max(retention / 2, SessionBuffer.minSegment)

  /**
   * The session of a row with this time: the sessions that the row touches, merged, or a new session.
   *
   * @param now stream time when the row arrives
   */
  private[streams] def at(time: Long, stamp: Long, now: Long): Session = {
    newest = math.max(newest, stamp)
    val own = new Session(time, time, stamp, functions.map(_.empty))
    if (isOpen(own, if (now == Long.MinValue) now else now - retention)) joined(own)
    else {
      late += new LateRow(own, now)
      own
    }
  }

  private def touching(one: Session) =
    sessions.filter(s => s.start - gap <= one.end && one.start - gap <= s.end)

  /** Whether a session, merged with those that it touches, ends at or after this time. */
  private def isOpen(one: Session, close: Long): Boolean = (touching(one).map(_.end) :+ one.end).max >= close

  /** Merges a session with the sessions that it touches; these come first in the aggregates. */
  private def joined(one: Session): Session = {
    val touched = touching(one)
    val others = sessions.filterNot(touched.contains)
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
    if (newest == Long.MinValue) input
    else if (newest > input.newest) input.withLater(this)
    else withLater(input)

  /**
   * Merges later input, of the same batch or a later one. A closed session accepts no rows, except a row that joins it
   * with an open session.
   */
  private def withLater(later: SessionBuffer): SessionBuffer = {
    gone ++= later.gone
    if (later.newest == newest) {
      later.sessions.foreach(joined)
      // With many groups, Spark may merge the later rows first, so an earlier row may have opened a late row's session.
      val (open, over) = (late ++ later.late).partition(l => isOpen(l.session, l.now - retention))
      open.foreach(l => joined(l.session))
      late = over
    } else {
      val close = sessions.map(_.end).maxOption.fold(Long.MinValue)(_ - retention)
      val told = sessions.map(s => (s.start, s.end))
      late.clear()
      later.late.foreach(l => if (isOpen(l.session, math.max(close, l.now - retention))) joined(l.session))
      later.sessions.foreach(s => if (isOpen(s, close)) joined(s))
      newest = later.newest
      told.filterNot { case (start, end) => sessions.exists(s => s.start == start && s.end == end) }.foreach {
        case (start, end) => gone += new Session(start, end, newest, Array.empty)
      }
    }
    sessions.map(_.end).maxOption.map(end => Math.floorDiv(end - retention, segment)).foreach { oldest =>
      sessions = sessions.filter(s => s.stamp == newest || Math.floorDiv(s.end, segment) >= oldest)
    }
    gone = gone.filter(_.stamp == newest)
    this
  }

  private[streams] def toBytes: Array[Byte] = {
    val bytes = new ByteArrayOutputStream
    val out = new DataOutputStream(bytes)
    def write(s: Session): Unit = {
      Seq(s.start, s.end, s.stamp).foreach(out.writeLong)
      s.values.zip(functions).foreach { case (value, f) =>
        val written = f.toBytes(value)
        out.writeInt(written.length)
        out.write(written)
      }
    }
    out.writeLong(newest)
    Seq(sessions, gone).foreach { list =>
      out.writeInt(list.size)
      list.foreach(write)
    }
    out.writeInt(late.size)
    late.foreach { l =>
      out.writeLong(l.now)
      write(l.session)
    }
    bytes.toByteArray
  }

  private[streams] def read(bytes: Array[Byte]): SessionBuffer = {
    val in = new DataInputStream(new ByteArrayInputStream(bytes))
    def one(of: Array[InnerAggregate]) = {
      val (start, end, stamp) = (in.readLong(), in.readLong(), in.readLong())
      new Session(start, end, stamp, of.map(f => f.fromBytes(in.readNBytes(in.readInt()))))
    }
    newest = in.readLong()
    sessions = ArrayBuffer.fill(in.readInt())(one(functions))
    gone = ArrayBuffer.fill(in.readInt())(one(Array.empty))
    late = ArrayBuffer.fill(in.readInt()) {
      val now = in.readLong()
      new LateRow(one(functions), now)
    }
    this
  }
}

private object SessionBuffer {

  /** Kafka Streams' shortest segment, milliseconds. */
  val minSegment = 60000L
}
