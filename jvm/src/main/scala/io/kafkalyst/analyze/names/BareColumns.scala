package io.kafkalyst.analyze
package names

import io.kafkalyst.analyze.tables.TopicRelation
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreeNodeTag

/**
 * Resolves `s->f`, where a source `s` has a column of its own name, as field `f` of that column; Spark would find the
 * source's column `f`.
 */
object BareColumns extends Rule[LogicalPlan] {

  /**
   * Replaces the arrow after a name without a qualifier; as long as the arrow, and distinguishable from a dot in the
   * text.
   */
  private[kafkalyst] val arrow = ".\t"

  private val isOwned = TreeNodeTag[Unit]("kafkalyst_owned")

  private val marked = "(?s)^(?:`(?:[^`]|``)+`|[^\\s.`]+)\\.\t.*".r

  override def apply(plan: LogicalPlan): LogicalPlan = if (TopicRelation.in(plan).isEmpty) plan else named(plan)

  private def named(plan: LogicalPlan): LogicalPlan = plan.transformUpWithSubqueries {
    case operator if operator.children.nonEmpty =>
      val names = operator.children.flatMap(ofBoth)
      if (names.isEmpty) operator
      else
        operator.transformExpressions {
          case a: UnresolvedAttribute
              if a.nameParts.size > 1 && names.exists(_.equalsIgnoreCase(a.nameParts.head)) && isMarked(a) &&
                a.getTagValue(isOwned).isEmpty =>
            val owned = ResolveFields.attribute(a.nameParts.head +: a.nameParts, a)
            owned.setTagValue(isOwned, ())
            owned
        }
  }

  /** The names of the sources that have a column of their own name. */
  private def ofBoth(plan: LogicalPlan): Seq[String] = plan match {
    case SubqueryAlias(id, child) if columnsOf(child).nonEmpty =>
      Seq(id.name).filter(name => columnsOf(child).exists(_.equalsIgnoreCase(name)))
    case other => other.children.flatMap(ofBoth)
  }

  private def columnsOf(plan: LogicalPlan): Seq[String] = plan match {
    case topic: TopicRelation => topic.columns.map(_.name)
    case SubqueryAlias(_, child) => columnsOf(child)
    case _ => Nil
  }

  private def isMarked(a: UnresolvedAttribute): Boolean = (for {
    sql <- a.origin.sqlText
    from <- a.origin.startIndex
    if from < sql.length
  } yield marked.matches(sql.substring(from))).contains(true)
}
