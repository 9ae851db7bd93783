package io.kafkalyst.analyze
package tables

import io.kafkalyst.joins.WatermarkMark
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, EqualTo, Expression, ExprId, PredicateHelper}
import org.apache.spark.sql.catalyst.plans.Inner
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule

/**
 * Gives `window_end` of Flink's window table functions the watermark of their time column where it is grouped by, or
 * where two streams are joined on it: a group is complete when the watermark has passed the window's end, as with
 * Spark's own windows. Without this, Spark refuses to append the groups. Groups that already contain a column with a
 * watermark are unchanged, because Spark allows only one.
 */
object WindowEnds extends Rule[LogicalPlan] with PredicateHelper {

  /** The name of the window column from which `window_end` is computed. */
  val window = "window.of"

  private val end = "window_end"

  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.isStreaming || !plan.exists(has(isWindow))) plan
    else {
      val found = ends(plan)
      plan.resolveOperatorsUp {
        case group: Aggregate if !group.groupingExpressions.exists(isMarked) =>
          group.transformExpressions(marked(found.filter(e => group.groupingExpressions.exists(is(_, e._1)))))
        case join: Join => join.transformExpressions(marked(equated(join, join.condition, found)))
        case where @ Filter(condition, join: Join) if join.joinType == Inner =>
          where.transformExpressions(marked(equated(join, Some(condition), found)))
        case above if above.children.exists(has(isMarked)) && above.childrenResolved =>
          val passed = above.children.flatMap(_.output).filter(isMarked).map(_.exprId).toSet
          above.transformExpressions(marked(found.filter(e => passed(e._1))))
      }
    }

  /** The window ends that a join of two streams equates: the join keeps rows until the watermark has passed these. */
  private def equated(join: Join, condition: Option[Expression], ends: Map[ExprId, Long]): Map[ExprId, Long] =
    if (!join.children.forall(_.isStreaming)) Map.empty
    else condition.toSeq.flatMap(splitConjunctivePredicates).collect {
      case EqualTo(a: Attribute, b: Attribute) if ends.contains(a.exprId) && ends.contains(b.exprId) => Seq(a, b)
    }.flatten.map(a => a.exprId -> ends(a.exprId)).toMap

  /** Whether a key is the end of a window of the plan. */
  def areIn(plan: LogicalPlan, keys: Seq[Attribute]): Boolean = {
    val found = ends(plan)
    keys.exists(key => found.contains(key.exprId))
  }

  // Unresolved plans have no output, and Spark reports their error later.
  private def has(wanted: Attribute => Boolean)(plan: LogicalPlan) =
    plan.resolved && plan.output.exists(wanted)

  private def isMarked(e: Expression) = e match {
    case a: Attribute => WatermarkMark.isOn(a)
    case _ => false
  }

  private def is(e: Expression, id: ExprId) = e match {
    case a: Attribute => a.exprId == id
    case _ => false
  }

  private def isWindow(a: Attribute) = a.name == window && isMarked(a)

  /** The window ends, also under other names, with the delay of their watermark in milliseconds. */
  private def ends(plan: LogicalPlan): Map[ExprId, Long] = {
    val below = plan.children.map(ends).foldLeft(Map.empty[ExprId, Long])(_ ++ _)
    def ofWindow(e: Expression) =
      e.references.find(isWindow).map(WatermarkMark.delay).orElse(e.references.flatMap(a =>
        below.get(a.exprId)
      ).headOption)
    below ++ (plan match {
      case project: Project => project.projectList.collect {
          case a @ Alias(of: Attribute, _) => below.get(of.exprId).map(a.exprId -> _)
          case a: Alias if a.name == end => ofWindow(a.child).map(a.exprId -> _)
        }.flatten
      // In ksqlDB's language, the steps of CUMULATE are a field of the generator's output.
      case each: Generate => each.generatorOutput.flatMap(a => ofWindow(each.generator).map(a.exprId -> _))
      // GROUPING SETS of which all contain the window end.
      case sets: Expand => sets.output.zipWithIndex.flatMap { case (a, i) =>
          sets.projections.map(_(i)).distinct match {
            case Seq(of: Attribute) => below.get(of.exprId).map(a.exprId -> _)
            case _ => None
          }
        }
      case _ => Nil
    })
  }

  private def marked(ends: Map[ExprId, Long]): PartialFunction[Expression, Expression] = {
    case a: Attribute if ends.contains(a.exprId) => WatermarkMark.put(a, ends(a.exprId))
  }
}
