package io.kafkalyst.lake

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.metadata.PseudoColumns
import io.kafkalyst.read.OlderRecords
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.kafkalyst.Frames
import org.apache.spark.sql.types.{DataType, IntegerType, LongType, StructType}

/**
 * The rows of a history table as records of its topic.
 *
 * @param of   the object's name, for errors
 * @param late the internal names of columns that came after the border, and are NULL before
 */
private[lake] final class HistoryTable(
    session: SparkSession,
    of: String,
    table: LakeTable,
    held: Border,
    late: Set[String]
) extends OlderRecords {
  override def border: Map[Int, Long] = held.offsets

  /** The rows of these offsets, with these columns; reading a column that the table lacks fails. */
  def rows(ranges: Seq[(Int, Long, Long)], columns: Seq[Attribute]): LogicalPlan = {
    val all = new Rows
    Project(
      columns.map(a => Alias(all.held(a.name, a.dataType).getOrElse(missing(a.name, a.dataType)), a.name)()),
      all.within(ranges)
    )
  }

  override def rows(ranges: Seq[(Int, Long, Long)], columns: StructType): RDD[InternalRow] = {
    val all = new Rows
    val there = columns.map(f => all.held(f.name, f.dataType)).zipWithIndex.collect { case (Some(e), i) => e -> i }
    val plan = Project(there.map { case (e, i) => Alias(e, columns(i).name)() }, all.within(ranges))
    val types = columns.map(_.dataType).toArray
    val places = Array.fill(columns.size)(-1)
    there.zipWithIndex.foreach { case ((_, i), place) => places(i) = place }
    val missing = columns.map(f => this.missing(f.name, f.dataType)).toArray
    Frames.of(session, plan).queryExecution.toRdd.mapPartitions { rows =>
      val row = new HeldRow(places, types, missing)
      rows.map(row.of)
    }
  }

  /** The first offset of each partition. */
  def first: Map[Int, Long] = firstOf(_ => Literal.TrueLiteral)

  override def at(time: Long): Map[Int, Long] = firstOf { all =>
    val (name, as) = (PseudoColumns.rowTime.name, PseudoColumns.rowTime.dataType)
    GreaterThanOrEqual(all.held(name, as).getOrElse(missing(name, as).missing()), Literal(time))
  }

  private def firstOf(condition: Rows => Expression): Map[Int, Long] = {
    val all = new Rows
    val places = Seq(Alias(all.partition, "p")(), Alias(all.offset, "o")())
    val there = all.within(border.toSeq.map { case (p, end) => (p, 0L, end) })
    Frames.of(session, Project(places, Filter(condition(all), there))).groupBy("p").min("o").collect()
      .map(row => row.getInt(0) -> row.getLong(1)).toMap
  }

  override def gap(partition: Int, first: Long): Nothing = throw KafkalystException(
    "HISTORY_GAP",
    "object" -> of,
    "table" -> table.name.toString,
    "partition" -> partition.toString,
    "border" -> border.getOrElse(partition, 0L).toString,
    "first" -> first.toString
  )

  private def missing(column: String, dataType: DataType) = NotInHistory(column, dataType, of, table.name.toString)

  /** The analysed table. Created for each use, because every use needs its own attribute ids. */
  private final class Rows {
    private val plan = session.table(table.name.sql).queryExecution.analyzed

    def held(column: String, as: DataType): Option[Expression] =
      HistoryTable.this.held.columns.get(column).flatMap(name => plan.output.find(_.name.equalsIgnoreCase(name))).map {
        case a if DataType.equalsStructurally(a.dataType, as, true) => a
        case a => Cast(a, as)
      }.orElse(Option.when(late(column))(Literal(null, as)))

    val partition: Expression = place(PseudoColumns.rowPartition.name, IntegerType)
    val offset: Expression = place(PseudoColumns.rowOffset.name, LongType)

    def within(ranges: Seq[(Int, Long, Long)]): LogicalPlan = {
      val parts = ranges.sorted.map { case (p, from, until) =>
        val before = And(EqualTo(partition, Literal(p)), LessThan(offset, Literal(until)))
        if (from == 0) before else And(before, GreaterThanOrEqual(offset, Literal(from)))
      }
      Filter(parts.reduceOption[Expression](Or(_, _)).getOrElse(Literal.FalseLiteral), plan)
    }

    private def place(column: String, as: DataType): Expression = held(column, as).getOrElse {
      throw Border.unusable(table.name, of, s"it has no column ${HistoryTable.this.held.columns(column)} now")
    }
  }
}

/** A row of the table in the record's layout: reading a column that the table lacks fails. */
private final class HeldRow(places: Array[Int], types: Array[DataType], missing: Array[NotInHistory])
    extends BaseGenericInternalRow {
  private var row: InternalRow = _

  def of(next: InternalRow): InternalRow = {
    row = next
    this
  }

  override protected def genericGet(ordinal: Int): Any =
    if (places(ordinal) < 0) missing(ordinal).eval() else row.get(places(ordinal), types(ordinal))

  override def numFields: Int = places.length
  override def setNullAt(ordinal: Int): Unit = throw new UnsupportedOperationException
  override def update(ordinal: Int, value: Any): Unit = throw new UnsupportedOperationException
}

/** A column that the history lacks: an error once a query reads it. */
private final case class NotInHistory(column: String, dataType: DataType, of: String, table: String)
    extends LeafExpression {
  override def nullable: Boolean = true
  override def eval(input: InternalRow): Any = missing()
  override protected def doGenCode(context: CodegenContext, code: ExprCode): ExprCode = missing()

  def missing(): Nothing =
    throw KafkalystException("HISTORY_COLUMN", "column" -> column, "object" -> of, "table" -> table)
}
