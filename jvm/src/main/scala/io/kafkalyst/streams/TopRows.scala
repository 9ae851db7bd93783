package io.kafkalyst.streams

import io.kafkalyst.functions.aggregates.Placed
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Generate, LogicalPlan}
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.types._

import scala.collection.mutable.ArrayBuffer
import scala.math.Ordering.Implicits._

/**
 * A group's first rows by an order, numbered from 1. If rows can be retracted, all rows are kept, and numbers that no
 * row has are emitted as `gone`.
 *
 * @param row   STRUCT of the row's values
 * @param by    STRUCT of the values to order by
 * @param order the direction of each of these values
 * @param most  how many rows are emitted
 * @param sign  INT, 1 to add a row, -1 to retract it; None if rows are only added
 * @param place see [[Placed]]
 */
final case class TopRows(
    row: Expression,
    by: Expression,
    order: Seq[(SortDirection, NullOrdering)],
    most: Int,
    sign: Option[Expression] = None,
    place: Expression = Placed.nowhere,
    mutableAggBufferOffset: Int = 0,
    inputAggBufferOffset: Int = 0
) extends TypedImperativeAggregate[TopRows.Buffer]
    with Placed {
  import TopRows.{Buffer, Entry}

  override def children: Seq[Expression] = Seq(row, by, place) ++ sign
  override def prettyName: String = "top_rows"
  override def nullable: Boolean = false
  override val dataType: DataType = ArrayType(
    StructType(
      Seq(
        StructField("number", IntegerType, nullable = false),
        StructField("row", row.dataType),
        StructField("gone", BooleanType, nullable = false)
      )
    ),
    containsNull = false
  )

  private def fields(of: Expression) = of.dataType.asInstanceOf[StructType]

  private lazy val ordering = new InterpretedOrdering(
    fields(by).zip(order).zipWithIndex.map { case ((field, (direction, nulls)), i) =>
      SortOrder(BoundReference(i, field.dataType, nullable = true), direction, nulls, Nil)
    }
  )

  // As in Flink, deduplication by the last row prefers the later one of equal rows.
  private val takesLater = most == 1 && order.head._1 == Descending

  private lazy val toBy = UnsafeProjection.create(fields(by))
  private lazy val toRow = UnsafeProjection.create(fields(row))
  private lazy val toBuffer = UnsafeProjection.create(Array[DataType](
    ArrayType(StructType(Seq(StructField("by", by.dataType), StructField("row", row.dataType)))),
    ArrayType(row.dataType),
    ArrayType(Placed.dataType)
  ))

  override def createAggregationBuffer(): Buffer = new Buffer

  override def update(buffer: Buffer, input: InternalRow): Buffer = {
    val given = toRow(row.eval(input).asInstanceOf[InternalRow]).copy()
    if (sign.forall(_.eval(input) == 1))
      add(buffer, Entry(toBy(by.eval(input).asInstanceOf[InternalRow]).copy(), given, Placed.read(place.eval(input))))
    else takeBack(buffer, given)
    buffer
  }

  override def merge(buffer: Buffer, input: Buffer): Buffer = {
    input.rows.foreach(add(buffer, _))
    input.taken.foreach(takeBack(buffer, _))
    buffer
  }

  /** Inserts a row after the rows that are equal to it and came before it. */
  private def add(buffer: Buffer, entry: Entry): Unit = {
    val isTaken = buffer.taken.indexOf(entry.row)
    if (isTaken >= 0) buffer.taken.remove(isTaken)
    else {
      val place = buffer.rows.lastIndexWhere { other =>
        val compared = ordering.compare(other.by, entry.by)
        compared < 0 || compared == 0 && (if (takesLater) other.place > entry.place else other.place <= entry.place)
      } + 1
      if (place < most || sign.isDefined) {
        buffer.rows.insert(place, entry)
        if (buffer.rows.size > most && sign.isEmpty) buffer.rows.remove(most)
      }
    }
  }

  /** Removes a row. A retraction that arrives before its row is kept until the row arrives. */
  private def takeBack(buffer: Buffer, given: UnsafeRow): Unit = {
    val place = buffer.rows.indexWhere(_.row == given)
    if (place >= 0) buffer.rows.remove(place) else buffer.taken += given
  }

  override def eval(buffer: Buffer): Any = {
    val first = buffer.rows.take(most).zipWithIndex.map { case (entry, i) => InternalRow(i + 1, entry.row, false) }
    val others = if (sign.isEmpty) Nil else (first.size until most).map(i => InternalRow(i + 1, null, true))
    new GenericArrayData((first ++ others).toArray[Any])
  }

  override def serialize(buffer: Buffer): Array[Byte] = {
    val rows = buffer.rows.map(e => InternalRow(e.by, e.row))
    val places = buffer.rows.map(e => new GenericArrayData(e.place))
    toBuffer(InternalRow.fromSeq(Seq(rows, buffer.taken, places).map(all => new GenericArrayData(all.toArray[Any]))))
      .getBytes
  }

  override def deserialize(bytes: Array[Byte]): Buffer = {
    val all = new UnsafeRow(3)
    all.pointTo(bytes, bytes.length)
    def each[T](of: ArrayData)(made: Int => T) = (0 until of.numElements()).map(made)
    def own(row: InternalRow) = row.asInstanceOf[UnsafeRow].copy()
    val (rows, taken) = (all.getArray(0), all.getArray(1))
    // State of older versions has no places.
    val places = if (Placed.columns(all) < 3) None else Some(all.getArray(2))
    val buffer = new Buffer
    buffer.rows ++= each(rows) { i =>
      val entry = rows.getStruct(i, 2)
      val place = places.fold(Seq.empty[Long])(all => Placed.read(all.getArray(i)))
      Entry(own(entry.getStruct(0, fields(by).size)), own(entry.getStruct(1, fields(row).size)), place)
    }
    buffer.taken ++= each(taken)(i => own(taken.getStruct(i, fields(row).size)))
    buffer
  }

  // As with SignedValues, rows that are retracted have the table's places or none.
  override def isUnplaced: Boolean = sign.isEmpty && super.isUnplaced
  override def placedBy(place: Expression): TopRows = copy(place = place)

  override def withNewMutableAggBufferOffset(offset: Int): TopRows = copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): TopRows = copy(inputAggBufferOffset = offset)
  override protected def withNewChildrenInternal(fresh: IndexedSeq[Expression]): TopRows =
    copy(row = fresh(0), by = fresh(1), place = fresh(2), sign = fresh.lift(3))
}

