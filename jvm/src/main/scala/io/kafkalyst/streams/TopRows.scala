package io.kafkalyst.streams

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Generate, LogicalPlan}
import org.apache.spark.sql.catalyst.trees.BinaryLike
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._

import scala.collection.mutable.ArrayBuffer

/**
 * A group's first rows by an order, with their numbers from 1; no other row of the group is kept.
 *
 * @param row   STRUCT
 * @param by    STRUCT of the order's values
 * @param order the direction of each
 * @param most  how many rows
 */
final case class TopRows(
    row: Expression,
    by: Expression,
    order: Seq[(SortDirection, NullOrdering)],
    most: Int,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends TypedImperativeAggregate[TopRows.Buffer]
    with BinaryLike[Expression] {
  import TopRows.{Buffer, Entry}

  override def left: Expression = row
  override def right: Expression = by
  override def prettyName: String = "top_rows"
  override def nullable: Boolean = false
  override def dataType: DataType = ArrayType(element, containsNull = false)

  private val element =
    StructType(Seq(StructField("number", IntegerType, false), StructField("row", row.dataType, false)))

  private lazy val ordering = new InterpretedOrdering(
    by.dataType.asInstanceOf[StructType].zip(order).zipWithIndex.map { case ((field, (direction, nulls)), i) =>
      SortOrder(BoundReference(i, field.dataType, nullable = true), direction, nulls, Nil)
    }
  )

  // As in Flink, whose deduplication by the last row takes the later one.
  private val takesLater = most == 1 && order.head._1 == Descending

  private lazy val kept = StructType(Seq(StructField("by", by.dataType), StructField("row", row.dataType)))
  private lazy val toRow = UnsafeProjection.create(Array[DataType](ArrayType(kept)))

  override def createAggregationBuffer(): Buffer = ArrayBuffer.empty

  override def update(buffer: Buffer, input: InternalRow): Buffer = {
    val at = by.eval(input).asInstanceOf[InternalRow]
    take(buffer, at)(Entry(at.copy(), row.eval(input).asInstanceOf[InternalRow].copy()))
  }

  override def merge(buffer: Buffer, input: Buffer): Buffer =
    input.foldLeft(buffer)((all, entry) => take(all, entry.by)(entry))

  /** Puts a row behind those that are equal. */
  private def take(buffer: Buffer, by: InternalRow)(entry: => Entry): Buffer = {
    val comes = buffer.lastIndexWhere { other =>
      val compared = ordering.compare(other.by, by)
      compared < 0 || compared == 0 && !takesLater
    } + 1
    if (comes < most) {
      buffer.insert(comes, entry)
      if (buffer.size > most) buffer.remove(most)
    }
    buffer
  }

  override def eval(buffer: Buffer): Any = new GenericArrayData(
    buffer.zipWithIndex.map { case (entry, i) => InternalRow(i + 1, entry.row) }.toArray[Any]
  )

  override def serialize(buffer: Buffer): Array[Byte] =
    toRow(InternalRow(new GenericArrayData(buffer.map(e => InternalRow(e.by, e.row)).toArray[Any]))).getBytes

  override def deserialize(bytes: Array[Byte]): Buffer = {
    val all = new UnsafeRow(1)
    all.pointTo(bytes, bytes.length)
    val entries = all.getArray(0)
    val Seq(byFields, rowFields) = Seq(by, row).map(_.dataType.asInstanceOf[StructType].size)
    ArrayBuffer.from((0 until entries.numElements()).map { i =>
      val entry = entries.getStruct(i, 2)
      Entry(entry.getStruct(0, byFields).copy(), entry.getStruct(1, rowFields).copy())
    })
  }

  override def withNewMutableAggBufferOffset(offset: Int): TopRows = copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): TopRows = copy(inputAggBufferOffset = offset)
  override protected def withNewChildrenInternal(row: Expression, by: Expression): TopRows = copy(row = row, by = by)
}

object TopRows {

  /** A row, and its values of the order. */
  final case class Entry(by: InternalRow, row: InternalRow)

  type Buffer = ArrayBuffer[Entry]

  /**
   * The first rows of each group of a plan, each with its number: the plan's columns are the keys, and the number and the row
   * are the last two.
   */
  def of(keys: Seq[Attribute], top: TopRows, plan: LogicalPlan): LogicalPlan = {
    val rows = Alias(top.toAggregateExpression(), "rows")()
    val number = AttributeReference("number", IntegerType, nullable = false)()
    val row = AttributeReference("row", top.row.dataType, nullable = false)()
    Generate(Inline(rows.toAttribute), Nil, outer = false, None, Seq(number, row), Aggregate(keys, keys :+ rows, plan))
  }

  /** Whether an operator gives the rows of such groups. */
  def are(rows: Generate): Boolean = groupOf(rows).isDefined

  /** Whether a group keeps its first rows. */
  def areIn(group: Aggregate): Boolean = in(group).nonEmpty

  /** The numbers of a plan's rows where several have a group's keys: together they are the rows' key. */
  def numbers(plan: LogicalPlan): Seq[Attribute] = plan.collect {
    case rows: Generate
        if groupOf(rows).exists(g => g.groupingExpressions.isEmpty || in(g).exists(_._2.most > 1)) =>
      rows.generatorOutput.head
  }

  private def groupOf(rows: Generate): Option[Aggregate] = rows.child match {
    case group: Aggregate if in(group).exists { case (column, _) => rows.generator.references.contains(column) } =>
      Some(group)
    case _ => None
  }

  private def in(group: Aggregate): Seq[(Attribute, TopRows)] =
    group.aggregateExpressions.flatMap(column => column.collect { case top: TopRows => column.toAttribute -> top })
}
