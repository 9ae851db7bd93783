package io.kafkalyst.streams

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import scala.collection.mutable.ArrayBuffer
import scala.util.Random

/** The first rows of a group, compared with a search through all of its rows. */
class TopRowsSuite extends AnyFunSuite {
  private def struct(ordinals: Int*) =
    CreateStruct(ordinals.map(BoundReference(_, IntegerType, nullable = true)))

  /** The rows have a number, the value to order by, a sign, and a place. */
  private def of(direction: SortDirection, most: Int, isRetracted: Boolean) = TopRows(
    struct(0, 1),
    struct(1),
    Seq(direction -> NullsFirst),
    most,
    if (isRetracted) Some(BoundReference(2, IntegerType, nullable = false)) else None,
    BoundReference(3, ArrayType(LongType, containsNull = false), nullable = false)
  )

  private def input(number: Int, by: Int, sign: Int, place: Long) =
    InternalRow(number, by, sign, new GenericArrayData(Array(place)))

  /** The numbers of the first rows. */
  private def shown(top: TopRows, buffer: TopRows.Buffer): Seq[Int] = {
    val rows = top.eval(buffer).asInstanceOf[ArrayData].toObjectArray(top.dataType.asInstanceOf[ArrayType].elementType)
    rows.toSeq.map(_.asInstanceOf[InternalRow]).filterNot(_.getBoolean(2)).map(_.getStruct(1, 2).getInt(0))
  }

  /** A list of all rows, which is searched for each row. */
  private final class Naive(direction: SortDirection, most: Int, isRetracted: Boolean) {
    val rows = ArrayBuffer.empty[(Int, Int, Long)]
    val taken = ArrayBuffer.empty[(Int, Int)]

    def add(number: Int, by: Int, place: Long): Unit = {
      val at = taken.indexOf(number -> by)
      if (at >= 0) taken.remove(at)
      else {
        val index = rows.lastIndexWhere { case (_, otherBy, otherPlace) =>
          val compared = if (direction == Descending) by.compare(otherBy) else otherBy.compare(by)
          val isLater = most == 1 && direction == Descending
          compared < 0 || compared == 0 && (if (isLater) otherPlace > place else otherPlace <= place)
        } + 1
        if (index < most || isRetracted) {
          rows.insert(index, (number, by, place))
          if (rows.size > most && !isRetracted) rows.remove(most)
        }
      }
    }

    def takeBack(number: Int, by: Int): Unit = {
      val at = rows.indexWhere(r => r._1 == number && r._2 == by)
      if (at >= 0) rows.remove(at) else taken += number -> by
    }
  }

  for {
    direction <- Seq(Ascending, Descending)
    most <- Seq(1, 3)
    isRetracted <- Seq(false, true)
  } test(s"$direction, $most rows, ${if (isRetracted) "with" else "without"} retractions") {
    (1 to 200).foreach { seed =>
      val r = new Random(seed)
      val top = of(direction, most, isRetracted)
      val naive = new Naive(direction, most, isRetracted)
      var buffer = top.createAggregationBuffer()
      (0 until 60).foreach { i =>
        val (number, by, place) = (r.nextInt(4), r.nextInt(3), r.nextInt(4).toLong)
        if (isRetracted && r.nextInt(5) < 2) {
          naive.takeBack(number, by)
          top.update(buffer, input(number, by, -1, place))
        } else {
          naive.add(number, by, place)
          top.update(buffer, input(number, by, 1, place))
        }
        if (i % 7 == 6) buffer = top.deserialize(top.serialize(buffer))
        if (i % 20 == 19) buffer = top.merge(top.createAggregationBuffer(), merged(naive, buffer))
        assert(shown(top, buffer) == naive.rows.map(_._1).take(most), s"seed $seed")
      }
      val all = buffer.inOrder.map(e => (e.row.getInt(0), e.row.getInt(1), e.place.head)).toSeq
      assert(all == naive.rows, s"seed $seed")
      assert(
        buffer.taken.iterator.flatMap { case (row, n) =>
          Seq.fill(n)(row.getInt(0) -> row.getInt(1))
        }.toSeq.sorted == naive.taken.sorted,
        s"seed $seed"
      )
    }
  }

  /** The buffer that is to be merged into an empty one; the naive list does the same. */
  private def merged(naive: Naive, buffer: TopRows.Buffer): TopRows.Buffer = {
    val (rows, taken) = (naive.rows.toList, naive.taken.toList)
    naive.rows.clear()
    naive.taken.clear()
    rows.foreach { case (number, by, place) => naive.add(number, by, place) }
    taken.foreach { case (number, by) => naive.takeBack(number, by) }
    buffer
  }

  test("rows of a large group come and go without a search through all") {
    val top = of(Ascending, 3, isRetracted = true)
    val most = 300000
    val buffer = top.createAggregationBuffer()
    (most - 1 to 0 by -1).foreach(i => top.update(buffer, input(i, i, 1, 0)))
    assert(shown(top, buffer) == Seq(0, 1, 2))
    (most - 1 to 0 by -1).foreach(i => top.update(buffer, input(i, i, -1, 0)))
    assert(buffer.rows.isEmpty)
    (0 until most).foreach(i => top.update(buffer, input(i, i, -1, 0)))
    (most - 1 to 0 by -1).foreach(i => top.update(buffer, input(i, i, 1, 0)))
    assert(buffer.rows.isEmpty && buffer.taken.isEmpty)
  }
}
