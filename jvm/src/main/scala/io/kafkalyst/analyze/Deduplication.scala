package io.kafkalyst.analyze

import io.kafkalyst.analyze.tables.{TopicRelation, WindowEnds}
import io.kafkalyst.joins.WatermarkMark
import io.kafkalyst.streams.Carrying
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{CollectList, MaxBy, MinBy}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types.{DataType, IntegerType}

/**
 * Flink's deduplication and Top-N of windows in unbounded queries: of `ROW_NUMBER() OVER (PARTITION BY k ORDER BY …)` the
 * rows with number 1, or up to a number. By `proctime` they are the first to arrive, which Spark's own deduplication keeps.
 * By any other order a later row may take the place of one, so the result is a table, of which each row is the `max_by` or
 * `min_by` of a key's group. More rows than one are those of a window, once it is complete.
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
   * @param renamed the attributes in the place of those that the plan had before
   */
  private final case class Rows(plan: LogicalPlan, renamed: Map[ExprId, Attribute] = Map.empty) {

    /** The operator above these rows. */
    def below(operator: LogicalPlan): Rows = {
      val above = operator.withNewChildren(Seq(plan)).transformExpressions { case a: Attribute =>
        renamed.get(a.exprId).fold(a)(_.withQualifier(a.qualifier))
      }
      copy(plan = above)
    }
  }

  /** The attribute that a condition restricts to 1 up to a number; in ksqlDB's language a comparison is not NULL. */
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
          if (most == 1) {
            val rows = if (isArrival(w)) Some(Rows(Deduplicate(keys, w.child))) else best(w, keys)
            rows.map(r => r.copy(plan = Project(r.plan.output :+ Alias(Literal(1), name)(number), r.plan)))
          } else if (isArrival(w)) None
          else several(w, keys, most, place => Alias(new Add(place, Literal(1)), name)(number))
        case _ => None
      }
    case _ => None
  }

  private def keys(w: Window): Option[Seq[Attribute]] = {
    val columns = w.partitionSpec.collect { case a: Attribute => a }
    Option.when(columns.nonEmpty && columns.size == w.partitionSpec.size)(columns)
  }

  private def isArrival(w: Window) = w.orderSpec match {
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

  /** Each key's first row; None for an order that is not one of a STRUCT, and over rows that a source replaces. */
  private def best(w: Window, keys: Seq[Attribute]): Option[Rows] = Option.when(isByStruct(w)) {
    val (row, order) = (struct(w.child.output), struct(w.orderSpec.map(_.child)))
    val function = if (isAscending(w)) MinBy(row, order) else MaxBy(row, order)
    val whole = Alias(function.toAggregateExpression(), "row")()
    val fields = fieldsOf(w, keys, whole.toAttribute)
    Rows(Project(fields, Aggregate(keys, keys :+ whole, w.child)), renamed(w, fields))
  }

  /**
   * Each window's first rows: without a window, those that others push out would have to be taken back.
   *
   * @param numbered the ROW_NUMBER, of the place from 0
   */
  private def several(w: Window, keys: Seq[Attribute], most: Int, numbered: Expression => Alias): Option[Rows] =
    Option.when(isByStruct(w) && WindowEnds.areIn(w.child, keys)) {
      val each = struct(Seq(struct(w.orderSpec.map(_.child)), struct(w.child.output)))
      val all = Alias(new CollectList(each).toAggregateExpression(), "rows")()
      val groups = Aggregate(keys, keys :+ all, w.child)
      val first =
        Alias(Slice(sorted(all.toAttribute, each.dataType, isAscending(w)), Literal(1), Literal(most)), "rows")()
      val place = AttributeReference("place", IntegerType, nullable = false)()
      val one = AttributeReference("row", each.dataType, nullable = false)()
      val rows = Generate(
        PosExplode(first.toAttribute),
        Nil,
        outer = false,
        None,
        Seq(place, one),
        Project(keys :+ first, groups)
      )
      val fields = fieldsOf(w, keys, GetStructField(one, 1))
      Rows(Project(fields :+ numbered(place), rows), renamed(w, fields))
    }

  private def sorted(rows: Expression, t: DataType, ascending: Boolean) = {
    val Seq(left, right) = Seq("l", "r").map(NamedLambdaVariable(_, t, nullable = false))
    val (l, r) = (GetStructField(left, 0), GetStructField(right, 0))
    val (first, last) = if (ascending) (LessThan(l, r), GreaterThan(l, r)) else (GreaterThan(l, r), LessThan(l, r))
    new ArraySort(rows, LambdaFunction(If(first, Literal(-1), If(last, Literal(1), Literal(0))), Seq(left, right)))
  }

  private def isAscending(w: Window) = w.orderSpec.head.direction == Ascending

  /** Whether the order is one of STRUCTs, in which NULL is the least value. */
  private def isByStruct(w: Window) = w.orderSpec.map(_.direction).distinct.size == 1 &&
    w.orderSpec.forall(o => o.nullOrdering == o.direction.defaultNullOrdering) && !Carrying.retracts(w)

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

  private def struct(all: Seq[Expression]) =
    CreateNamedStruct(all.zipWithIndex.flatMap { case (e, i) => Seq(Literal(s"c$i"), e) })
}
