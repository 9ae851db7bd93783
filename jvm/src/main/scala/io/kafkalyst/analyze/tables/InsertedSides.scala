package io.kafkalyst.analyze
package tables

import io.kafkalyst.model.{Side, TopicObject}
import org.apache.spark.sql.catalyst.analysis.{
  UnresolvedAttribute,
  UnresolvedExtractValue,
  UnresolvedSubqueryColumnAliases
}
import org.apache.spark.sql.catalyst.expressions.{Alias, Literal, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, SubqueryAlias}

/** `INSERT INTO t (ROWKEY, ROWVALUE)`: structs of all columns of a side, instead of single columns. */
private[tables] object InsertedSides {

  /** The expanded column names, and the query with one column for each; None if the list contains no side. */
  def apply(topic: TopicObject, given: Seq[String], query: LogicalPlan): Option[(Seq[String], LogicalPlan)] =
    if (given.forall(sideOf(topic, _).isEmpty)) None
    else {
      val values: Seq[NamedExpression] = given.flatMap { name =>
        val value = UnresolvedAttribute(Seq(name))
        sideOf(topic, name).fold[Seq[NamedExpression]](Seq(value))(topic.columns(_).map(column =>
          Alias(UnresolvedExtractValue(value, Literal(column.name)), column.name)()
        ))
      }
      val named = SubqueryAlias("rows", UnresolvedSubqueryColumnAliases(given, query))
      Some(values.map(_.name) -> Project(values, named))
    }

  /** The side that a name refers to, unless a column has the same name. */
  private def sideOf(topic: TopicObject, name: String): Option[Side] =
    if (topic.columns.exists(_.name.equalsIgnoreCase(name))) None
    else Side.all.find(side => TopicRelation.viewName(side).equalsIgnoreCase(name) && topic.columns(side).nonEmpty)
}
