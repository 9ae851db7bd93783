package io.kafkalyst.analyze

import io.kafkalyst.model.TopicColumn
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}

/**
 * Gives the columns of a plan that is ready to run the names that the user knows, for EXPLAIN and the UI. Nothing is
 * found by name there any more, so names that collide do no harm.
 */
object ShownNames extends Rule[SparkPlan] {

  /** The same for what runs without adaptive execution, as streams do, and for its stages. */
  object InStages extends ColumnarRule {
    override def preColumnarTransitions: Rule[SparkPlan] = ShownNames
  }

  override def apply(plan: SparkPlan): SparkPlan = {
    val names = plan.collectLeaves().flatMap(_.output).collect {
      case a if a.metadata.contains(TopicColumn.nameKey) => a.exprId -> TopicColumn.nameOf(a.name, a.metadata)
    }.toMap
    if (names.isEmpty) plan
    else
      plan.transformUp { case operator =>
        operator.transformExpressions {
          case a: AttributeReference if names.contains(a.exprId) => a.withName(names(a.exprId))
        }
      }
  }
}
