package io.kafkalyst.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.catalyst.trees.BinaryLike
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._

import scala.collection.mutable.ArrayBuffer

/**
 * All values of a group in the order of their rows, nulls too, as an ARRAY: Spark's collect_list can neither keep a null
 * nor take a value back.
 *
 * @param sign INT, 1 where the value is added, -1 where the last one like it is taken away
 */
final case class SignedValues(
    value: Expression,
    sign: Expression,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends TypedImperativeAggregate[SignedValues.Buffer]
    with BinaryLike[Expression] {
  import SignedValues.Buffer

  override def left: Expression = value
  override def right: Expression = sign
  override def prettyName: String = "collect_list"
  override def nullable: Boolean = false
  override def dataType: DataType = ArrayType(value.dataType)

  /** One entry of a buffer as it is kept. */
  private lazy val kept = StructType(Seq(StructField("added", BooleanType), StructField("value", value.dataType)))
  private lazy val toRow = UnsafeProjection.create(Array[DataType](ArrayType(kept)))

  override def createAggregationBuffer(): Buffer = ArrayBuffer.empty

  override def update(buffer: Buffer, row: InternalRow): Buffer = {
    val given = InternalRow.copyValue(value.eval(row))
    take(buffer, sign.eval(row) == 1, given)
  }

  override def merge(buffer: Buffer, input: Buffer): Buffer =
    input.foldLeft(buffer) { case (all, (added, given)) => take(all, added, given) }

  /** A value that is taken away before it came waits for a buffer that has it. */
  private def take(buffer: Buffer, added: Boolean, given: Any): Buffer = {
    val at = if (added) -1 else buffer.lastIndexWhere { case (there, other) => there && equal(other, given) }
    if (at < 0) buffer += (added -> given) else { buffer.remove(at); buffer }
  }

  private lazy val same = new EqualNullSafe(
    BoundReference(0, value.dataType, nullable = true),
    BoundReference(1, value.dataType, nullable = true)
  )
  private lazy val isOrdered = RowOrdering.isOrderable(value.dataType)
  private def equal(a: Any, b: Any) = if (isOrdered) same.eval(InternalRow(a, b)) == true else a == b

  override def eval(buffer: Buffer): Any = new GenericArrayData(buffer.collect { case (true, v) => v }.toArray[Any])

  override def serialize(buffer: Buffer): Array[Byte] =
    toRow(InternalRow(new GenericArrayData(buffer.map { case (added, v) => InternalRow(added, v) }.toArray[Any])))
      .getBytes

  override def deserialize(bytes: Array[Byte]): Buffer = {
    val row = new UnsafeRow(1)
    row.pointTo(bytes, bytes.length)
    val entries = row.getArray(0)
    ArrayBuffer.from((0 until entries.numElements()).map { i =>
      val entry = entries.getStruct(i, 2)
      entry.getBoolean(0) -> InternalRow.copyValue(entry.get(1, value.dataType))
    })
  }

  override def withNewMutableAggBufferOffset(offset: Int): SignedValues = copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): SignedValues = copy(inputAggBufferOffset = offset)
  override protected def withNewChildrenInternal(value: Expression, sign: Expression): SignedValues =
    copy(value = value, sign = sign)
}

object SignedValues {

  /** Values that were added, or that wait to be taken away, in order. */
  type Buffer = ArrayBuffer[(Boolean, Any)]
}
