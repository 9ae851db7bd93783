package io.kafkalyst.streams

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.functions.SignedValues
import io.kafkalyst.functions.aggregates.{KeptValues, Placed, SampleVariance}
import org.apache.spark.sql.{Encoders, Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.kafkalyst.Frames
import org.apache.spark.sql.streaming.{GroupState, GroupStateTimeout, OutputMode}
import org.apache.spark.sql.types._

import scala.math.Ordering.Implicits.seqOrdering

/**
 * Changes as retracted and added rows, so that they can be aggregated. For a table, Spark's keyed state stores each
 * key's current row; a [[ChangeStream]] contains both rows.
 *
 * @param plan  the rows, under the ids of [[RowChanges.renewed]]
 * @param sign  1 for an added row, -1 for a retracted row
 * @param time  ROWTIME of the change, milliseconds; null if unknown
 * @param place the change's position among all changes, ARRAY<BIGINT>; empty if unknown
 * @param whole whether to support aggregates that keep all values of a group in their state: MIN, MAX, COUNT(DISTINCT)
 * @param instead a hint for errors: how to aggregate all changes
 */
private[streams] final case class RowChanges(
    plan: LogicalPlan,
    sign: Attribute,
    time: Attribute,
    place: Attribute,
    renewed: Map[ExprId, Attribute],
    whole: Boolean,
    instead: String
) {

  /** Rebinds an expression over the table's rows to these rows. */
  def over(e: Expression): Expression = e.transformUp { case a: Attribute => renewed.getOrElse(a.exprId, a) }

  /**
   * An aggregate that supports retraction.
   *
   * @throws io.kafkalyst.errors.KafkalystException AGGREGATE_CANNOT_UNDO
   */
  def undoable(f: AggregateExpression): Expression = {
    val counted = (x: Expression) => new Sum(If(IsNotNull(x), Cast(sign, LongType), Literal(0L)))
    val filtered =
      f.filter.fold[Expression](sign)(c => If(Coalesce(Seq(over(c), Literal.FalseLiteral)), sign, Literal(0)))
    def sum(x: Expression) = new Sum(signed(over(x), filtered))
    val undone = f.aggregateFunction match {
      case Count(Seq(x)) if f.isDistinct && whole && f.filter.isEmpty =>
        Cast(Size(ArrayDistinct(ArrayCompact(values(x)))), LongType)
      case _ if f.isDistinct => refuse(f)
      case c: CollectList if whole && f.filter.isEmpty => ArrayCompact(values(c.child))
      case m: Min if whole && f.filter.isEmpty => ArrayMin(values(m.child))
      case m: Max if whole && f.filter.isEmpty => ArrayMax(values(m.child))
      case Count(Seq(_: Literal)) => total(new Sum(Cast(filtered, LongType)))
      case Count(Seq(x)) if f.filter.isEmpty => total(counted(over(x)))
      case s: Sum => total(sum(s.child))
      case a: Average if f.filter.isEmpty =>
        val rows = total(counted(over(a.child)))
        If(EqualTo(rows, Literal(0L)), Literal.create(null, a.dataType), mean(total(sum(a.child)), rows, a.dataType))
      case v: SampleVariance if f.filter.isEmpty => variance(moments(v.child, v.child))
      case v: VarianceSamp if f.filter.isEmpty => variance(moments(v.child, v.child))
      case s: StddevSamp if f.filter.isEmpty => Sqrt(variance(moments(s.child, s.child)))
      case c: Corr if f.filter.isEmpty => correlation(moments(c.left, c.right))
      case t: TopRows if whole =>
        total(t.copy(row = over(t.row), by = over(t.by), sign = Some(sign), place = place))
      case v: SignedValues if f.filter.isEmpty => values(v.value)
      case k: KeptValues if (whole || k.undoes) && f.filter.isEmpty => k.over(values(k.value))
      case _ => refuse(f)
    }
    if (undone.dataType == f.dataType) undone else Cast(undone, f.dataType)
  }

  /** The value × the sign, computed without multiplication, in a type that contains every value's negation. */
  private def signed(x: Expression, sign: Expression): Expression = {
    val value = RowChanges.summed(x)
    val none = If(IsNotNull(value), Literal.default(value.dataType), Literal.create(null, value.dataType))
    If(EqualTo(sign, Literal(1)), value, If(EqualTo(sign, Literal(-1)), UnaryMinus(value), none))
  }

  private def mean(sum: Expression, rows: Expression, as: DataType): Expression = as match {
    case decimal: DecimalType =>
      DecimalDivideWithOverflowCheck(sum, Cast(rows, DecimalType(20, 0)), decimal, null, !SQLConf.get.ansiEnabled)
    case _ => new Divide(Cast(sum, DoubleType), Cast(rows, DoubleType))
  }

  private def values(of: Expression): Expression = total(SignedValues(over(of), sign, place))

  /** The number of pairs without a null, and the sums that the statistics need. */
  private def moments(x: Expression, y: Expression): Moments = {
    val Seq(a, b) = Seq(x, y).map(e => Cast(over(e), DoubleType))
    val counts = If(And(IsNotNull(a), IsNotNull(b)), Cast(sign, DoubleType), Literal.create(null, DoubleType))
    def sum(of: Expression*) = total(new Sum(of.foldLeft[Expression](counts)(new Multiply(_, _))))
    Moments(sum(), sum(a), sum(b), sum(a, b), sum(a, a), sum(b, b))
  }

  private def minus(a: Expression, b: Expression) = new Subtract(a, b)

  /** n times the sum of the products of the deviations from the means. */
  private def spread(n: Expression, xy: Expression, x: Expression, y: Expression): Expression =
    minus(new Multiply(n, xy), new Multiply(x, y))

  private def variance(m: Moments): Expression = {
    val whole = new Divide(spread(m.n, m.xx, m.x, m.x), new Multiply(m.n, minus(m.n, Literal(1d))))
    If(GreaterThan(m.n, Literal(1d)), Greatest(Seq(whole, Literal(0d))), Literal.create(null, DoubleType))
  }

  private def correlation(m: Moments): Expression = {
    val both = new Multiply(Sqrt(spread(m.n, m.xx, m.x, m.x)), Sqrt(spread(m.n, m.yy, m.y, m.y)))
    new Divide(spread(m.n, m.xy, m.x, m.y), If(GreaterThan(both, Literal(0d)), both, Literal.create(null, DoubleType)))
  }

  private def total(f: AggregateFunction): Expression = f.toAggregateExpression()

  private def refuse(f: AggregateExpression): Nothing = throw KafkalystException(
    "AGGREGATE_CANNOT_UNDO",
    "function" -> f.sql,
    "known" -> s"ATTR, AVG, COLLECT_LIST, CORRELATION, COUNT, HISTOGRAM, ${if (whole) "MAX, MIN, " else ""}STDDEV_SAMP, STDDEV_SAMPLE, SUM and SUM_LIST, without DISTINCT",
    "instead" -> instead
  )
}

private[streams] object RowChanges {

  /**
   * The value to be summed. Sums of DECIMALs keep the type of value × sign, because stored state has this type, unless
   * the type loses digits.
   */
  private def summed(x: Expression): Expression = x.dataType match {
    case ByteType | ShortType | IntegerType => Cast(x, LongType)
    case _: DecimalType =>
      val product = Cast(x, new Multiply(x, x).dataType)
      def holds(wide: DataType, narrow: DataType) = (wide, narrow) match {
        case (w: DecimalType, n: DecimalType) => w.scale >= n.scale && w.precision - w.scale >= n.precision - n.scale
        case _ => false
      }
      val isWide = holds(product.dataType, x.dataType) && holds(new Sum(product).dataType, new Sum(x).dataType)
      if (isWide) product else x
    case _ => x
  }

  /** @param op the kind of each change */
  def of(changes: Changes, op: Attribute): RowChanges = {
    val sign = Alias(ChangeStream.sign(op), "sign")()
    val time = Alias(changes.rowTime.getOrElse(Literal.create(null, LongType)), "time")()
    val place = Alias(Placed.nowhere, "place")()
    val plan = Project(changes.plan.output ++ Seq(sign, time, place), changes.plan)
    RowChanges(
      plan,
      sign.toAttribute,
      time.toAttribute,
      place.toAttribute,
      Map.empty,
      whole = true,
      "To aggregate the changes themselves, name _op."
    )
  }

  /**
   * @param keys  the columns of the table's key, which the changes' plan contains
   * @param whole see [[RowChanges]]
   */
  def of(spark: SparkSession, changes: Changes, keys: Seq[Attribute], whole: Boolean): RowChanges = {
    val output = changes.plan.output
    val names = output.indices.map(i => s"c$i")
    val columns = output.zip(names).map { case (a, name) => Alias(a, name)() }
    val frame = Frames.of(spark, Project(columns, changes.plan))
    val row = StructType(frame.schema.map(_.copy(metadata = Metadata.empty, nullable = true)))
    val places = keys.map(k => output.indexWhere(_.exprId == k.exprId)).toArray
    val deleted = output.indexWhere(a => changes.tombstone.exists(_.exprId == a.exprId))
    val order = output.indexWhere(a => changes.order.exists(_.exprId == a.exprId))
    val time = output.indexWhere(a => changes.rowTime.exists(_.exprId == a.exprId))
    val key = StructType(places.map(row(_)))
    val signed = row.add("sign", IntegerType).add("time", LongType).add("place", ArrayType(LongType))
    val pairs = frame
      .groupByKey((r: Row) => Row.fromSeq(places.map(r.get).toSeq))(Encoders.row(key))
      .flatMapGroupsWithState(OutputMode.Append(), GroupStateTimeout.NoTimeout())(step(deleted, order, time))(
        Encoders.row(row),
        Encoders.row(signed)
      )
    val made = pairs.queryExecution.analyzed
    val Seq(sign, at, place) = made.output.takeRight(3)
    RowChanges(
      made,
      sign,
      at,
      place,
      output.zip(made.output).map { case (a, b) => a.exprId -> b }.toMap,
      whole,
      "Declare the topic as a STREAM to aggregate all of its changes."
    )
  }

  /** Each change retracts the key's previous row and adds its new one. */
  private def step(deleted: Int, order: Int, time: Int): (Row, Iterator[Row], GroupState[Row]) => Iterator[Row] =
    (_, rows, state) => {
      var before = state.getOption
      def placeOf(change: Row) = if (order < 0) Nil else place(change.get(order))
      val signed = rows.toSeq.sortBy(placeOf).flatMap { change =>
        val at = Seq(if (time < 0) null else change.get(time), placeOf(change))
        val taken = before.map(r => Row.fromSeq((r.toSeq :+ -1) ++ at))
        before = if (change.getBoolean(deleted)) None else Some(change)
        taken ++ before.map(r => Row.fromSeq((r.toSeq :+ 1) ++ at))
      }
      before.fold(state.remove())(state.update)
      signed.iterator
    }

  private def place(order: Any): Seq[Long] = order match {
    case several: scala.collection.Seq[_] => several.map(_.asInstanceOf[Long]).toSeq
    case one => Seq(one.asInstanceOf[Long])
  }
}

/** Sums over pairs of numbers, each an aggregate. */
private final case class Moments(
    n: Expression,
    x: Expression,
    y: Expression,
    xy: Expression,
    xx: Expression,
    yy: Expression
)
