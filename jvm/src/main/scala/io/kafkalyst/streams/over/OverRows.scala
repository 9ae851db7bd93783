package io.kafkalyst.streams
package over

import org.apache.spark.sql.{DataFrame, Encoders, Row}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection
import org.apache.spark.sql.catalyst.plans.logical.{FlatMapGroupsWithState, LogicalPlan, SerializeFromObject}
import org.apache.spark.sql.streaming.{GroupState, GroupStateTimeout, OutputMode}
import org.apache.spark.sql.types._

import scala.collection.mutable.ArrayBuffer

/**
 * Window functions over a key's rows in the order of their time. Each row is emitted with the functions' values once
 * the watermark has passed its time; rows of the same time in order of arrival.
 *
 * The state has the rows that wait for the watermark, the rows that later frames still need, and the buffers of
 * functions over all earlier rows.
 *
 * @param fields the row's fields
 * @param types  the types of the functions' values
 * @param atOnce whether rows are ordered by processing time, so that no row waits
 */
private final class OverRows(fields: StructType, calls: Seq[OverCall], types: Seq[DataType], atOnce: Boolean)
    extends ((Array[Byte], Iterator[Row], GroupState[Row]) => Iterator[Row])
    with Serializable {
  import OverRows.Timed

  private val growing = calls.indices.filter(calls(_).frame.from.isEmpty)
  private val (byTime, byRows) = calls.map(_.frame).partition(_.ofTimes)
  private val span = byTime.flatMap(_.from).maxOption
  private val rowsBefore = byRows.flatMap(_.from).maxOption.getOrElse(0L).toInt

  @transient private lazy val toResults = UnsafeProjection.create(types.toArray)

  override def apply(key: Array[Byte], rows: Iterator[Row], state: GroupState[Row]): Iterator[Row] = {
    val before = state.getOption
    def stored(i: Int) = before.fold(Seq.empty[Timed])(_.getSeq[Row](i).map(timed(_, 0)).toSeq)
    val all = stored(0) ++ rows.filterNot(_.isNullAt(1)).map(timed(_, 1))
    val watermark = if (atOnce) Long.MaxValue else state.getCurrentWatermarkMs() * 1000
    val (passed, waiting) = all.partition(_.at <= watermark)
    val known = ArrayBuffer.from(stored(1))
    val buffers = new Array[InternalRow](calls.size)
    growing.zipWithIndex.foreach { case (call, i) =>
      buffers(call) = before.fold(calls(call).empty)(b => calls(call).read(b.getSeq[Array[Byte]](2)(i)))
    }
    val frames = calls.map(new MovingFrame(_, known(_).row))
    // The start of each function's frame of times, which advances with time.
    val starts = new Array[Int](calls.size)
    def take(call: Int, one: Timed): Unit = buffers(call) = calls(call).taken(buffers(call), one.row)

    /** The results for rows of one time, which RANGE treats together. */
    def results(rows: Seq[Timed]): Seq[Row] = {
      val first = known.size
      known ++= rows
      val shared = calls.zipWithIndex.map {
        case (call @ OverCall(_, _, _, OverFrame(true, None, _)), i) =>
          rows.foreach(take(i, _))
          call.result(buffers(i))
        case (OverCall(_, _, _, OverFrame(true, Some(from), _)), i) =>
          while (known(starts(i)).at < rows.head.at - from) starts(i) += 1
          frames(i).value(starts(i), known.size, rows.head.row)
        case _ => null
      }
      rows.zipWithIndex.map { case (one, place) =>
        val values = calls.zipWithIndex.map {
          case (OverCall(_, _, _, OverFrame(true, _, _)), i) => shared(i)
          case (call @ OverCall(_, _, _, OverFrame(_, None, _)), i) =>
            take(i, one)
            call.result(buffers(i))
          case (OverCall(_, _, _, OverFrame(_, Some(from), to)), i) =>
            val at = first + place
            frames(i).value(math.max(at - from.toInt, 0), math.max(at - to.toInt + 1, 0), one.row)
        }
        Row(one.bytes, toResults(InternalRow.fromSeq(values)).copy().getBytes)
      }
    }

    val byTimes = passed.groupBy(_.at).toSeq.sortBy(_._1)
    val told = byTimes.flatMap { case (_, rows) => results(rows) }
    keep(state, waiting, known, buffers, if (atOnce) byTimes.lastOption.fold(0L)(_._1) else watermark)
    told.iterator
  }

  /** @param now the time before which no row arrives any more */
  private def keep(
      state: GroupState[Row],
      waiting: Seq[Timed],
      known: ArrayBuffer[Timed],
      buffers: Array[InternalRow],
      now: Long
  ): Unit = {
    val over = span.fold(known.size)(s => known.segmentLength(_.at < now - s))
    val kept = known.drop(math.min(over, math.max(known.size - rowsBefore, 0)))
    if (waiting.isEmpty && kept.isEmpty && growing.isEmpty) state.remove()
    else {
      def rows(all: Iterable[Timed]) = all.map(r => Row(r.at, r.bytes)).toSeq
      state.update(Row(rows(waiting), rows(kept), growing.map(i => calls(i).written(buffers(i)))))
      if (!atOnce) {
        // Spark calls when the watermark is later than the timeout, and a row is due when the watermark reaches its
        // time.
        val row = waiting.map(_.at).minOption.map(at => Math.floorDiv(at + 999, 1000L) - 1)
        val empty = if (rowsBefore > 0) None else kept.headOption.map(r => (r.at + span.get) / 1000 + 1)
        (row ++ empty).minOption.foreach(at => state.setTimeoutTimestamp(math.max(at, now / 1000)))
      }
    }
  }

  override def toString: String = s"${fields.sql}: ${calls.mkString(", ")}"

  private def timed(row: Row, at: Int): Timed = {
    val bytes = row.getAs[Array[Byte]](at + 1)
    new Timed(row.getLong(at), bytes, BytesRow.of(bytes, fields.size))
  }
}

