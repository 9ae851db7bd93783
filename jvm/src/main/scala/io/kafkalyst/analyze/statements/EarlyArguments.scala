package io.kafkalyst.analyze.statements

import org.apache.spark.sql.catalyst.analysis.{BindParameters, ParameterizedQuery, RelationTimeTravel}
import org.apache.spark.sql.catalyst.plans.logical.{DeleteFromTable, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.PARAMETER

/**
 * Binds arguments of `spark.sql(text, args)` where the next rules need values: the keys of a DELETE, and the time of
 * AS OF. Spark 4.0 binds them while it resolves names; later versions write them into the text.
 */
object EarlyArguments extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case query: ParameterizedQuery if needsValues(query.child) => BindParameters(query)
    case _ => plan
  }

  private def needsValues(statement: LogicalPlan) = statement.isInstanceOf[DeleteFromTable] ||
    statement.collectWithSubqueries { case past: RelationTimeTravel => past }.exists(_.containsPattern(PARAMETER))
}