object TopRows {

  /** A row, the values to order by, and its position among all rows. */
  private[streams] final case class Entry(by: UnsafeRow, row: UnsafeRow, place: Seq[Long])

  /** The rows in order, and the retracted rows that have not arrived yet. */
  final class Buffer {
    private[streams] val rows = ArrayBuffer.empty[Entry]
    private[streams] val taken = ArrayBuffer.empty[UnsafeRow]
  }

  /**
   * Each group's first rows as an operator over a plan; it outputs the keys, the group's array, the number, the row,
   * and whether the number is gone.
   */
  def of(keys: Seq[Attribute], top: TopRows, plan: LogicalPlan): Generate = {
    val rows = Alias(top.toAggregateExpression(), "rows")()
    val each = Seq(
      AttributeReference("number", IntegerType, nullable = false)(),
      AttributeReference("row", top.row.dataType)(),
      AttributeReference("gone", BooleanType, nullable = false)()
    )
    Generate(Inline(rows.toAttribute), Nil, outer = false, None, each, Aggregate(keys, keys :+ rows, plan))
  }

  /** Whether an operator outputs the rows of such groups. */
  def are(rows: Generate): Boolean = groupOf(rows).isDefined

  /** Whether a group keeps its first rows. */
  def areIn(group: Aggregate): Boolean = in(group).nonEmpty

  /** The row numbers, if several rows have the same group keys: keys and number together are the rows' key. */
  def numbers(plan: LogicalPlan): Seq[Attribute] = plan.collect {
    case rows: Generate if groupOf(rows).exists(g => g.groupingExpressions.isEmpty || in(g).exists(_._2.most > 1)) =>
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
