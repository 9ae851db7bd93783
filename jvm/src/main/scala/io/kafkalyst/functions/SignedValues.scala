package io.kafkalyst.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.catalyst.trees.TernaryLike
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.types._

import scala.collection.mutable.ArrayBuffer
import scala.math.Ordering.Implicits._

/**
 * All values of a group in row order, including nulls, as an ARRAY: Spark's collect_list neither keeps nulls nor
 * supports retraction.
 *
 * @param sign  INT, 1 to add the value, -1 to remove the last equal one
 * @param place ARRAY<BIGINT>, the row's position among all; empty for rows that arrive in order
 */
final case class SignedValues(
    value: Expression,
    sign: Expression,
    place: Expression = SignedValues.asTheyCome,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends TypedImperativeAggregate[SignedValues.Buffer]
    with TernaryLike[Expression] {
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
    StructField("place", ArrayType(LongType, containsNull = false))
  ))
  private lazy val toRow = UnsafeProjection.create(Array[DataType](ArrayType(kept)))

  override def createAggregationBuffer(): Buffer = ArrayBuffer.empty

  override def update(buffer: Buffer, row: InternalRow): Buffer = {
    val at = place.eval(row).asInstanceOf[ArrayData].toLongArray().toSeq
    take(buffer, Entry(sign.eval(row) == 1, InternalRow.copyValue(value.eval(row)), at))
  }

  override def merge(buffer: Buffer, input: Buffer): Buffer = input.foldLeft(buffer)(take)

  /** A value removed before it was added is kept until it is merged with a buffer that has it. */
  private def take(buffer: Buffer, entry: Entry): Buffer = {
    def isPair(other: Entry) = other.added != entry.added && equal(other.value, entry.value) && {
      val (added, taken) = if (entry.added) (entry, other) else (other, entry)
      added.place <= taken.place
    }
    val pairs = buffer.indices.filter(i => isPair(buffer(i)))
    val at = if (entry.added) pairs.minByOption(buffer(_).place) else pairs.reverse.maxByOption(buffer(_).place)
    at.fold[Any](buffer += entry)(buffer.remove)
    buffer
  }

  private def equal(a: Any, b: Any) = Comparable.of(a, value.dataType) == Comparable.of(b, value.dataType)

  override def eval(buffer: Buffer): Any =
    new GenericArrayData(buffer.sortBy(_.place).collect { case Entry(true, v, _) => v }.toArray[Any])

  override def serialize(buffer: Buffer): Array[Byte] = {
    val entries = buffer.map(e => InternalRow(e.added, e.value, new GenericArrayData(e.place)))
    toRow(InternalRow(new GenericArrayData(entries.toArray[Any]))).getBytes
  }

  override def deserialize(bytes: Array[Byte]): Buffer = {
    val row = new UnsafeRow(1)
    row.pointTo(bytes, bytes.length)
    val entries = row.getArray(0)
    ArrayBuffer.from((0 until entries.numElements()).map { i =>
      val entry = entries.getStruct(i, 3)
      Entry(
        entry.getBoolean(0),
        InternalRow.copyValue(entry.get(1, value.dataType)),
        entry.getArray(2).toLongArray().toSeq
      )
    })
  }

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

  type Buffer = ArrayBuffer[Entry]

  private val asTheyCome = Literal.create(Seq.empty[Long], ArrayType(LongType, containsNull = false))
}
