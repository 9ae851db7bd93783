package io.kafkalyst.query

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.metadata.PseudoColumns
import org.apache.spark.sql.{Encoders, Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.kafkalyst.Frames
import org.apache.spark.sql.streaming.{GroupState, GroupStateTimeout, OutputMode}
import org.apache.spark.sql.types._

/**
 * A table's changes as rows to be taken back and rows to be added, so that they can be aggregated: Spark's keyed state
 * holds the row that each key has now.
 *
 * @param plan the rows, under the ids of [[RowChanges.renewed]]
 * @param sign 1 where the row is added, -1 where it is taken back
 */
private[query] final case class RowChanges(plan: LogicalPlan, sign: Attribute, renewed: Map[ExprId, Attribute]) {

  /** An expression over the table's rows as one over these. */
  def over(e: Expression): Expression = e.transformUp { case a: Attribute => renewed.getOrElse(a.exprId, a) }

  /**
   * An aggregate that takes rows back.
   *
   * @throws io.kafkalyst.errors.KafkalystException AGGREGATE_CANNOT_UNDO
   */
  def undoable(f: AggregateExpression): Expression = {
    val counted = (x: Expression) => new Sum(If(IsNotNull(x), Cast(sign, LongType), Literal(0L)))
    val filtered =
      f.filter.fold[Expression](sign)(c => If(Coalesce(Seq(over(c), Literal.FalseLiteral)), sign, Literal(0)))
    def sum(x: Expression) = new Sum(new Multiply(over(x), Cast(filtered, x.dataType)))
    val whole = f.aggregateFunction match {
      case _ if f.isDistinct => refuse(f)
      case Count(Seq(_: Literal)) => total(new Sum(Cast(filtered, LongType)))
      case Count(Seq(x)) if f.filter.isEmpty => total(counted(over(x)))
      case s: Sum => total(sum(s.child))
      case a: Average if f.filter.isEmpty =>
        val rows = total(counted(over(a.child)))
        val mean = new Divide(Cast(total(sum(a.child)), DoubleType), Cast(rows, DoubleType))
        If(EqualTo(rows, Literal(0L)), Literal.create(null, DoubleType), mean)
      case _ => refuse(f)
    }
    if (whole.dataType == f.dataType) whole else Cast(whole, f.dataType)
  }

  private def total(f: AggregateFunction): Expression = f.toAggregateExpression()

  private def refuse(f: AggregateExpression): Nothing = throw KafkalystException(
    "AGGREGATE_CANNOT_UNDO",
    "function" -> f.sql,
    "known" -> "COUNT, SUM and AVG without DISTINCT"
  )
}

private[query] object RowChanges {

  /** @param keys the columns of the table's key, which stand in the changes' plan */
  def of(changes: Changes, keys: Seq[Attribute]): RowChanges = {
    val output = changes.plan.output
    val names = output.indices.map(i => s"c$i")
    val columns = output.zip(names).map { case (a, name) => Alias(a, name)() }
    val frame = Frames.of(SparkSession.active, Project(columns, changes.plan))
    val row = StructType(frame.schema.map(_.copy(metadata = Metadata.empty, nullable = true)))
    val places = keys.map(k => output.indexWhere(_.exprId == k.exprId)).toArray
    val deleted = output.indexWhere(a => changes.tombstone.exists(_.exprId == a.exprId))
    val offset = output.indexWhere(_.name == PseudoColumns.rowOffset.name)
    val key = StructType(places.map(row(_)))
    val signed = row.add("sign", IntegerType)
    val pairs = frame
      .groupByKey((r: Row) => Row.fromSeq(places.map(r.get).toSeq))(Encoders.row(key))
      .flatMapGroupsWithState(OutputMode.Append(), GroupStateTimeout.NoTimeout())(step(deleted, offset))(
        Encoders.row(row),
        Encoders.row(signed)
      )
    val made = pairs.queryExecution.analyzed
    RowChanges(made, made.output.last, output.zip(made.output).map { case (a, b) => a.exprId -> b }.toMap)
  }

  /** What the key's row was before and is now; nothing for a row that is as it was. */
  private def step(deleted: Int, offset: Int): (Row, Iterator[Row], GroupState[Row]) => Iterator[Row] =
    (_, rows, state) => {
      val before = state.getOption
      val last = if (offset < 0) rows.toSeq.last else rows.maxBy(_.getLong(offset))
      val now = if (last.getBoolean(deleted)) None else Some(last)
      now.fold(if (before.isDefined) state.remove())(state.update)
      before.map(r => Row.fromSeq(r.toSeq :+ -1)).iterator ++ now.map(r => Row.fromSeq(r.toSeq :+ 1))
    }
}
