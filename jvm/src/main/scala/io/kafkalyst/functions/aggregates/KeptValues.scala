package io.kafkalyst.functions.aggregates

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.catalyst.trees.BinaryLike
import org.apache.spark.sql.catalyst.util.{GenericArrayData, TypeUtils}
import org.apache.spark.sql.types._

import scala.collection.mutable.ArrayBuffer

/**
 * Some values of a group as an ARRAY, without holding the others in the state.
 *
 * @param value       a STRUCT is ordered by its first field
 * @param count       how many, a literal INT
 * @param which       which ones
 * @param ignoreNulls whether a null is no value
 */
final case class KeptValues(
    value: Expression,
    count: Expression,
    which: KeptValues.Which,
    ignoreNulls: Boolean = true,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends TypedImperativeAggregate[ArrayBuffer[Any]]
    with BinaryLike[Expression] {
  import KeptValues._

  override def left: Expression = value
  override def right: Expression = count
  override def prettyName: String = which.name + (if (ignoreNulls) "" else "_nulls")
  override def nullable: Boolean = false
  override def dataType: DataType = ArrayType(value.dataType)

  private lazy val most = count.eval().asInstanceOf[Int]

  private lazy val whole = TypeUtils.getInterpretedOrdering(value.dataType)

  private lazy val ordering: Ordering[Any] = value.dataType match {
    case s: StructType =>
      val first = s.head.dataType
      TypeUtils.getInterpretedOrdering(first).on(_.asInstanceOf[InternalRow].get(0, first))
    case _ => whole
  }

  private lazy val toRow = UnsafeProjection.create(Array[DataType](dataType))

  override def createAggregationBuffer(): ArrayBuffer[Any] = ArrayBuffer.empty

  override def update(buffer: ArrayBuffer[Any], row: InternalRow): ArrayBuffer[Any] = {
    val given = value.eval(row)
    if (given == null && ignoreNulls) buffer else add(buffer, InternalRow.copyValue(given))
  }

  override def merge(buffer: ArrayBuffer[Any], input: ArrayBuffer[Any]): ArrayBuffer[Any] = input.foldLeft(buffer)(add)

  private def add(buffer: ArrayBuffer[Any], given: Any): ArrayBuffer[Any] = {
    which match {
      case Earliest => buffer += given
      case Latest =>
        if (buffer.size == most) buffer.remove(0)
        buffer += given
      case Top => insert(buffer, given)
      case TopDistinct => if (!buffer.exists(whole.equiv(_, given))) insert(buffer, given)
    }
    if (buffer.size > most) buffer.remove(most)
    buffer
  }

  /** Of equal values the earlier one stays in front. */
  private def insert(buffer: ArrayBuffer[Any], given: Any): Unit =
    buffer.insert(buffer.lastIndexWhere(ordering.gteq(_, given)) + 1, given)

  override def eval(buffer: ArrayBuffer[Any]): Any = new GenericArrayData(buffer.toArray[Any])

  /** The same of an ARRAY of all values, for rows that are taken back. */
  def of(all: Expression): Expression = {
    val values = if (ignoreNulls) ArrayCompact(all) else all
    which match {
      case Earliest => Slice(values, Literal(1), count)
      case Latest => Slice(values, UnaryMinus(Least(Seq(count, Greatest(Seq(Size(values), Literal(1)))))), count)
      case Top => Slice(SortArray(values, Literal(false)), Literal(1), count)
      case TopDistinct => Slice(SortArray(ArrayDistinct(values), Literal(false)), Literal(1), count)
    }
  }

  override def serialize(buffer: ArrayBuffer[Any]): Array[Byte] = toRow(InternalRow(eval(buffer))).getBytes

  override def deserialize(bytes: Array[Byte]): ArrayBuffer[Any] = {
    val row = new UnsafeRow(1)
    row.pointTo(bytes, bytes.length)
    val values = row.getArray(0)
    ArrayBuffer.tabulate(values.numElements())(i =>
      if (values.isNullAt(i)) null else InternalRow.copyValue(values.get(i, value.dataType))
    )
  }

  override def withNewMutableAggBufferOffset(offset: Int): KeptValues = copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): KeptValues = copy(inputAggBufferOffset = offset)
  override protected def withNewChildrenInternal(value: Expression, count: Expression): KeptValues =
    copy(value = value, count = count)
}

object KeptValues {

  /** Which values are kept. */
  sealed abstract class Which(val name: String)
  case object Top extends Which("topk")
  case object TopDistinct extends Which("topkdistinct")
  case object Earliest extends Which("earliest_by_offset")
  case object Latest extends Which("latest_by_offset")
}
