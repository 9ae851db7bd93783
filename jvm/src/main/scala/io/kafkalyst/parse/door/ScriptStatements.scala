package io.kafkalyst.parse
package door

import org.apache.spark.sql.catalyst.analysis.PlanWithUnresolvedIdentifier
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.plans.logical.{CompoundBody, CompoundPlanStatement, LogicalPlan, SingleStatement}
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.catalyst.trees.TreePattern.PARAMETER

/** The statements of Spark's scripts. */
private[parse] object ScriptStatements {

  /** Any name: a statement that is known when it runs has Spark's node for names that are known then. */
  private val name = "statement"

  /**
   * The script with the statements that may have another meaning in Kafkalyst's language. They get it when they run,
   * because names mean what the statements before have made of them: a script may create objects, and change the
   * schema. Spark's own transformations of a script lose its handlers, so it is rebuilt from its parts.
   *
   * @param isMeant whether a statement may have another meaning
   * @param meaning the meaning of a statement's text and plan
   */
  def late(script: CompoundBody, isMeant: LogicalPlan => Boolean)(
      meaning: (String, LogicalPlan) => LogicalPlan
  ): LogicalPlan = {
    def rebuilt(part: CompoundPlanStatement): LogicalPlan =
      part.makeCopy(part.productIterator.map(of(_).asInstanceOf[AnyRef]).toArray)
    def of(part: Any): Any = part match {
      case statement: SingleStatement =>
        if (!isMeant(statement.parsedPlan)) statement
        else CurrentOrigin.withOrigin(statement.origin)(SingleStatement(whenRun(statement)))
      case other: CompoundPlanStatement => rebuilt(other)
      case many: Seq[_] => many.map(of)
      case maybe: Option[_] => maybe.map(of)
      case other => other
    }
    def whenRun(statement: SingleStatement): LogicalPlan = {
      val (text, plan) = (statement.getText, statement.parsedPlan)
      // Spark 4.0 binds a script's arguments in the plan, and would not find those of a statement that is not made yet.
      if (plan.containsPattern(PARAMETER)) meaning(text, plan)
      else new PlanWithUnresolvedIdentifier(Literal(name), Nil, (_, _) => meaning(text, plan))
    }
    rebuilt(script)
  }
}
