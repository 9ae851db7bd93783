package io.kafkalyst.analyze

import io.kafkalyst.analyze.Deduplication.struct
import io.kafkalyst.analyze.tables.TopicRelation
import io.kafkalyst.joins.WatermarkMark
import io.kafkalyst.streams.Carrying
import io.kafkalyst.streams.over.{BytesRow, OverCall, OverFrame, OverRows, RowBytes}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, AggregateFunction}
import org.apache.spark.sql.catalyst.optimizer.NormalizeNaNAndZero
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.kafkalyst.Frames
import org.apache.spark.sql.types._

import scala.collection.mutable.ArrayBuffer

/**
 * Flink's OVER aggregates in unbounded queries: functions over the rows before each row, ordered by the watermark's
 * column or by PROCTIME(), by [[OverRows]]. Other windows are left to [[tables.ContinuousShapes]], which refuses them.
 */
final class OverWindows(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.isStreaming || !TopicRelation.isIn(plan)) plan
    else plan.resolveOperatorsUpWithNewOutput {
      case window: Window if window.resolved && window.child.isStreaming && !isOverState(window.child) =>
        planned(window).getOrElse(window -> Nil)
    }

  /** Whether rows are retracted, or come from another stateful operator with its own watermark. */
  private def isOverState(plan: LogicalPlan) = Carrying.retracts(plan) || plan.exists {
    case _: Aggregate | _: Join | _: Deduplicate | _: Distinct => true
    case other => OverRows.are(other)
  }

  private def planned(window: Window): Option[(LogicalPlan, Seq[(Attribute, Attribute)])] = {
    val added = ArrayBuffer.empty[Alias]
    def column(e: Expression): Expression = e match {
      case _: Attribute => e
      case constant if constant.foldable => constant
      case other =>
        added += Alias(other, s"argument${added.size}")()
        added.last.toAttribute
    }
    for {
      time <- timeOf(window)
      calls <- all(window.windowExpressions.map(callOf(_, column)))
    } yield {
      val child = window.child
      val all = Project(child.output ++ added, child)
      val bound = calls.map(call =>
        call.copy(
          function = bind(call.function, all.output),
          filter = call.filter.map(bind(_, all.output)),
          default = call.default.map(bind(_, all.output))
        )
      )
      val micros = time.fold[Expression](UnixMicros(CurrentTimestamp()))(micro)
      val key = struct(window.partitionSpec.map(e => if (isFloat(e)) NormalizeNaNAndZero(e) else e))
      val row = struct(all.output)
      val given = Seq(Alias(RowBytes(key), "key")(), Alias(micros, "at")(), Alias(RowBytes(row), "row")()) ++ time
      val results = window.windowExpressions.map(_.dataType)
      val made = OverRows.of(Frames.of(session, Project(given, all)), row.dataType, bound, results, time.isEmpty)
      val Seq(rows, values) = made.output
      val fields = child.output.zipWithIndex.map { case (a, i) =>
        Alias(GetStructField(BytesRow(rows, row.dataType), i), a.name)(
          qualifier = a.qualifier,
          explicitMetadata = Some(WatermarkMark.without(a))
        )
      }
      val valueType = StructType(results.zipWithIndex.map { case (t, i) => StructField(s"c$i", t) })
      val computed = window.windowExpressions.zipWithIndex.map { case (e, i) =>
        Alias(GetStructField(BytesRow(values, valueType), i), e.name)(e.exprId, e.qualifier)
      }
      Project(fields ++ computed, made) -> child.output.zip(fields.map(_.toAttribute))
    }
  }

  /** Some(Some(column)) if an event-time column orders the rows, Some(None) for processing time, otherwise None. */
  private def timeOf(window: Window): Option[Option[Attribute]] = window.orderSpec match {
    case Seq(SortOrder(a: Attribute, Ascending, _, _)) if WatermarkMark.isOn(a) => Some(Some(a))
    case _ if Deduplication.isArrival(window) => Some(None)
    case _ => None
  }

  private def micro(time: Attribute) = time.dataType match {
    case TimestampNTZType => UnixMicros(Cast(time, TimestampType, Some("UTC")))
    case _ => UnixMicros(time)
  }

  private def callOf(e: NamedExpression, column: Expression => Expression): Option[OverCall] = e match {
    case Alias(WindowExpression(function, spec), _) =>
      frameOf(spec.frameSpecification).flatMap { frame =>
        function match {
          case AggregateExpression(f, _, false, filter, _) =>
            Some(OverCall(replaced(f).mapChildren(column), filter.map(column), None, frame))
          case n: RowNumber => Some(OverCall(n, None, None, frame))
          case l: Lag if !l.ignoreNulls => Some(OverCall(column(l.input), None, Some(column(l.default)), frame))
          case _ => None
        }
      }
    case _ => None
  }

  private def replaced(f: AggregateFunction): Expression = f match {
    case r: RuntimeReplaceable => r.replacement
    case _ => f
  }

  /** A frame that ends at the current row or before it; None for other frames. */
  private def frameOf(frame: WindowFrame): Option[OverFrame] = frame match {
    case SpecifiedWindowFrame(kind, UnboundedPreceding, CurrentRow) => Some(OverFrame(kind == RangeFrame, None))
    case SpecifiedWindowFrame(kind, from, CurrentRow) => before(from).map(n => OverFrame(kind == RangeFrame, Some(n)))
    case SpecifiedWindowFrame(RowFrame, from, to) =>
      before(from).zip(before(to)).map { case (f, t) => OverFrame(ofTimes = false, Some(f), t) }
    case _ => None
  }

  /** How many rows or microseconds a bound is before the current row; None if it is after it or not constant. */
  private def before(bound: Expression): Option[Long] = bound match {
    case CurrentRow => Some(0)
    case constant if constant.foldable =>
      Option(constant.eval()).collect { case n: Int => -n.toLong; case n: Long => -n }.filter(_ >= 0)
    case _ => None
  }

  private def all[T](options: Seq[Option[T]]): Option[Seq[T]] =
    Option.when(options.forall(_.isDefined))(options.flatten)

  private def bind(e: Expression, to: Seq[Attribute]): Expression = BindReferences.bindReference(e, to)

  private def isFloat(e: Expression) = e.dataType == FloatType || e.dataType == DoubleType
}
