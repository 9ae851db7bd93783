package io.kafkalyst.analyze

import io.kafkalyst.analyze.tables.TopicRelation
import io.kafkalyst.joins.WatermarkMark
import io.kafkalyst.streams.Carrying
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{MaxBy, MinBy}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types.IntegerType

/**
 * Flink's deduplication in unbounded queries: of `ROW_NUMBER() OVER (PARTITION BY k ORDER BY …)` the rows with number 1. By
 * `proctime` they are the first to arrive, which Spark's own deduplication keeps. By any other order a later row may take
 * the place of one, so the result is a table, of which each row is the `max_by` or `min_by` of a key's group.
 */
object Deduplication extends Rule[LogicalPlan] with PredicateHelper {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.isStreaming || !TopicRelation.isIn(plan)) plan
    else plan.resolveOperatorsUpWithNewOutput {
      case filter @ Filter(condition, child) if child.resolved && child.isStreaming =>
        splitConjunctivePredicates(condition).flatMap(firstOnly).flatMap(deduplicated(child, _)).headOption
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

  /** The attribute that a condition restricts to 1; in ksqlDB's language a comparison is not NULL. */
  private def firstOnly(condition: Expression): Option[ExprId] = condition match {
    case EqualTo(a: Attribute, Literal(1, IntegerType)) => Some(a.exprId)
    case EqualTo(Literal(1, IntegerType), a: Attribute) => Some(a.exprId)
    case LessThanOrEqual(a: Attribute, Literal(1, IntegerType)) => Some(a.exprId)
    case LessThan(a: Attribute, Literal(2, IntegerType)) => Some(a.exprId)
    case Coalesce(Seq(comparison, Literal.FalseLiteral)) => firstOnly(comparison)
    case _ => None
  }

  private def deduplicated(plan: LogicalPlan, number: ExprId): Option[Rows] = plan match {
    case p: Project =>
      val below = p.projectList.collectFirst {
        case a: Attribute if a.exprId == number => a.exprId
        case a @ Alias(of: Attribute, _) if a.exprId == number => of.exprId
      }
      below.flatMap(deduplicated(p.child, _)).map(_.below(p))
    case one @ (_: SubqueryAlias | _: Filter) => deduplicated(one.children.head, number).map(_.below(one))
    case w: Window => (w.windowExpressions, keys(w)) match {
        case (Seq(a @ Alias(WindowExpression(_: RowNumber, _), name)), Some(keys)) if a.exprId == number =>
          val rows = if (isArrival(w)) Some(Rows(Deduplicate(keys, w.child))) else best(w, keys)
          rows.map(r => r.copy(plan = Project(r.plan.output :+ Alias(Literal(1), name)(number), r.plan)))
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
  private def best(w: Window, keys: Seq[Attribute]): Option[Rows] = {
    val orders = w.orderSpec
    // NULL is the least value in a STRUCT.
    val isStructs = orders.map(_.direction).distinct.size == 1 &&
      orders.forall(o => o.nullOrdering == o.direction.defaultNullOrdering)
    Option.when(isStructs && !Carrying.retracts(w)) {
      val columns = w.child.output
      val (row, order) = (struct(columns), struct(orders.map(_.child)))
      val function = if (orders.head.direction == Ascending) MinBy(row, order) else MaxBy(row, order)
      val whole = Alias(function.toAggregateExpression(), "row")()
      val fields = columns.zipWithIndex.map { case (a, i) =>
        if (keys.exists(_.exprId == a.exprId)) a
        else
          Alias(GetStructField(whole.toAttribute, i), a.name)(
            qualifier = a.qualifier,
            explicitMetadata = Some(WatermarkMark.without(a))
          )
      }
      Rows(
        Project(fields, Aggregate(keys, keys :+ whole, w.child)),
        columns.zip(fields).collect { case (a, alias: Alias) => a.exprId -> alias.toAttribute }.toMap
      )
    }
  }

  private def struct(all: Seq[Expression]) =
    CreateNamedStruct(all.zipWithIndex.flatMap { case (e, i) => Seq(Literal(s"c$i"), e) })
}
