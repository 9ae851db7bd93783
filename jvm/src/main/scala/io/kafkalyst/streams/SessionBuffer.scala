package io.kafkalyst.streams

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}
import java.{util => ju}

import org.apache.spark.sql.catalyst.InternalRow

import scala.collection.mutable.ArrayBuffer
import scala.jdk.CollectionConverters._

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
  // By their starts.
  private val sessions = new ju.TreeMap[Long, Session]

  /** Emitted sessions that have since been merged into others; they have no values. */
  private[streams] var gone = ArrayBuffer.empty[Session]

  private var late = ArrayBuffer.empty[LateRow]

  /** The stamp of the last batch with a row of the key. */
  private[streams] var newest: Long = Long.MinValue

  /** The sessions in order. */
  private[streams] def all: Iterator[Session] = sessions.values.iterator.asScala

  private def newestEnd: Option[Long] = Option(sessions.lastEntry).map(_.getValue.end)

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

  /** The sessions that a session touches, in order. */
  private def touching(one: Session): Seq[Session] = {
    val before = sessions.headMap(one.start, true).descendingMap.values.asScala
    val after = sessions.tailMap(one.start, false).values.asScala
    before.takeWhile(s => one.start - gap <= s.end).toVector.reverse ++ after.takeWhile(s => s.start - gap <= one.end)
  }

  /** Whether a session, merged with those that it touches, ends at or after this time. */
  private def isOpen(one: Session, close: Long): Boolean = (touching(one).map(_.end) :+ one.end).max >= close

  /** Merges a session with the sessions that it touches; these come first in the aggregates. */
  private def joined(one: Session): Session = {
    val touched = touching(one)
    touched.foreach(s => sessions.remove(s.start))
    val first = touched.headOption.getOrElse(one)
    val others = if (touched.isEmpty) Nil else touched.tail :+ one
    others.foreach { s =>
      functions.indices.foreach(i => first.values(i) = functions(i).merge(first.values(i), s.values(i)))
      first.start = math.min(first.start, s.start)
      first.end = math.max(first.end, s.end)
      first.stamp = math.max(first.stamp, s.stamp)
    }
    sessions.put(first.start, first)
    first
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
      later.all.foreach(joined)
      // With many groups, Spark may merge the later rows first, so an earlier row may have opened a late row's session.
      val (open, over) = (late ++ later.late).partition(l => isOpen(l.session, l.now - retention))
      open.foreach(l => joined(l.session))
      late = over
    } else {
      val close = newestEnd.fold(Long.MinValue)(_ - retention)
      val told = all.map(s => (s.start, s.end)).toVector
      late.clear()
      later.late.foreach(l => if (isOpen(l.session, math.max(close, l.now - retention))) joined(l.session))
      later.all.foreach(s => if (isOpen(s, close)) joined(s))
      newest = later.newest
      told.filterNot { case (start, end) => Option(sessions.get(start)).exists(_.end == end) }.foreach {
        case (start, end) => gone += new Session(start, end, newest, Array.empty)
      }
    }
    newestEnd.map(end => Math.floorDiv(end - retention, segment)).foreach { oldest =>
      sessions.values.removeIf(s => s.stamp != newest && Math.floorDiv(s.end, segment) < oldest)
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
    Seq(all.toSeq, gone.toSeq).foreach { list =>
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
    Iterator.fill(in.readInt())(one(functions)).foreach(s => sessions.put(s.start, s))
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
