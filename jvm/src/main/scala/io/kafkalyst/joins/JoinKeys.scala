package io.kafkalyst.joins

import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.model.{ObjectKind, Side, TopicColumn}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.FullOuter
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2

/**
 * One column of the key of a join's rows.
 *
 * @param same      the expressions over the sources that equal the key column
 * @param synthetic whether any of these may be null, so that the key is a column of its own
 */
final case class JoinKey(same: Seq[Expression], synthetic: Boolean) {
  def isMeantBy(e: Expression): Boolean = same.exists(_.semanticEquals(e))
}

/**
 * The key of a join's rows: the columns that its sources are joined on; for a foreign-key join, the left table's own
 * key.
 */
object JoinKeys {

  /** @param plan an analysed query of projections, filters and joins over topics */
  def of(plan: LogicalPlan): Seq[JoinKey] = plan match {
    case join: Join => of(join)
    case _: Project | _: Filter | _: SubqueryAlias | _: Within => of(plan.children.head)
    case relation: StreamingRelationV2 if isTable(relation) =>
      relation.output.filter(a => TopicColumn.sideOf(a.metadata) == Side.Key).map(a =>
        JoinKey(Seq(a), synthetic = false)
      )
    case _ => Nil
  }

  private def of(join: Join): Seq[JoinKey] = {
    val pairs = JoinRules.pairs(join)
    val (left, right) = (of(join.left), of(join.right))
    val isForeign = Seq(join.left, join.right).forall(_.collectLeaves().forall(isTable)) &&
      (pairs.size < left.size || !pairs.forall { case (l, _) => left.exists(_.isMeantBy(l)) })
    if (isForeign) left
    else pairs.map { case (l, r) =>
      val below = left.filter(_.isMeantBy(l)) ++ right.filter(_.isMeantBy(r))
      val bare = !Seq(l, r).exists(_.isInstanceOf[Attribute])
      JoinKey(
        (Seq(l, r) ++ below.flatMap(_.same)).distinct,
        join.joinType == FullOuter || bare || below.exists(_.synthetic)
      )
    }
  }

  private def isTable(leaf: LogicalPlan): Boolean = leaf match {
    case r: StreamingRelationV2 => r.table match {
        case t: TopicTable => t.topic.kind == ObjectKind.Table
        case _ => false
      }
    case _ => false
  }

  /**
   * The expression that ROWKEY refers to in a parsed query over a join with a synthetic key column; None if the key is
   * one of the sources' columns.
   *
   * @param isColumn whether a name refers to a column, not to a field in a column
   */
  def synthetic(plan: LogicalPlan, isColumn: Expression => Boolean): Option[Expression] = plan match {
    case join: Join =>
      join.condition.toSeq.flatMap(JoinRules.conjuncts) match {
        case Seq(EqualTo(l, r)) =>
          val below = Seq(join.left, join.right).flatMap(synthetic(_, isColumn)).collect {
            case Coalesce(same) if same.contains(l) || same.contains(r) => same
          }.flatten
          if (join.joinType == FullOuter || !(isColumn(l) || isColumn(r)) || below.nonEmpty)
            Some(Coalesce((below ++ Seq(l, r)).distinct))
          else None
        case _ => None
      }
    case f: Filter => synthetic(f.child, isColumn)
    case w: Within => synthetic(w.child, isColumn)
    case _ => None
  }
}
