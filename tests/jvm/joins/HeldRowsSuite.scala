package io.kafkalyst.joins

import org.apache.spark.sql.Row
import org.scalatest.funsuite.AnyFunSuite

import scala.collection.mutable.ArrayBuffer
import scala.util.Random

/** The rows of a windowed join, compared with a search through all of them. */
class HeldRowsSuite extends AnyFunSuite {
  private type Result = (Int, Row, Row, Long, Seq[Long])

  /** Looks at all rows of both sides for each row. */
  private final class Naive(
      window: JoinWindow,
      retention: Long,
      alone: Seq[Boolean],
      kept: Seq[Seq[Kept]],
      watermark: Long
  ) {
    val results = ArrayBuffer.empty[Result]
    val sides: Seq[ArrayBuffer[Kept]] = kept.map(ArrayBuffer.from(_))
    val changed = Array(false, false)
    private var streamTime = watermark
    private val newest = sides.map(_.map(_.time).maxOption.getOrElse(Long.MinValue)).toArray

    private def closing(side: Int, time: Long) =
      time + (if (side == 0) window.after else window.before) + window.grace.getOrElse(0L)

    def take(side: Int, time: Long, row: Row, stamp: Seq[Long]): Unit = {
      val other = 1 - side
      streamTime = math.max(streamTime, time)
      newest(side) = math.max(newest(side), time)
      close()
      val matches = sides(other).toSeq.filter { found =>
        val later = if (side == 0) found.time - time else time - found.time
        later >= -window.before && later <= window.after && found.time > newest(other) - retention
      }.sortBy(_.time)
      matches.foreach { found =>
        if (found.waits) {
          found.waits = false
          changed(other) = true
        }
        results += ((side, row, found.row, math.max(time, found.time), stamp))
      }
      val isLonely = matches.isEmpty && alone(side)
      val isClosed = window.grace.isEmpty || closing(side, time) < streamTime
      if (isLonely && isClosed) results += ((side, row, null, time, stamp))
      sides(side) += Kept(time, row, stamp, isLonely && !isClosed)
      changed(side) = true
    }

    def close(): Unit = {
      val over = for {
        side <- sides.indices
        kept <- sides(side).toSeq if kept.waits && closing(side, kept.time) < streamTime
      } yield side -> kept
      over.sortBy(_._2.time).foreach { case (side, kept) =>
        kept.waits = false
        changed(side) = true
        results += ((side, kept.row, null, kept.time, (closing(side, kept.time) + 1) +: kept.stamp.tail))
      }
      sides.indices.foreach { side =>
        val before = sides(side).size
        sides(side).filterInPlace { k =>
          k.waits || !(k.time <= newest(side) - retention || k.time + retention < watermark)
        }
        if (sides(side).size < before) changed(side) = true
      }
    }

    def next: Option[Long] = sides.indices.flatMap { side =>
      sides(side).map(k => (if (k.waits) closing(side, k.time) else k.time + retention) + 1)
    }.minOption
  }

  test("rows in and out of order have the results of a search through all rows") {
    (1 to 2000).foreach { seed =>
      val r = new Random(seed)
      val grace = if (r.nextBoolean()) Some(r.nextInt(20).toLong) else None
      val window = JoinWindow(r.nextInt(15).toLong, r.nextInt(15).toLong, grace)
      val retention = window.before + window.after + grace.getOrElse(25L)
      val alone = Seq(r.nextBoolean(), r.nextBoolean())
      var (kept, expected) = (Seq.fill(2)(Seq.empty[Kept]), Seq.fill(2)(Seq.empty[Kept]))
      var number = 0L
      (0 until 4).foreach { batch =>
        // Rows come in a batch, and a timer between batches has the watermark.
        val isTimer = batch == 2
        val watermark = if (isTimer) number + r.nextInt(80) else Long.MinValue
        val results = ArrayBuffer.empty[Result]
        val held = new HeldRows(window, retention, alone, kept, watermark)((s, row, other, time, stamp) =>
          results += ((s, row, other, time, stamp))
        )
        val naive = new Naive(window, retention, alone, expected, watermark)
        if (!isTimer) (0 until r.nextInt(40)).foreach { _ =>
          val (side, time) = (r.nextInt(2), number + r.nextInt(30) - (if (r.nextInt(8) == 0) 60 else 0))
          held.take(side, time, Row(number), Seq(time, number))
          naive.take(side, time, Row(number), Seq(time, number))
          number += 1
        }
        held.close()
        naive.close()
        assert(results == naive.results, s"seed $seed")
        assert(held.next == naive.next, s"seed $seed")
        Seq(0, 1).foreach { side =>
          assert(held.rows(side) == naive.sides(side), s"seed $seed")
          assert(held.isChanged(side) == naive.changed(side), s"seed $seed")
        }
        // The state has rows of its own.
        kept = Seq(0, 1).map(held.rows(_).map(_.copy()))
        expected = naive.sides.map(_.toSeq.map(_.copy()))
      }
    }
  }

  test("a key with many rows in the retention is joined without a search through all") {
    val most = 300000
    val window = JoinWindow(1, 1, Some(10))
    var results = 0
    val held = new HeldRows(window, Long.MaxValue / 4, Seq(true, true), Seq(Nil, Nil), Long.MinValue)((_, _, _, _, _) =>
      results += 1
    )
    (0 until most).foreach { i =>
      held.take(0, i * 10L, Row(i), Seq(i * 10L))
      if (i % 2 == 0) held.take(1, i * 10L, Row(i), Seq(i * 10L))
    }
    held.take(1, most * 20L, Row(most), Seq(most * 20L))
    assert(results == most && held.rows(0).size == most && held.rows(1).size == most / 2 + 1)
  }
}
