package io.kafkalyst.streams

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Cast, Expression, NamedExpression}
import org.apache.spark.sql.catalyst.optimizer.InlineCTE
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.types.DataType

/**
 * An analysed query with its views and CTEs inlined as subqueries. Spark aliases their columns, which hides the
 * source's columns, and casts a view's columns even to their own type.
 */
private[kafkalyst] object InlinedQuery {
  def apply(plan: LogicalPlan): LogicalPlan = {
    val inlined = InlineCTE(alwaysInline = true)(plan).transform { case p: Project =>
      p.copy(projectList = p.projectList.map(uncast))
    }
    val columns = inlined.collectLeaves().flatMap(_.output).map(_.exprId)
    // A source that is read twice may have the same attributes on both sides, which only the aliases distinguish.
    if (columns.distinct.size < columns.size) inlined
    else inlined.transformUpWithNewOutput {
      case p: Project if p.projectList.exists(source(_).isDefined) =>
        val plain = p.copy(projectList = p.projectList.map(column => source(column).getOrElse(column)))
        plain -> p.output.zip(plain.output)
    }
  }

  private def uncast(column: NamedExpression): NamedExpression = column match {
    case a @ Alias(cast: Cast, _) if isImplicit(cast) =>
      a.withNewChildren(Seq(cast.child)).asInstanceOf[NamedExpression]
    case other => other
  }

  private def isImplicit(cast: Cast) = cast.getTagValue(Cast.USER_SPECIFIED_CAST).isEmpty &&
    DataType.equalsIgnoreNullability(cast.child.dataType, cast.dataType)

  /** The column that an alias renames to its own name; None for other expressions. */
  private def source(column: Expression): Option[Attribute] = column match {
    case a @ Alias(source: Attribute, name) if name == source.name && a.explicitMetadata.forall(_ == source.metadata) =>
      Some(source)
    case _ => None
  }
}
