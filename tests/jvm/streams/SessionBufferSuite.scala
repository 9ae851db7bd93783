package io.kafkalyst.streams

import io.kafkalyst.functions.SignedValues
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Literal}
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.types.IntegerType
import org.scalatest.funsuite.AnyFunSuite

import scala.util.Random

/** The sessions of a key, compared with a search through all of them. */
class SessionBufferSuite extends AnyFunSuite {
  private val functions =
    Array(InnerAggregate(SignedValues(BoundReference(0, IntegerType, nullable = true), Literal(1))))

  private case class One(start: Long, end: Long, stamp: Long, values: Seq[Int])

  /** Looks at all sessions for each row. */
  private case class Naive(
      gap: Long,
      lateness: Long,
      sessions: Seq[One] = Nil,
      gone: Seq[One] = Nil,
      late: Seq[(One, Long)] = Nil,
      newest: Long = Long.MinValue
  ) {
    private val retention = gap + lateness
    private val segment = math.max(retention / 2, 60000L)

    private def touching(one: One) = sessions.filter(s => s.start - gap <= one.end && one.start - gap <= s.end)

    private def isOpen(one: One, close: Long) = (touching(one) :+ one).map(_.end).max >= close

    private def joined(one: One): Naive = {
      val all = touching(one) :+ one
      val merged = One(all.map(_.start).min, all.map(_.end).max, all.map(_.stamp).max, all.flatMap(_.values))
      copy(sessions = (sessions.diff(all) :+ merged).sortBy(_.start))
    }

    def at(time: Long, stamp: Long, now: Long, value: Int): Naive = {
      val own = One(time, time, stamp, Seq(value))
      val next = copy(newest = math.max(newest, stamp))
      if (isOpen(own, if (now == Long.MinValue) now else now - retention)) next.joined(own)
      else next.copy(late = late :+ (own -> now))
    }

    def merged(input: Naive): Naive =
      if (newest == Long.MinValue) input
      else if (newest > input.newest) input.withLater(this)
      else withLater(input)

    private def withLater(later: Naive): Naive = {
      val both = copy(gone = gone ++ later.gone)
      val all =
        if (later.newest == newest) {
          val joint = later.sessions.foldLeft(both)(_.joined(_))
          val (open, over) = (late ++ later.late).partition { case (one, now) => joint.isOpen(one, now - retention) }
          open.foldLeft(joint)((n, l) => n.joined(l._1)).copy(late = over)
        } else {
          val close = sessions.map(_.end).maxOption.fold(Long.MinValue)(_ - retention)
          val withLate = later.late.foldLeft(both.copy(late = Nil)) { case (n, (one, now)) =>
            if (n.isOpen(one, math.max(close, now - retention))) n.joined(one) else n
          }
          val next = later.sessions.foldLeft(withLate)((n, s) => if (n.isOpen(s, close)) n.joined(s) else n)
          val ended = sessions.filterNot(s => next.sessions.exists(o => o.start == s.start && o.end == s.end))
          next.copy(gone = next.gone ++ ended.map(s => One(s.start, s.end, later.newest, Nil)), newest = later.newest)
        }
      val oldest = all.sessions.map(_.end).maxOption.map(end => Math.floorDiv(end - retention, segment))
      all.copy(
        sessions = all.sessions.filter(s =>
          s.stamp == all.newest || oldest.forall(Math.floorDiv(s.end, segment) >= _)
        ),
        gone = all.gone.filter(_.stamp == all.newest)
      )
    }
  }

  private def take(buffer: SessionBuffer, time: Long, stamp: Long, now: Long, value: Int): Unit = {
    val session = buffer.at(time, stamp, now)
    session.values(0) = functions(0).update(session.values(0), InternalRow(value))
  }

  private def shown(buffer: SessionBuffer): Seq[One] = buffer.all.map { s =>
    val values = functions(0).result(s.values(0)).asInstanceOf[ArrayData].toIntArray().toSeq
    One(s.start, s.end, s.stamp, values)
  }.toSeq

  test("sessions of rows in any order, merged in any order, are those of a search through all sessions") {
    (1 to 1000).foreach { seed =>
      val r = new Random(seed)
      val (gap, lateness) = (r.nextInt(20000).toLong, r.nextInt(100000).toLong)
      def empty = new SessionBuffer(functions, gap, lateness)
      def stored(buffer: SessionBuffer) = empty.read(buffer.toBytes)
      var (state, expected) = (empty, Naive(gap, lateness))
      var (number, now) = (0, Long.MinValue)
      (1 to 5).foreach { stamp =>
        val parts = Seq.fill(2)(empty)
        val naive = Array.fill(2)(Naive(gap, lateness))
        (0 to r.nextInt(25)).foreach { _ =>
          val time = number * 6000L + r.nextInt(60000) - (if (r.nextInt(8) == 0) r.nextInt(250000) else 0)
          val part = r.nextInt(2)
          now = math.max(now, time)
          take(parts(part), time, stamp.toLong, now, number)
          naive(part) = naive(part).at(time, stamp.toLong, now, number)
          number += 1
        }
        val Seq(one, other) = r.shuffle(Seq(0, 1))
        val (batch, naively) = (stored(parts(one)).merged(stored(parts(other))), naive(one).merged(naive(other)))
        if (r.nextBoolean()) {
          state = stored(state).merged(stored(batch))
          expected = expected.merged(naively)
        } else {
          state = stored(batch).merged(stored(state))
          expected = naively.merged(expected)
        }
        assert(shown(state) == expected.sessions, s"seed $seed")
        assert(
          state.gone.map(s => (s.start, s.end, s.stamp)) == expected.gone.map(s => (s.start, s.end, s.stamp)),
          s"seed $seed"
        )
      }
    }
  }

  test("a key with many sessions in a batch is grouped without a search through all") {
    val most = 300000
    def sessions(times: Range, stamp: Long) = {
      val buffer = new SessionBuffer(functions, gap = 30, lateness = Long.MaxValue / 4)
      times.foreach(i => take(buffer, i * 100L, stamp, Long.MinValue, i))
      buffer
    }
    val first = sessions(most - 1 to 0 by -1, 1)
    assert(first.all.size == most)
    val all = first.merged(sessions(0 until most, 2))
    assert(all.all.size == most && all.gone.isEmpty)
    assert(shown(all).last == One((most - 1) * 100L, (most - 1) * 100L, 2, Seq(most - 1, most - 1)))
  }
}
