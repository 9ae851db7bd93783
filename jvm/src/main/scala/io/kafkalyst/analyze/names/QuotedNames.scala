package io.kafkalyst.analyze
package names

import io.kafkalyst.analyze.tables.TopicRelation
import io.kafkalyst.model.TopicColumn
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{CTERelationDef, CTERelationRef, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.types.StringType

/**
 * Resolves `"x"` as a column if a topic in scope has a column of exactly that name. Spark parses it as a string unless
 * `spark.sql.ansi.doubleQuotedIdentifiers` is on; its position in the text still shows the quotes.
 */
object QuotedNames extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (conf.doubleQuotedIdentifiers || TopicRelation.in(plan).isEmpty) plan
    else {
      val ctes = plan.collectWithSubqueries { case cte: CTERelationDef => cte.id -> cte }.toMap
      plan.transformUpWithSubqueries {
        case operator if operator.children.nonEmpty =>
          val topics = operator.children.flatMap(topicsIn(_, ctes))
          if (topics.isEmpty) operator
          else {
            operator.transformExpressions(asColumns(topics.flatMap(_.columns)))
          }
      }
    }

  /** The topics that a plan reads, including those behind CTEs; a recursive CTE is visited once. */
  private def topicsIn(plan: LogicalPlan, ctes: Map[Long, CTERelationDef]): Seq[TopicRelation] = plan.collect {
    case topic: TopicRelation => Seq(topic)
    case r: CTERelationRef => ctes.get(r.cteId).toSeq.flatMap(cte => topicsIn(cte.child, ctes - r.cteId))
  }.flatten

  /** Replaces double-quoted texts that name one of these columns with references. */
  def asColumns(columns: Seq[TopicColumn]): PartialFunction[Expression, Expression] = {
    val names = columns.map(_.name).toSet

    {
      case text: Literal if text.dataType == StringType && isInDoubleQuotes(text) && names(text.toString) =>
        CurrentOrigin.withOrigin(text.origin)(UnresolvedAttribute(Seq(text.toString)))
    }
  }

  private def isInDoubleQuotes(text: Literal): Boolean = (for {
    sql <- text.origin.sqlText
    from <- text.origin.startIndex
    if from < sql.length
  } yield sql.charAt(from) == '"').contains(true)
}
