package io.kafkalyst.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.BoundReference
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import scala.collection.mutable.ArrayBuffer
import scala.util.Random

class SignedValuesSuite extends AnyFunSuite {
  private val places = ArrayType(LongType, containsNull = false)

  private def of(dataType: DataType) = SignedValues(
    BoundReference(0, dataType, nullable = true),
    BoundReference(1, IntegerType, nullable = false),
    BoundReference(2, places, nullable = false)
  )

  private def row(value: Any, sign: Int, place: Long) =
    InternalRow(value, sign, new GenericArrayData(Array(place)))

  /** The values after all rows, each in a buffer of its own that is stored and merged. */
  private def merged(values: SignedValues, rows: Seq[InternalRow]): Seq[Any] = {
    val all = rows.foldLeft(values.createAggregationBuffer()) { (buffer, row) =>
      val one = values.update(values.createAggregationBuffer(), row)
      values.deserialize(values.serialize(values.merge(buffer, values.deserialize(values.serialize(one)))))
    }
    values.eval(all).asInstanceOf[ArrayData].toObjectArray(values.value.dataType).toSeq
  }

  test("a removal takes NaN, and a zero of either sign") {
    assert(merged(of(DoubleType), Seq(row(Double.NaN, 1, 1), row(Double.NaN, -1, 2), row(2.0, 1, 2))) == Seq(2.0))
    assert(merged(of(FloatType), Seq(row(0.0f, 1, 1), row(-0.0f, -1, 2))).isEmpty)
  }

  test("the last equal values go, and the same ones stay in any order of the rows") {
    (1 to 200).foreach { seed =>
      val r = new Random(seed)
      val added = Seq.tabulate(12)(i => (r.nextInt(3), i.toLong))
      val gone = r.shuffle(added).take(5).map { case (value, place) => (value, place + 100) }
      val rows = added.map { case (v, p) => row(v, 1, p) } ++ gone.map { case (v, p) => row(v, -1, p) }
      val left = gone.foldLeft(added.map(_._1))((values, g) => values.patch(values.lastIndexOf(g._1), Nil, 1))
      assert(merged(of(IntegerType), rows) == left, s"seed $seed")
      val shuffled = merged(of(IntegerType), r.shuffle(rows)).map(_.asInstanceOf[Int])
      assert(shuffled.sorted == left.sorted, s"seed $seed")
    }
  }

  test("values of a group are merged in linear time") {
    val values = of(IntegerType)
    val buffer = (0 until 300000).foldLeft(values.createAggregationBuffer())((b, i) => values.update(b, row(i, 1, i)))
    val all = values.merge(values.createAggregationBuffer(), values.deserialize(values.serialize(buffer)))
    assert(values.eval(all).asInstanceOf[ArrayData].numElements == 300000)
  }

  test("additions and removals in any order leave what a search through all values leaves") {
    (1 to 500).foreach { seed =>
      val r = new Random(seed)
      val values = of(IntegerType)
      var all = values.createAggregationBuffer()
      val (added, removed) = (ArrayBuffer.empty[(Int, Long)], ArrayBuffer.empty[(Int, Long)])
      (0 until 60).foreach { i =>
        val (value, place, isAdded) = (r.nextInt(4), r.nextInt(8).toLong, r.nextInt(5) < 3)
        all = values.update(all, row(value, if (isAdded) 1 else -1, place))
        val (same, others) = if (isAdded) (added, removed) else (removed, added)
        val candidates = others.indices.filter { i =>
          others(i)._1 == value && (if (isAdded) others(i)._2 >= place else others(i)._2 <= place)
        }
        if (candidates.isEmpty) same += value -> place
        else if (isAdded) others.remove(candidates.minBy(i => (others(i)._2, i)))
        else others.remove(candidates.maxBy(i => (others(i)._2, i)))
        if (i % 20 == 19) all = values.deserialize(values.serialize(all))
      }
      def held(entries: SignedValues.Entries) = entries.iterator.map(e => (e.value, e.place.head)).toSeq
      assert(held(all.added) == added, s"seed $seed")
      assert(held(all.removed) == removed, s"seed $seed")
    }
  }

  test("values of a large group are removed without a search through all") {
    val values = of(LongType)
    val most = 300000
    def all(sign: Int, of: Range) = of.iterator.map(i => row(i.toLong, sign, i.toLong + (if (sign < 0) most else 0)))
    val rows = all(1, 0 until most) ++ all(-1, most - 1 to 0 by -1)
    assert(rows.foldLeft(values.createAggregationBuffer())(values.update).all.isEmpty)
    val early = all(-1, 0 until most).map(r => row(r.getLong(0), -1, 0)) ++ all(1, 0 until most).map(r =>
      row(r.getLong(0), 1, 0)
    )
    assert(early.foldLeft(values.createAggregationBuffer())(values.update).all.isEmpty)
  }
}
