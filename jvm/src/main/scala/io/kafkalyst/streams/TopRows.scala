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
 * A group's first rows by an order, with their numbers from 1. Where rows are taken back all are kept, and the numbers that no
 * row has are `gone`.
 *
 * @param row   STRUCT
 * @param by    STRUCT of the order's values
 * @param order the direction of each
 * @param most  how many rows
 * @param sign  INT, 1 to add a row, -1 to take it back; None where all are added
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

  // As in Flink, whose deduplication by the last row takes the later one.
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

  /** Puts a row behind those that are equal and before it. */
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

  /** A row that is taken back before the state shows it is kept until then. */
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
    // Former versions stored no places.
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

  // As with SignedValues, rows that are taken back have places of the table or none.
  override def isUnplaced: Boolean = sign.isEmpty && super.isUnplaced
  override def placedBy(place: Expression): TopRows = copy(place = place)

  override def withNewMutableAggBufferOffset(offset: Int): TopRows = copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): TopRows = copy(inputAggBufferOffset = offset)
  override protected def withNewChildrenInternal(fresh: IndexedSeq[Expression]): TopRows =
    copy(row = fresh(0), by = fresh(1), place = fresh(2), sign = fresh.lift(3))
}

object TopRows {

  /** A row, its values of the order, and its position among all. */
  private[streams] final case class Entry(by: UnsafeRow, row: UnsafeRow, place: Seq[Long])

  /** The rows in their order, and those that are taken back and not known yet. */
  final class Buffer {
    private[streams] val rows = ArrayBuffer.empty[Entry]
    private[streams] val taken = ArrayBuffer.empty[UnsafeRow]
  }

  /** The first rows of each group of a plan: the keys, the group's array, the number, the row, and whether it is gone. */
  def of(keys: Seq[Attribute], top: TopRows, plan: LogicalPlan): Generate = {
    val rows = Alias(top.toAggregateExpression(), "rows")()
    val each = Seq(
      AttributeReference("number", IntegerType, nullable = false)(),
      AttributeReference("row", top.row.dataType)(),
      AttributeReference("gone", BooleanType, nullable = false)()
    )
    Generate(Inline(rows.toAttribute), Nil, outer = false, None, each, Aggregate(keys, keys :+ rows, plan))
  }

  /** Whether an operator gives the rows of such groups. */
  def are(rows: Generate): Boolean = groupOf(rows).isDefined

  /** Whether a group keeps its first rows. */
  def areIn(group: Aggregate): Boolean = in(group).nonEmpty

  /** The numbers of a plan's rows where several have a group's keys: together they are the rows' key. */
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
