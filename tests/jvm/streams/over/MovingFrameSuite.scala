package io.kafkalyst.streams.over

import java.util.concurrent.atomic.AtomicLong

import org.apache.spark.api.java.Optional
import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.util.ArrayData
import org.apache.spark.sql.streaming.{GroupStateTimeout, TestGroupState}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import scala.util.Random

/** Values over frames, compared with a function of each frame's rows. */
class MovingFrameSuite extends AnyFunSuite {
  import MovingFrameSuite._

  private val number = BoundReference(0, LongType, nullable = true)
  private val text = BoundReference(1, StringType, nullable = true)
  private val exact = Cast(number, DecimalType(20, 2))
  // Whole numbers, whose sums are not rounded.
  private val double = Cast(number, DoubleType)

  private def of(function: Expression, filter: Option[Expression] = None) =
    OverCall(function, filter, None, OverFrame(ofTimes = false, Some(0)))

  private val functions = Seq(
    "SUM" -> of(Sum(number)),
    "SUM of DECIMAL" -> of(Sum(exact)),
    "SUM of DOUBLE with FILTER" -> of(Sum(double), Some(GreaterThan(number, Literal(0L)))),
    "COUNT" -> of(Count(Seq(number))),
    "AVG" -> of(Average(double)),
    "MIN of STRING" -> of(Min(text)),
    "MAX with FILTER" -> of(Max(number), Some(IsNotNull(text))),
    "FIRST_VALUE" -> of(First(text, ignoreNulls = false)),
    "FIRST_VALUE without NULL" -> of(First(text, ignoreNulls = true)),
    "LAST_VALUE without NULL" -> of(Last(number, ignoreNulls = true)),
    "COLLECT_LIST" -> of(CollectList(number)),
    "LAG" -> OverCall(number, None, Some(Literal(-1L)), OverFrame(ofTimes = false, Some(1), 1))
  )

  functions.foreach { case (name, call) =>
    test(s"$name of each frame") {
      (1 to 100).foreach { seed =>
        val r = new Random(seed)
        val rows = IndexedSeq.fill(80)(InternalRow(
          if (r.nextInt(4) == 0) null else r.nextInt(20) - 10L,
          if (r.nextInt(4) == 0) null else UTF8String.fromString(s"${('a' + r.nextInt(9)).toChar}")
        ))
        val frame = new MovingFrame(call, rows)
        var (from, until) = (r.nextInt(10), 10)
        while (until < rows.size) {
          val found = plain(frame.value(from, until, rows(until)))
          val expected = plain(call.over(rows.slice(from, until).iterator, rows(until)))
          assert(found == expected, s"seed $seed, $from to $until")
          // Ends that stay, and starts that leave out several rows or all.
          until += r.nextInt(3)
          from = math.min(until, from + (if (r.nextInt(20) == 0) 15 else r.nextInt(3)))
        }
      }
    }
  }

  private def plain(value: Any): Any = value match {
    case list: ArrayData => list.toObjectArray(LongType).toSeq
    case other => other
  }

  test("a part that overflows is not the frame's error") {
    val values = Seq(5L, -1L, Long.MaxValue, 1L, -3L, 4L, 2L)
    val rows = values.map(InternalRow(_)).toIndexedSeq
    val sum = of(Sum(number))
    val frame = new MovingFrame(sum, rows)
    val frames = Seq(0 -> 2, 1 -> 3, 1 -> 4, 1 -> 5, 3 -> 6, 4 -> 7)
    val sums = frames.map { case (from, until) => frame.value(from, until, null) }
    assert(sums == Seq(4L, Long.MaxValue - 1, Long.MaxValue, Long.MaxValue - 3, 2L, 3L))
    intercept[ArithmeticException](new MovingFrame(sum, rows).value(2, 4, null))
  }

  test("each row of a large frame is read a few times only") {
    val rows = (0 until 20000).map(i => InternalRow(i.toLong))
    Seq[Expression => AggregateFunction](Sum(_), c => Count(Seq(c)), Average(_), Min(_), Max(_)).foreach { function =>
      val count = new AtomicLong
      val frame = new MovingFrame(of(function(Reads(number, count))), rows)
      rows.indices.foreach(i => frame.value(math.max(0, i - 9999), i + 1, rows(i)))
      assert(count.get < 10 * rows.size, function(number))
    }
  }

  test("rows of several batches are read a few times only") {
    val count = new AtomicLong
    val sum = OverCall(Sum(Reads(number, count)), None, None, OverFrame(ofTimes = true, Some(4999)))
    val over = new OverRows(StructType(Seq(StructField("n", LongType))), Seq(sum), Seq(LongType), atOnce = true)
    val toRow = UnsafeProjection.create(Array[DataType](LongType))
    val timeout = GroupStateTimeout.NoTimeout
    val state = TestGroupState.create[Row](Optional.empty[Row], timeout, 0, Optional.empty[Long], hasTimedOut = false)
    val numbers = 0L until 20000L
    val sums = numbers.grouped(5000).flatMap { batch =>
      over(Array.empty, batch.iterator.map(n => Row(null, n, toRow(InternalRow(n)).copy().getBytes)), state)
    }
    val expected = numbers.map(n => (math.max(0, n - 4999) to n).length * (math.max(0, n - 4999) + n) / 2)
    assert(sums.map(row => BytesRow.of(row.getAs[Array[Byte]](1), 1).getLong(0)).toSeq == expected)
    assert(count.get < 10 * numbers.size)
  }
}

object MovingFrameSuite {

  /** Counts its evaluations. */
  private final case class Reads(child: Expression, count: AtomicLong) extends UnaryExpression with CodegenFallback {
    override def dataType: DataType = child.dataType
    override def eval(row: InternalRow): Any = {
      count.incrementAndGet()
      child.eval(row)
    }
    override protected def withNewChildInternal(newChild: Expression): Expression = copy(child = newChild)
  }
}
