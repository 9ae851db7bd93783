package io.kafkalyst.analyze

import io.kafkalyst.analyze.tables.{TopicRelation, WindowEnds}
import io.kafkalyst.joins.TimeRange
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.optimizer.{PullupCorrelatedPredicates, RewritePredicateSubquery}
import org.apache.spark.sql.catalyst.plans.{Inner, LeftAnti, LeftSemi}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule

/**
 * Prepares joins of streams for Spark. ksqlDB's comparisons are FALSE instead of NULL; in a condition they become plain
 * comparisons, which Spark recognises as join keys. Flink's window semi joins, `WHERE a IN (SELECT … FROM windows r
 * WHERE l.window_end = r.window_end)` and EXISTS, become joins early, because Spark does not look for streams in
 * subqueries. Other subqueries are refused later: their result would change while the query runs.
 */
object StreamJoins extends Rule[LogicalPlan] with PredicateHelper {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.isStreaming || !TopicRelation.isIn(plan)) plan
    else plan.resolveOperatorsUp {
      case where @ Filter(condition, join: Join)
          if where.resolved && join.joinType == Inner && join.children.forall(_.isStreaming) &&
            !condition.exists(isEndless) =>
        where.copy(condition = plain(condition))
      case where @ Filter(condition, child) if where.resolved && child.isStreaming && condition.exists(isEndless) =>
        val joined = semiJoined(where)
        // Rows that are not there, as NOT EXISTS asks for, may come later.
        val isSemi = !joined.exists {
          case Filter(rest, _) => rest.exists(isEndless)
          case join: Join => join.joinType == LeftAnti && join.right.isStreaming
          case _ => false
        }
        if (isSemi && TimeRange.ofAll(WindowEnds(joined))) joined else where
    }

  private def semiJoined(where: Filter) = AnalysisHelper.allowInvokingTransformsInAnalyzer {
    RewritePredicateSubquery(PullupCorrelatedPredicates(where)).transform {
      case join: Join if join.joinType == LeftSemi => join.copy(condition = join.condition.map(plain))
    }
  }

  private def plain(condition: Expression): Expression = splitConjunctivePredicates(condition).map {
    case Coalesce(Seq(known, Literal.FalseLiteral)) => known
    case other => other
  }.reduce(And)

  private def isEndless(e: Expression) = e match {
    case subquery: SubqueryExpression => subquery.plan.isStreaming
    case _ => false
  }
}
