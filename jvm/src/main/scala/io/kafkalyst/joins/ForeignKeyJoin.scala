package io.kafkalyst.joins

import io.kafkalyst.metadata.Headers
import org.apache.spark.sql.{Encoders, Row}
import org.apache.spark.sql.streaming._
import org.apache.spark.sql.types._

/**
 * The first step of a foreign-key join of tables: tracks by the left table's own key which right row it references, and
 * notifies that row's key.
 */
private[joins] object Pointers {

  /** References the right row. In an inner join there is no result while that row is missing. */
  val points = 0

  /** Like [[points]] after a reference to another row: if the right row is missing, the result is deleted. */
  val pointsNow = 1

  /** The left row now references another row, whose key produces the result. */
  val leaves = 2

  /** The left row is deleted, and its result with it. */
  val ends = 3

  val how = "how"

  def schema(key: StructType, foreign: StructType, left: StructType): StructType = StructType(
    foreign.fields ++ Seq(
      StructField(how, IntegerType),
      StructField("own", key),
      StructField(Change.rows.head, left),
      StructField(Change.time, LongType),
      StructField(Change.stamp, Change.stampType),
      StructField(Change.headers, Headers.arrayType)
    )
  )
}

/** @param foreign the foreign-key columns; if one of them is null, the row references nothing */
private[joins] final class Pointers(shape: JoinShape, foreign: StructType, outer: Boolean)
    extends JoinProcessor(shape) {
  @transient private var last: ValueState[Row] = _

  override def init(outputMode: OutputMode, timeMode: TimeMode): Unit = last = value("last", foreign)

  override def handleInputRows(key: Row, rows: Iterator[Row], timers: TimerValues): Iterator[Row] = {
    val nothing = Row.fromSeq(Seq.fill(foreign.size)(null))
    ordered(rows).flatMap { change =>
      def tell(to: Row, how: Int) =
        Row.fromSeq(to.toSeq ++ Seq(how, key, change.row.getStruct(0), change.time, change.stamp, change.headers))
      val before = if (last.exists()) Some(last.get()) else None
      val given = change.row.getStruct(1)
      val target = if (given.anyNull) nothing else given
      val now = if (change.gone || (given.anyNull && !outer)) None else Some(target)
      now.fold(last.clear())(last.update)
      (before, now) match {
        case (Some(old), Some(to)) if old == to => Seq(tell(to, Pointers.points))
        case (Some(old), Some(to)) => Seq(tell(old, Pointers.leaves), tell(to, Pointers.pointsNow))
        case (Some(old), None) => Seq(tell(old, Pointers.ends))
        case (None, Some(to)) => Seq(tell(to, Pointers.points))
        case (None, None) => Nil
      }
    }.iterator
  }
}

/**
 * The second step, by the right table's key: all left rows that reference it.
 *
 * @param shape   its key is the left table's own, and its left rows are the output of [[Pointers]]
 * @param leftRow the left table's rows
 * @param outer   whether left rows without a match are kept
 */
private[joins] final class ForeignKeyJoin(shape: JoinShape, leftRow: StructType, outer: Boolean)
    extends JoinProcessor(shape) {
  @transient private var right: ValueState[Row] = _
  @transient private var left: MapState[Row, Row] = _

  override def init(outputMode: OutputMode, timeMode: TimeMode): Unit = {
    right = value("right", shape.kept(1))
    val kept = StructType(Seq(StructField(Change.time, LongType), StructField("row", leftRow)))
    left = getHandle.getMapState[Row, Row]("left", Encoders.row(shape.key), Encoders.row(kept), TTLConfig.NONE)
  }

  override def handleInputRows(key: Row, rows: Iterator[Row], timers: TimerValues): Iterator[Row] = {
    val now = new TableRow(right)
    ordered(rows).flatMap { change =>
      if (change.side == 0) Seq(pointed(change, now)).flatten
      else {
        val before = now.row
        now.put(change)
        if (change.gone && before.isEmpty) Nil
        else left.iterator().toVector.flatMap { case (own, kept) =>
          val at = change.copy(time = math.max(kept.getLong(0), change.time))
          if (!change.gone) one(own, kept.getStruct(1), change.row, at, gone = false)
          else one(own, kept.getStruct(1), null, at, gone = !outer)
        }
      }
    }.iterator
  }

  private def pointed(change: Change, now: TableRow): Option[Row] = {
    val Row(how: Int, own: Row, row: Row) = change.row
    if (how == Pointers.points || how == Pointers.pointsNow) left.updateValue(own, Row(change.time, row))
    else left.removeKey(own)
    val at = change.copy(time = math.max(change.time, now.time))
    how match {
      case Pointers.leaves => None
      // An inner join's right row takes part in the delete; a left row's outer join ends alone.
      case Pointers.ends => one(own, row, null, if (outer) change else at, gone = true)
      case _ if now.row.isDefined || outer => one(own, row, now.row.orNull, at, gone = false)
      case Pointers.pointsNow => one(own, row, null, change, gone = true)
      case _ => None
    }
  }

  private def one(own: Row, left: Row, right: Row, of: Change, gone: Boolean): Option[Row] =
    Some(Row.fromSeq(own.toSeq ++ Seq(left, right, of.time, of.stamp :+ 0L, gone, of.headers)))
}
