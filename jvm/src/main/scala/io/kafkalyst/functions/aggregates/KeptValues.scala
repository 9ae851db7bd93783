package io.kafkalyst.functions
package aggregates

import io.kafkalyst.errors.KafkalystTaskException
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.catalyst.trees.BinaryLike
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, ArrayData, GenericArrayData, TypeUtils}
import org.apache.spark.sql.types._

import scala.collection.mutable
import scala.collection.mutable.ArrayBuffer
import scala.math.Ordering.Implicits._

/** Which values of a group are kept, in which order. */
sealed trait Kept

object Kept {

  /** The values of the first rows, in their order. */
  case object First extends Kept

  /** The values of the last rows, in their order. */
  case object Last extends Kept

  /** The greatest values, in descending order; of equal ones the first. STRUCTs are compared by their first field. */
  case object Greatest extends Kept
}

/**
 * Keeps some values of a group, and only these in its state. The result is an ARRAY, or a MAP of each value's count.
 *
 * @param name     the function's name, lower case
 * @param place    see [[Placed]]
 * @param most     the maximum number of values
 * @param nulls    whether NULL counts as a value
 * @param distinct whether equal values are kept once, at the place of their first row
 * @param counts   the type of the counts, if the result is a MAP of distinct values and their counts
 * @param undoes   whether ksqlDB's function retracts the rows that a table replaces
 */
final case class KeptValues(
    name: String,
    value: Expression,
    kept: Kept,
    most: Int = Int.MaxValue,
    nulls: Boolean = true,
    distinct: Boolean = false,
    counts: Option[DataType] = None,
    undoes: Boolean = false,
    place: Expression = Placed.nowhere,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends TypedImperativeAggregate[KeptValues.Buffer]
    with BinaryLike[Expression]
    with Placed {
  import KeptValues.{Buffer, Entry}

  override def left: Expression = value
  override def right: Expression = place
  override def prettyName: String = name
  override def nullable: Boolean = false
  override def dataType: DataType = counts.fold[DataType](ArrayType(value.dataType, nulls))(
    MapType(value.dataType, _, valueContainsNull = false)
  )
  override def checkInputDataTypes(): TypeCheckResult =
    if (kept == Kept.Greatest) TypeUtils.checkForOrderingExpr(ranked, name)
    else TypeCheckResult.TypeCheckSuccess

  override def sql(isDistinct: Boolean): String = s"$name(${value.sql})"

  // Everything that determines the state; compared when a query is replaced.
  override def toAggString(isDistinct: Boolean): String =
    s"$name($value, ${if (most < Int.MaxValue) s"$most" else "all"}, NULLs ${if (nulls) "too" else "ignored"})"

  /** The type that values are compared by. */
  private def ranked: DataType = value.dataType match {
    case StructType(fields) => fields.head.dataType
    case other => other
  }

  private lazy val greater: Ordering[Any] = {
    val order = TypeUtils.getInterpretedOrdering(ranked).reverse
    value.dataType match {
      case _: StructType => Ordering.by((row: Any) => row.asInstanceOf[InternalRow].get(0, ranked))(order)
      case _ => order
    }
  }
  private lazy val toRow = UnsafeProjection.create(
    Array[DataType](ArrayType(value.dataType), ArrayType(Placed.dataType), ArrayType(LongType))
  )

  override def createAggregationBuffer(): Buffer = new Buffer

  override def update(buffer: Buffer, row: InternalRow): Buffer = {
    val given = value.eval(row)
    if (given == null && !nulls) buffer
    else {
      val at = Placed.read(place.eval(row))
      take(buffer, new Entry(InternalRow.copyValue(given), at, 1))
    }
  }

  override def merge(buffer: Buffer, input: Buffer): Buffer = input.entries.foldLeft(buffer)(take)

  private def take(buffer: Buffer, entry: Entry): Buffer = {
    val had = if (distinct) buffer.byValue.get(keyOf(entry)) else None
    had match {
      case Some(same) =>
        same.count += entry.count
        if (entry.place < same.place) same.place = entry.place
      case None =>
        buffer.entries += entry
        if (distinct) buffer.byValue(keyOf(entry)) = entry
        // Shortened only once it has twice the maximum, so that a row takes constant time on average.
        if (buffer.entries.size / 2 >= most) shorten(buffer)
    }
    buffer
  }

  private def keyOf(entry: Entry) = Comparable.of(entry.value, value.dataType)

  private def shorten(buffer: Buffer): Unit = {
    val sorted = kept match {
      case Kept.Greatest => buffer.entries.sortBy(_.value)(greater)
      case _ => buffer.entries.sortBy(_.place)
    }
    buffer.entries = if (kept == Kept.Last) sorted.takeRight(most) else sorted.take(most)
    if (distinct && buffer.entries.size < sorted.size) {
      buffer.byValue.clear()
      buffer.entries.foreach(entry => buffer.byValue(keyOf(entry)) = entry)
    }
  }

  override def eval(buffer: Buffer): Any = {
    shorten(buffer)
    val values = buffer.entries.map(_.value).toArray[Any]
    counts.fold[Any](new GenericArrayData(values)) { count =>
      val times = buffer.entries.map(e => if (count == LongType) Long.box(e.count) else Int.box(e.count.toInt))
      ArrayBasedMapData(values, times.toArray[Any])
    }
  }

  /** The result over an ARRAY of all values, in their order. */
  def over(all: Expression): Expression = Computed(s"$name of all", Seq(all), dataType, Nil, nulls = false) { a =>
    val buffer = createAggregationBuffer()
    a(0).asInstanceOf[ArrayData].toObjectArray(value.dataType)
      .foreach(given => if (given != null || nulls) take(buffer, new Entry(given, Nil, 1)))
    eval(buffer)
  }

  override def serialize(buffer: Buffer): Array[Byte] = {
    shorten(buffer)
    val columns = Seq[ArrayBuffer[Any]](
      buffer.entries.map(_.value),
      buffer.entries.map(e => new GenericArrayData(e.place)),
      buffer.entries.map(_.count)
    )
    toRow(InternalRow.fromSeq(columns.map(c => new GenericArrayData(c.toArray[Any])))).getBytes
  }

  override def deserialize(bytes: Array[Byte]): Buffer = {
    val row = new UnsafeRow(KeptValues.columns)
    row.pointTo(bytes, bytes.length)
    if (Placed.columns(row) != KeptValues.columns)
      throw KafkalystTaskException(null, "STATE_OF_FORMER_VERSION", "function" -> name)
    val (places, times) = (row.getArray(1), row.getArray(2).toLongArray())
    val buffer = new Buffer
    row.getArray(0).foreach(
      value.dataType,
      (i, given) =>
        take(buffer, new Entry(InternalRow.copyValue(given), Placed.read(places.getArray(i)), times(i)))
    )
    buffer
  }

  override def withNewMutableAggBufferOffset(offset: Int): KeptValues = copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): KeptValues = copy(inputAggBufferOffset = offset)
  override protected def withNewChildrenInternal(value: Expression, place: Expression): KeptValues =
    copy(value = value, place = place)
  override def placedBy(place: Expression): KeptValues = copy(place = place)
}

object KeptValues {

  /** A value, the place of its first row, and how many rows have it. */
  private[aggregates] final class Entry(val value: Any, var place: Seq[Long], var count: Long)

  /** A group's values so far; distinct values are indexed by their comparable form. */
  final class Buffer {
    private[aggregates] var entries = ArrayBuffer.empty[Entry]
    private[aggregates] val byValue = mutable.HashMap.empty[Any, Entry]
  }

  /** The number of columns of a stored buffer. */
  private val columns = 3
}