object OverRows {
  private final class Timed(val at: Long, val bytes: Array[Byte], val row: InternalRow)

  private val values = "over.values"

  private val rows = ArrayType(StructType(Seq(StructField("at", LongType), StructField("row", BinaryType))))
  private val state = StructType(
    Seq(StructField("waiting", rows), StructField("known", rows), StructField("buffers", ArrayType(BinaryType)))
  )
  private val told = StructType(Seq(StructField("row", BinaryType), StructField(values, BinaryType)))

  /** Whether a plan node is this operator. */
  def are(plan: LogicalPlan): Boolean = plan match {
    case rows: SerializeFromObject => rows.output.exists(_.name == values)
    case _ => false
  }

  /** The functions of the operator, and the fields of the rows in its state. */
  private[streams] def shown(plan: LogicalPlan): String =
    plan.children.collect { case f: FlatMapGroupsWithState => f.func.toString }.mkString

  /**
   * @param given  the key as BINARY, the time in microseconds, the row as [[RowBytes]]; and, unless `atOnce`, the
   *               column with the watermark
   * @param fields the row's fields
   * @return the row, and the STRUCT of the functions' values
   */
  def of(
      given: DataFrame,
      fields: StructType,
      calls: Seq[OverCall],
      types: Seq[DataType],
      atOnce: Boolean
  ): LogicalPlan = {
    val timeout = if (atOnce) GroupStateTimeout.NoTimeout() else GroupStateTimeout.EventTimeTimeout()
    given.groupByKey((r: Row) => r.getAs[Array[Byte]](0))(Encoders.BINARY)
      .flatMapGroupsWithState(OutputMode.Append(), timeout)(new OverRows(fields, calls, types, atOnce))(
        Encoders.row(state),
        Encoders.row(told)
      ).queryExecution.analyzed
  }
}
