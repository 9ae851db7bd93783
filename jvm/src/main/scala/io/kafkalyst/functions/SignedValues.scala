package io.kafkalyst.functions

import io.kafkalyst.functions.aggregates.Placed
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.catalyst.trees.TernaryLike
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._

import scala.collection.mutable.ArrayBuffer
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

  override def createAggregationBuffer(): Buffer = new Buffer

  override def update(buffer: Buffer, row: InternalRow): Buffer = {
    val at = Placed.read(place.eval(row))
    take(buffer, Entry(sign.eval(row) == 1, InternalRow.copyValue(value.eval(row)), at))
  }

  override def merge(buffer: Buffer, input: Buffer): Buffer = input.all.foldLeft(buffer)(take)

  /** A value removed before it was added is kept until it is merged with a buffer that has it. */
  private def take(buffer: Buffer, entry: Entry): Buffer = {
    val (same, others) =
      if (entry.added) (buffer.added, buffer.removed) else (buffer.removed, buffer.added)
    val at = if (others.isEmpty) -1 else pairOf(entry, others)
    if (at < 0) same += entry else others.remove(at)
    buffer
  }

  /** The index of the entry that this one cancels: the last one before a removal, the first one after an addition. */
  private def pairOf(entry: Entry, others: ArrayBuffer[Entry]): Int = {
    val comparable = Comparable.of(entry.value, value.dataType)
    var best = -1
    others.indices.foreach { i =>
      val other = others(i).place
      val isBetter =
        if (entry.added) other >= entry.place && (best < 0 || other < others(best).place)
        else other <= entry.place && (best < 0 || other >= others(best).place)
      if (isBetter && Comparable.of(others(i).value, value.dataType) == comparable) best = i
    }
    best
  }

  override def eval(buffer: Buffer): Any =
    new GenericArrayData(buffer.added.sortBy(_.place).map(_.value).toArray[Any])

  override def serialize(buffer: Buffer): Array[Byte] = {
    val entries = buffer.all.map(e => InternalRow(e.added, e.value, new GenericArrayData(e.place)))
    toRow(InternalRow(new GenericArrayData(entries.toArray[Any]))).getBytes
  }

  override def deserialize(bytes: Array[Byte]): Buffer = {
    val row = new UnsafeRow(1)
    row.pointTo(bytes, bytes.length)
    val entries = row.getArray(0)
    val buffer = new Buffer
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
  final class Buffer {
    val added = ArrayBuffer.empty[Entry]
    val removed = ArrayBuffer.empty[Entry]

    def all: Iterator[Entry] = added.iterator ++ removed
  }
}
