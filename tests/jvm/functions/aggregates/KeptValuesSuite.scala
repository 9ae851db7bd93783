package io.kafkalyst.functions.aggregates

import io.kafkalyst.errors.KafkalystTaskException
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Literal, UnsafeProjection}
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData, MapData}
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import scala.util.Random

class KeptValuesSuite extends AnyFunSuite {
  private def of(kept: Kept, most: Int, distinct: Boolean = false, dataType: DataType = IntegerType) = KeptValues(
    "kept",
    BoundReference(0, dataType, nullable = true),
    kept,
    most,
    distinct = distinct,
    place = BoundReference(1, Placed.dataType, nullable = false)
  )

  private def row(value: Any, place: Int) = InternalRow(value, new GenericArrayData(Array(7L, place.toLong)))

  private def buffer(values: KeptValues, rows: Seq[InternalRow]): KeptValues.Buffer =
    rows.foldLeft(values.createAggregationBuffer())(values.update)

  private def stored(values: KeptValues, buffer: KeptValues.Buffer): KeptValues.Buffer =
    values.deserialize(values.serialize(buffer))

  private def result(values: KeptValues, buffer: KeptValues.Buffer): Seq[Any] =
    values.eval(buffer).asInstanceOf[ArrayData].toObjectArray(values.value.dataType).toSeq

  test("the same values are kept in any order of rows and buffers") {
    (1 to 200).foreach { seed =>
      val r = new Random(seed)
      val given = Seq.tabulate(30)(i => (r.nextInt(12), i))
      val in = given.map(_._1)
      val cases = Seq(
        of(Kept.First, 4) -> in.take(4),
        of(Kept.Last, 4) -> in.takeRight(4),
        of(Kept.Last, 1) -> in.takeRight(1),
        of(Kept.First, Int.MaxValue) -> in,
        of(Kept.Greatest, 4) -> in.sorted.reverse.take(4),
        of(Kept.Greatest, 4, distinct = true) -> in.distinct.sorted.reverse.take(4),
        of(Kept.First, 4, distinct = true) -> in.distinct.take(4),
        of(Kept.First, Int.MaxValue, distinct = true) -> in.distinct
      )
      cases.foreach { case (values, expected) =>
        val parts = r.shuffle(given).map { case (v, place) => row(v, place) }.grouped(7).toSeq
        val all = parts.map(buffer(values, _)).map(stored(values, _))
          .foldLeft(values.createAggregationBuffer())((a, b) => stored(values, values.merge(a, b)))
        assert(result(values, all) == expected, s"$values, seed $seed")
        val literal = Literal(new GenericArrayData(in.toArray[Any]), ArrayType(IntegerType))
        val over = values.over(literal).eval().asInstanceOf[ArrayData].toObjectArray(IntegerType).toSeq
        assert(over == expected, s"$values of all, seed $seed")
      }
    }
  }

  test("a state has no more than the values that are asked for") {
    val all = Seq(of(Kept.First, 3), of(Kept.Last, 3), of(Kept.Greatest, 3), of(Kept.First, 3, distinct = true))
    all.foreach { values =>
      val rows = buffer(values, (0 until 100000).map(i => row(i, i)))
      assert(values.serialize(rows).length < 400, values)
    }
  }

  test("equal values are counted, as Spark compares them, NULLs not") {
    val values = of(Kept.First, Int.MaxValue, distinct = true, DoubleType).copy(nulls = false, counts = Some(LongType))
    val given = Seq[Any](Double.NaN, 0.0, null, -0.0, Double.NaN, 1.0)
    val all = buffer(values, given.zipWithIndex.map { case (v, i) => row(v, i) })
    val counts = values.eval(stored(values, all)).asInstanceOf[MapData]
    assert(counts.valueArray().toLongArray().toSeq == Seq(2L, 2L, 1L))
  }

  test("the state of former versions is refused by name") {
    val former = UnsafeProjection.create(Array[DataType](ArrayType(IntegerType)))
    val bytes = former(InternalRow(new GenericArrayData(Array[Any](1, 2)))).getBytes
    val error = intercept[KafkalystTaskException](of(Kept.First, 2).deserialize(bytes))
    assert(error.getCondition == "KAFKALYST_STATE_OF_FORMER_VERSION")
  }
}
