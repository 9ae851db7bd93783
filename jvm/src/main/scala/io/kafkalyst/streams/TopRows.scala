package io.kafkalyst.streams

import java.{util => ju}

import io.kafkalyst.functions.aggregates.Placed
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Generate, LogicalPlan}
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._

import scala.collection.mutable
import scala.jdk.CollectionConverters._
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

  // An equal row comes after those that came before it, or before them.
  private lazy val inOrder: Ordering[Entry] = {
    val byPlace = Ordering.by[Entry, Seq[Long]](_.place).orElseBy(_.number)
    val byValues: Ordering[Entry] = (one, other) => ordering.compare(one.by, other.by)
    byValues.orElse(if (takesLater) byPlace.reverse else byPlace)
  }

  override def createAggregationBuffer(): Buffer = new Buffer(inOrder)

  override def update(buffer: Buffer, input: InternalRow): Buffer = {
    val given = toRow(row.eval(input).asInstanceOf[InternalRow]).copy()
    if (sign.forall(_.eval(input) == 1))
      add(buffer, toBy(by.eval(input).asInstanceOf[InternalRow]).copy(), given, Placed.read(place.eval(input)))
    else takeBack(buffer, given)
    buffer
  }

  override def merge(buffer: Buffer, input: Buffer): Buffer = {
    input.rows.forEach(entry => add(buffer, entry.by, entry.row, entry.place))
    input.taken.foreach { case (row, times) => (1 to times).foreach(_ => takeBack(buffer, row)) }
    buffer
  }

  /** Adds a row. If rows are only added, those after the first ones are never emitted. */
  private def add(buffer: Buffer, by: UnsafeRow, row: UnsafeRow, place: Seq[Long]): Unit =
    if (!buffer.forget(row)) {
      buffer.add(by, row, place)
      if (sign.isEmpty && buffer.rows.size > most) buffer.rows.pollLast()
    }

  /** Removes a row. A retraction that arrives before its row is kept until the row arrives. */
  private def takeBack(buffer: Buffer, given: UnsafeRow): Unit = if (!buffer.remove(given)) buffer.retain(given)

  override def eval(buffer: Buffer): Any = {
    val first =
      buffer.inOrder.take(most).zipWithIndex.map { case (entry, i) => InternalRow(i + 1, entry.row, false) }.toSeq
    val others = if (sign.isEmpty) Nil else (first.size until most).map(i => InternalRow(i + 1, null, true))
    new GenericArrayData((first ++ others).toArray[Any])
  }

  override def serialize(buffer: Buffer): Array[Byte] = {
    val rows = buffer.inOrder.toSeq
    val taken = buffer.taken.iterator.flatMap { case (row, times) => Iterator.fill(times)(row) }
    toBuffer(InternalRow.fromSeq(
      Seq(rows.map(e => InternalRow(e.by, e.row)), taken, rows.map(e => new GenericArrayData(e.place)))
        .map(all => new GenericArrayData(all.iterator.toArray[Any]))
    )).getBytes
  }

  override def deserialize(bytes: Array[Byte]): Buffer = {
    val stored = new UnsafeRow(3)
    stored.pointTo(bytes, bytes.length)
    def own(row: InternalRow) = row.asInstanceOf[UnsafeRow].copy()
    val (rows, taken) = (stored.getArray(0), stored.getArray(1))
    // State of older versions has no places.
    val places = if (Placed.columns(stored) < 3) None else Some(stored.getArray(2))
    val buffer = createAggregationBuffer()
    // Equal rows of one place keep their order.
    val all = 0 until rows.numElements()
    (if (takesLater) all.reverse else all).foreach { i =>
      val entry = rows.getStruct(i, 2)
      val place = places.fold(Seq.empty[Long])(of => Placed.read(of.getArray(i)))
      buffer.add(own(entry.getStruct(0, fields(by).size)), own(entry.getStruct(1, fields(row).size)), place)
    }
    (0 until taken.numElements()).foreach(i => buffer.retain(own(taken.getStruct(i, fields(row).size))))
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

  /**
   * A row, the values to order by, and its position among all rows.
   *
   * @param number in the order of arrival
   */
  private[streams] final class Entry(val by: UnsafeRow, val row: UnsafeRow, val place: Seq[Long], val number: Long)

  /** The rows in order, and the retracted rows that have not arrived yet. */
  final class Buffer(order: Ordering[Entry]) {
    private[streams] val rows = new ju.TreeSet[Entry](order)

    /** How many times each row was retracted before it arrived. */
    private[streams] val taken = mutable.LinkedHashMap.empty[UnsafeRow, Int]

    // The entries of each row; null until a row is retracted.
    private var entries: mutable.HashMap[UnsafeRow, ju.TreeSet[Entry]] = _
    private var arrived = 0L

    private[streams] def inOrder: Iterator[Entry] = rows.iterator.asScala

    private[streams] def add(by: UnsafeRow, row: UnsafeRow, place: Seq[Long]): Unit = {
      val entry = new Entry(by, row, place, arrived)
      rows.add(entry)
      if (entries != null) note(entry)
      arrived += 1
    }

    /** Removes the first of the equal rows; false if there is none. */
    private[streams] def remove(row: UnsafeRow): Boolean = {
      if (entries == null) {
        entries = mutable.HashMap.empty
        inOrder.foreach(note)
      }
      entries.get(row).exists { equal =>
        rows.remove(equal.pollFirst())
        if (equal.isEmpty) entries -= row
        true
      }
    }

    private def note(entry: Entry): Unit = {
      entries.getOrElseUpdate(entry.row, new ju.TreeSet[Entry](order)).add(entry)
      ()
    }

    /** Keeps a retraction until its row arrives. */
    private[streams] def retain(row: UnsafeRow): Unit = taken(row) = taken.getOrElse(row, 0) + 1

    /** Whether the arriving row had been retracted; that retraction is then used up. */
    private[streams] def forget(row: UnsafeRow): Boolean = taken.get(row).exists { times =>
      if (times == 1) taken -= row else taken(row) = times - 1
      true
    }
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
