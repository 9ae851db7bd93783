package io.kafkalyst.analyze
package names

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, ExprId}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.{ColumnarRule, SparkPlan}

/**
 * Gives the columns of a physical plan the user's names, for EXPLAIN and the UI. Physical plans resolve nothing by
 * name, so colliding names are harmless.
 */
object ShownNames extends Rule[SparkPlan] {

  /** The same for plans without adaptive execution, such as streams, and for adaptive query stages. */
  object InStages extends ColumnarRule {
    override def preColumnarTransitions: Rule[SparkPlan] = ShownNames
  }

  override def apply(plan: SparkPlan): SparkPlan = {
    val columns = plan.collectLeaves().flatMap(_.output).filter(KnownNames.isRenamed).map(a => a.exprId -> a).toMap
    if (columns.isEmpty) plan else shown(plan, e => new KnownNames().fields(withMetadata(e, columns)))
  }

  /** Pruned columns have lost their metadata. */
  private def withMetadata(e: Expression, columns: Map[ExprId, Attribute]) =
    e.transform {
      case a: Attribute if !KnownNames.isRenamed(a) && columns.contains(a.exprId) =>
        a.withMetadata(columns(a.exprId).metadata)
    }

  private def shown(operator: SparkPlan, rename: Expression => Expression): SparkPlan = {
    val children = operator.children.map(shown(_, rename))
    // Scans that differ only in column names are equal, and Spark keeps equal children, so children are replaced
    // explicitly.
    val renamed =
      if (children.corresponds(operator.children)(_ eq _)) operator
      else {
        val anew = operator.children.zip(children)
        def instead(part: Any): Any = part match {
          case child: SparkPlan => anew.collectFirst { case (old, now) if old eq child => now }.getOrElse(child)
          case several: Seq[_] => several.map(instead)
          case other => other
        }
        operator.makeCopy(operator.productIterator.map(instead(_).asInstanceOf[AnyRef]).toArray)
      }
    renamed.mapExpressions(rename)
  }
}
