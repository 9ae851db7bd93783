package io.kafkalyst.functions

import java.{util => ju}

import io.kafkalyst.functions.aggregates.Placed
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.catalyst.trees.TernaryLike
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._

import scala.collection.mutable
import scala.math.Ordering.Implicits._

/**
 * All values of a group in row order, including nulls, as an ARRAY: Spark's collect_list neither keeps nulls nor
 * supports retraction.
 *
 * @param sign  INT, 1 to add the value, -1 to remove the last equal one
 * @param place ARRAY<BIGINT>, see [[Placed]]
 */
final case class SignedValues(
    value: Expression,
    sign: Expression,
    place: Expression = Placed.nowhere,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends TypedImperativeAggregate[SignedValues.Buffer]
    with TernaryLike[Expression]
    with Placed {
  import SignedValues.{Buffer, Entry}

  override def first: Expression = value
  override def second: Expression = sign
  override def third: Expression = place
  override def prettyName: String = "collect_list"
  override def nullable: Boolean = false
  override def dataType: DataType = ArrayType(value.dataType)

  /** The stored form of a buffer entry. */
  private lazy val kept = StructType(Seq(
    StructField("added", BooleanType),
    StructField("value", value.dataType),
    StructField("place", Placed.dataType)
  ))
  private lazy val toRow = UnsafeProjection.create(Array[DataType](ArrayType(kept)))

  override def createAggregationBuffer(): Buffer = new Buffer(value.dataType)

  override def update(buffer: Buffer, row: InternalRow): Buffer = {
    val at = Placed.read(place.eval(row))
    take(buffer, Entry(sign.eval(row) == 1, InternalRow.copyValue(value.eval(row)), at))
  }

  override def merge(buffer: Buffer, input: Buffer): Buffer = input.all.foldLeft(buffer)(take)

  /**
   * Cancels an entry with the last equal value before a removal, or with the first equal removal after an addition. A
   * value removed before it was added is kept until it is merged with a buffer that has it.
   */
  private def take(buffer: Buffer, entry: Entry): Buffer = {
    val isPaired =
      if (entry.added) buffer.removed.takeFirst(entry.value, entry.place)
      else buffer.added.takeLast(entry.value, entry.place)
    if (!isPaired) (if (entry.added) buffer.added else buffer.removed) += entry
    buffer
  }

  override def eval(buffer: Buffer): Any =
    new GenericArrayData(buffer.added.iterator.toSeq.sortBy(_.place).map(_.value).toArray[Any])

  override def serialize(buffer: Buffer): Array[Byte] = {
    val entries = buffer.all.map(e => InternalRow(e.added, e.value, new GenericArrayData(e.place)))
    toRow(InternalRow(new GenericArrayData(entries.toArray[Any]))).getBytes
  }

  override def deserialize(bytes: Array[Byte]): Buffer = {
    val row = new UnsafeRow(1)
    row.pointTo(bytes, bytes.length)
    val entries = row.getArray(0)
    val buffer = createAggregationBuffer()
    (0 until entries.numElements()).foreach { i =>
      val entry = entries.getStruct(i, 3)
      val isAdded = entry.getBoolean(0)
      (if (isAdded) buffer.added else buffer.removed) += Entry(
        isAdded,
        InternalRow.copyValue(entry.get(1, value.dataType)),
        Placed.read(entry.getArray(2))
      )
    }
    buffer
  }

  // Rows with retractions get no position: a row may retract another task's row, whose position need not be earlier.
  override def isUnplaced: Boolean = sign.foldable && super.isUnplaced
  override def placedBy(place: Expression): SignedValues = copy(place = place)

  override def withNewMutableAggBufferOffset(offset: Int): SignedValues = copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): SignedValues = copy(inputAggBufferOffset = offset)
  override protected def withNewChildrenInternal(
      value: Expression,
      sign: Expression,
      place: Expression
  ): SignedValues = copy(value = value, sign = sign, place = place)
}

object SignedValues {

  /** A value that was added, or one whose removal is pending. */
  final case class Entry(added: Boolean, value: Any, place: Seq[Long])

  /** A group's values, and the removals whose values have not been added yet. */
  final class Buffer(dataType: DataType) {
    val added = new Entries(dataType)
    val removed = new Entries(dataType)

    def all: Iterator[Entry] = added.iterator ++ removed.iterator
  }

  /** Entries in the order of their arrival, which are found by their values without a pass over all. */
  final class Entries(dataType: DataType) {
    private val entries = mutable.LinkedHashMap.empty[Long, Entry]
    private var arrived = 0L
    // Each value's positions; null until one is looked for, as most groups only grow.
    private var positions: mutable.HashMap[Any, ju.TreeSet[Position]] = _

    def iterator: Iterator[Entry] = entries.valuesIterator

    def +=(entry: Entry): Unit = {
      entries(arrived) = entry
      if (positions != null) note(entry, arrived)
      arrived += 1
    }

    /** Removes the entry of the value with the greatest place up to this one, the last of several; false if none. */
    private[SignedValues] def takeLast(value: Any, place: Seq[Long]): Boolean =
      take(value)(_.floor(Position(place, Long.MaxValue)))

    /** Removes the entry of the value with the smallest place from this one on, the first of several; false if none. */
    private[SignedValues] def takeFirst(value: Any, place: Seq[Long]): Boolean =
      take(value)(_.ceiling(Position(place, 0)))

    private def take(value: Any)(chosen: ju.TreeSet[Position] => Position): Boolean = entries.nonEmpty && {
      if (positions == null) {
        positions = mutable.HashMap.empty
        entries.foreach { case (number, entry) => note(entry, number) }
      }
      val comparable = Comparable.of(value, dataType)
      positions.get(comparable).exists { all =>
        val found = chosen(all)
        if (found != null) {
          entries -= found.number
          all.remove(found)
          if (all.isEmpty) positions -= comparable
        }
        found != null
      }
    }

    private def note(entry: Entry, number: Long): Unit = {
      val all = positions.getOrElseUpdate(Comparable.of(entry.value, dataType), new ju.TreeSet(Position.order))
      all.add(Position(entry.place, number))
      ()
    }
  }

  /** @param number of the entry in the order of arrival */
  private final case class Position(place: Seq[Long], number: Long)

  private object Position {
    val order: Ordering[Position] = Ordering.by[Position, Seq[Long]](_.place).orElseBy(_.number)
  }
}
