package io.kafkalyst.analyze
package names

import io.kafkalyst.model.TopicColumn
import org.apache.spark.sql.catalyst.analysis.ResolvedIdentifier
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{Command, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types.MetadataBuilder

/** Renames a query's result from internal to the user's column names. Runs last. */
object ExternalNames extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.resolved) plan
    else
      plan match {
        case command: Command => command.mapChildren(named)
        case query => named(query)
      }

  private def named(query: LogicalPlan): LogicalPlan =
    // The identifier of a table being created has that table's columns as its output.
    if (query.isInstanceOf[ResolvedIdentifier] || !query.output.exists(_.metadata.contains(TopicColumn.nameKey))) query
    else Project(query.output.map(external), query)

  private def external(a: Attribute): NamedExpression =
    if (!a.metadata.contains(TopicColumn.nameKey)) a
    else {
      val column = TopicColumn.of(a)
      val metadata = new MetadataBuilder().withMetadata(a.metadata).remove(TopicColumn.nameKey)
        .remove(TopicColumn.internalKey).remove(TopicColumn.typeKey).build()
      // Renames the attribute itself, so that sorts and filters above still refer to it.
      if (column.dataType == a.dataType) a.withName(column.name).withMetadata(metadata)
      else Alias(WithNames(a, column.dataType), column.name)(explicitMetadata = Some(metadata))
    }
}
