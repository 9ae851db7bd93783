package io.kafkalyst.analyze

import io.kafkalyst.analyze.tables.WindowEnds
import io.kafkalyst.errors.KafkalystException
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule

/**
 * Flink's window table function SESSION in unbounded queries: converts a GROUP BY of `window_start`, `window_end` and
 * the function's PARTITION BY columns to Spark's `session_window`, the only operator that merges the windows of single
 * rows. Other operators must not see the unmerged windows.
 */
object SessionGroups extends Rule[LogicalPlan] {

  /** Prefix of the names of the columns that repeat those of PARTITION BY. */
  val key = "window.key."

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.isStreaming || !plan.exists(isSession)) plan
    else {
      val grouped = plan.resolveOperatorsUp { case group: Aggregate if group.resolved => merged(group) }
      check(grouped)
      grouped
    }

  private def isSession(plan: LogicalPlan) = sessions(plan).nonEmpty

  /** The session windows that a projection defines. */
  private def sessions(plan: LogicalPlan): Seq[Alias] = plan match {
    case Project(list, _) => list.collect {
        case a @ Alias(of: Attribute, WindowEnds.window) if of.metadata.contains(SessionWindow.marker) => a
      }
    case _ => Nil
  }

  /** The columns computed from a session: window_start, window_end and window_time. */
  private def bounds(plan: LogicalPlan, session: Alias): Map[ExprId, Expression] = plan.collect { case p: Project =>
    p.projectList.collect {
      case a: Alias if a.exprId != session.exprId && a.references.exists(_.exprId == session.exprId) =>
        a.exprId -> a.child
    }
  }.flatten.toMap

  private def merged(group: Aggregate): LogicalPlan = group.child.collect { case p => sessions(p) }.flatten match {
    case Seq(session) =>
      val of = bounds(group.child, session)
      val (windows, others) = group.groupingExpressions.partition(isOne(_, of.keySet))
      val keys = group.child.collect { case p: Project => p.projectList }.flatten.collect {
        case a @ Alias(of: Attribute, name) if name.startsWith(key) && a.exprId != session.exprId => of.exprId
      }
      // Aggregate functions would see each row's own session before merging, so they must not refer to it.
      val isInRows = group.aggregateExpressions.exists(_.exists {
        case function: AggregateExpression => function.references.exists(a => of.contains(a.exprId))
        case _ => false
      })
      if (windows.isEmpty || keys.isEmpty || isInRows || others.map(idOf).toSet != keys.map(Option(_)).toSet) group
      else {
        val window = session.toAttribute
        val list = group.aggregateExpressions.map {
          case a: Attribute if of.contains(a.exprId) => Alias(of(a.exprId), a.name)(a.exprId)
          case other => other.transform { case a: Attribute => of.getOrElse(a.exprId, a) }.asInstanceOf[NamedExpression]
        }
        group.copy(others :+ window, list, carrying(group.child, window))
      }
    case _ => group
  }

  private def idOf(e: Expression) = e match {
    case a: Attribute => Some(a.exprId)
    case _ => None
  }

  private def isOne(e: Expression, of: Set[ExprId]) = idOf(e).exists(of)

  /** Adds a column to the projections that leave it out. */
  private def carrying(plan: LogicalPlan, column: Attribute): LogicalPlan = plan.resolveOperatorsUp {
    case p @ Project(list, child) if child.outputSet.contains(column) && !p.outputSet.contains(column) =>
      p.copy(list :+ column)
  }

  /** Throws NOT_WITHOUT_END if an operator would see the windows of single rows. */
  private def check(plan: LogicalPlan): Unit = plan.collect { case p => sessions(p) }.flatten.foreach { session =>
    val of = bounds(plan, session).keySet
    def sees(e: Expression) = e.references.exists(a => of(a.exprId))
    def isMerged(plan: LogicalPlan) = plan.exists {
      case group: Aggregate => group.groupingExpressions.exists(isOne(_, Set(session.exprId)))
      case _ => false
    }
    def passes(e: Expression) = e.isInstanceOf[Attribute]
    val isSeen = plan.exists {
      case p: Project => !isMerged(p) && p.projectList.exists(e => !passes(e) && sees(e))
      case other => !isMerged(other) && other.expressions.exists(sees)
    }
    if (!isMerged(plan) || isSeen) throw KafkalystException(
      "NOT_WITHOUT_END",
      "what" -> "SESSION(TABLE …) without PARTITION BY, or without GROUP BY of window_start, window_end and just its columns,"
    )
  }
}
