package io.kafkalyst.analyze

import io.kafkalyst.analyze.tables.TopicRelation
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types.IntegerType

/**
 * Flink's deduplication in unbounded queries: of `ROW_NUMBER() OVER (PARTITION BY k ORDER BY proctime)` the rows with
 * number 1 are the first to arrive, which Spark's own deduplication keeps. With any other order a later row could
 * precede them, so the window function remains and is refused.
 */
object Deduplication extends Rule[LogicalPlan] with PredicateHelper {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.isStreaming || !TopicRelation.isIn(plan)) plan
    else plan.resolveOperatorsUp {
      case filter @ Filter(condition, child) if child.isStreaming =>
        splitConjunctivePredicates(condition).flatMap(firstOnly).flatMap(deduplicated(child, _)).headOption
          .fold[LogicalPlan](filter)(Filter(condition, _))
    }

  /** The attribute that a condition restricts to 1. */
  private def firstOnly(condition: Expression): Option[ExprId] = condition match {
    case EqualTo(a: Attribute, Literal(1, IntegerType)) => Some(a.exprId)
    case EqualTo(Literal(1, IntegerType), a: Attribute) => Some(a.exprId)
    case LessThanOrEqual(a: Attribute, Literal(1, IntegerType)) => Some(a.exprId)
    case LessThan(a: Attribute, Literal(2, IntegerType)) => Some(a.exprId)
    case _ => None
  }

  private def deduplicated(plan: LogicalPlan, number: ExprId): Option[LogicalPlan] = plan match {
    case p: Project =>
      val below = p.projectList.collectFirst {
        case a: Attribute if a.exprId == number => a.exprId
        case a @ Alias(of: Attribute, _) if a.exprId == number => of.exprId
      }
      below.flatMap(deduplicated(p.child, _)).map(child => p.withNewChildren(Seq(child)))
    case one @ (_: SubqueryAlias | _: Filter) =>
      deduplicated(one.children.head, number).map(child => one.withNewChildren(Seq(child)))
    case w: Window => (w.windowExpressions, w.orderSpec, keys(w)) match {
        case (Seq(a @ Alias(WindowExpression(_: RowNumber, _), name)), Seq(order), Some(keys))
            if a.exprId == number && order.direction == Ascending && isNow(order.child, w.child) =>
          Some(Project(w.child.output :+ Alias(Literal(1), name)(number), Deduplicate(keys, w.child)))
        case _ => None
      }
    case _ => None
  }

  private def keys(w: Window): Option[Seq[Attribute]] = {
    val columns = w.partitionSpec.collect { case a: Attribute => a }
    Option.when(columns.nonEmpty && columns.size == w.partitionSpec.size)(columns)
  }

  /** Whether an expression is the processing time, directly or as a column of the plan. */
  private def isNow(e: Expression, plan: LogicalPlan): Boolean = e match {
    case _: CurrentTimestampLike => true
    case a: Attribute => plan.collect { case p: Project => p.projectList }.flatten
        .collectFirst { case as @ Alias(of, _) if as.exprId == a.exprId => of }.exists(isNow(_, plan))
    case _ => false
  }
}
