package io.kafkalyst.analyze

import io.kafkalyst.analyze.tables.{TopicRelation, WindowEnds}
import io.kafkalyst.joins.WatermarkMark
import io.kafkalyst.streams.{Carrying, TopRows}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types.IntegerType

/**
 * Flink's deduplication and Top-N in unbounded queries: the rows of `ROW_NUMBER() OVER (PARTITION BY k ORDER BY …)`
 * with number 1, or up to a number. Spark's own deduplication keeps the first row to arrive, by `proctime`. In any
 * other order a later row may replace an earlier one, so the result is a table keyed by the partition columns, and by
 * the number if there are several; rows of a window are emitted when the window is complete.
 */
object Deduplication extends Rule[LogicalPlan] with PredicateHelper {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.isStreaming || !TopicRelation.isIn(plan)) plan
    else plan.resolveOperatorsUpWithNewOutput {
      case filter @ Filter(condition, child) if child.resolved && child.isStreaming =>
        splitConjunctivePredicates(condition).flatMap(firstOf).flatMap((deduplicated(child, _, _)).tupled).headOption
          .fold[(LogicalPlan, Seq[(Attribute, Attribute)])](filter -> Nil) { rows =>
            val first = rows.below(filter)
            first.plan -> filter.output.zip(first.plan.output).filter { case (was, is) => was.exprId != is.exprId }
          }
    }

  /**
   * @param renamed the new attributes by the ids of those that they replace
   */
  private final case class Rows(plan: LogicalPlan, renamed: Map[ExprId, Attribute] = Map.empty) {

    /** Puts an operator on top of these rows. */
    def below(operator: LogicalPlan): Rows = {
      val above = operator.withNewChildren(Seq(plan)).transformExpressions { case a: Attribute =>
        renamed.get(a.exprId).fold(a)(_.withQualifier(a.qualifier))
      }
      copy(plan = above)
    }
  }

  /**
   * The attribute that a condition restricts to 1 up to n, with n; ksqlDB's comparisons are wrapped in COALESCE(…,
   * false).
   */
  private def firstOf(condition: Expression): Option[(ExprId, Int)] = condition match {
    case EqualTo(a: Attribute, Literal(1, IntegerType)) => Some(a.exprId -> 1)
    case EqualTo(Literal(1, IntegerType), a: Attribute) => Some(a.exprId -> 1)
    case LessThanOrEqual(a: Attribute, Literal(n: Int, IntegerType)) if n > 0 => Some(a.exprId -> n)
    case LessThan(a: Attribute, Literal(n: Int, IntegerType)) if n > 1 => Some(a.exprId -> (n - 1))
    case Coalesce(Seq(comparison, Literal.FalseLiteral)) => firstOf(comparison)
    case _ => None
  }

  private def deduplicated(plan: LogicalPlan, number: ExprId, most: Int): Option[Rows] = plan match {
    case p: Project =>
      val below = p.projectList.collectFirst {
        case a: Attribute if a.exprId == number => a.exprId
        case a @ Alias(of: Attribute, _) if a.exprId == number => of.exprId
      }
      below.flatMap(deduplicated(p.child, _, most)).map(_.below(p))
    case one @ (_: SubqueryAlias | _: Filter) => deduplicated(one.children.head, number, most).map(_.below(one))
    case w: Window => (w.windowExpressions, keys(w)) match {
        case (Seq(a @ Alias(WindowExpression(_: RowNumber, _), name)), Some(keys)) if a.exprId == number =>
          if (most == 1 && keys.nonEmpty && isArrival(w) && !Carrying.retracts(w)) {
            val rows = Deduplicate(keys, w.child)
            Some(Rows(Project(rows.output :+ Alias(Literal(1), name)(number), rows)))
          } else first(w, keys, most, Alias(_, name)(number))
        case _ => None
      }
    case _ => None
  }

  private def keys(w: Window): Option[Seq[Attribute]] = {
    val columns = w.partitionSpec.collect { case a: Attribute => a }
    Option.when(columns.size == w.partitionSpec.size)(columns)
  }

  /** Whether the rows are ordered by arrival. */
  private[analyze] def isArrival(w: Window) = w.orderSpec match {
    case Seq(order) => order.direction == Ascending && isNow(order.child, w.child)
    case _ => false
  }

  /** Whether an expression is the processing time, directly or as a column of the plan. */
  private def isNow(e: Expression, plan: LogicalPlan): Boolean = e match {
    case _: CurrentTimestampLike => true
    case a: Attribute => plan.collect { case p: Project => p.projectList }.flatten
        .collectFirst { case as @ Alias(of, _) if as.exprId == a.exprId => of }.exists(isNow(_, plan))
    case _ => false
  }

  /** Each key's first rows; None for groups of a window whose source replaces rows. */
  private def first(w: Window, keys: Seq[Attribute], most: Int, numbered: Attribute => Alias): Option[Rows] =
    Option.unless(Carrying.retracts(w) && WindowEnds.areIn(w.child, keys)) {
      val order = w.orderSpec.map(o => (o.direction, o.nullOrdering))
      val top = TopRows(struct(w.child.output), struct(w.orderSpec.map(_.child)), order, most)
      val rows = TopRows.of(keys, top, w.child)
      val Seq(number, row, _) = rows.generatorOutput
      val fields = fieldsOf(w, keys, row)
      Rows(Project(fields :+ numbered(number), rows), renamed(w, fields))
    }

  private def fieldsOf(w: Window, keys: Seq[Attribute], row: Expression): Seq[NamedExpression] =
    w.child.output.zipWithIndex.map { case (a, i) =>
      if (keys.exists(_.exprId == a.exprId)) a
      else
        Alias(GetStructField(row, i), a.name)(
          qualifier = a.qualifier,
          explicitMetadata = Some(WatermarkMark.without(a))
        )
    }

  private def renamed(w: Window, fields: Seq[NamedExpression]): Map[ExprId, Attribute] =
    w.child.output.zip(fields).collect { case (a, alias: Alias) => a.exprId -> alias.toAttribute }.toMap

  private[analyze] def struct(all: Seq[Expression]) =
    CreateNamedStruct(all.zipWithIndex.flatMap { case (e, i) => Seq(Literal(s"c$i"), e) })
}
