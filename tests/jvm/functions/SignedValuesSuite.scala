package io.kafkalyst.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.BoundReference
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

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
}
