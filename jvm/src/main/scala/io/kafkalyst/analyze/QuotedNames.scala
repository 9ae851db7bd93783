package io.kafkalyst.analyze

import io.kafkalyst.model.TopicColumn
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.types.StringType

/**
 * Reads `"x"` as a column where a topic in scope has a column of exactly that name. Spark parses it as a string unless
 * `spark.sql.ansi.doubleQuotedIdentifiers` is on; its place in the text still shows the quotes.
 */
object QuotedNames extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (conf.doubleQuotedIdentifiers) plan
    else
      plan.transformUpWithSubqueries {
        case operator if operator.children.nonEmpty =>
          val topics = operator.children.flatMap(_.collect { case topic: TopicRelation => topic })
          if (topics.isEmpty) operator
          else {
            operator.transformExpressions(asColumns(topics.flatMap(_.columns)))
          }
      }

  /** Puts references in the place of texts in double quotes that are names of these columns. */
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
