package io.kafkalyst.analyze
package tables

import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.errors.KafkalystException
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, MonotonicallyIncreasingID, SubqueryExpression}
import org.apache.spark.sql.catalyst.plans.logical.{
  Aggregate,
  Except,
  Intersect,
  LogicalPlan,
  Offset,
  Sample,
  Sort,
  V2CreateTableAsSelectPlan,
  V2WriteCommand,
  Window
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.execution.command.{CreateDataSourceTableAsSelectCommand, DataWritingCommand}

/**
 * Refuses operators in unbounded queries that need all rows. Spark would refuse these only when the query starts, with
 * the plan as the message. Subqueries over topics get the condition SUBQUERY_IN_CONTINUOUS.
 */
object ContinuousShapes extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    written(plan).filter(readsTopic).foreach(_ => throw KafkalystException("EMIT_CHANGES_MISSING"))
    if (readsTopic(plan)) plan.foreach { operator =>
      whole(operator).foreach(no(_, operator.origin.line, operator.origin.startPosition))
      ungrouped(operator).foreach { column =>
        throw KafkalystException("NOT_GROUPED", "column" -> column.name).at(
          column.origin.line,
          column.origin.startPosition
        )
      }
      operator.expressions.foreach(_.foreach(check))
    }
    plan
  }

  /** The query of a statement that writes its rows once. */
  private def written(statement: LogicalPlan): Option[LogicalPlan] = statement match {
    case into: V2WriteCommand => Some(into.query)
    case into: DataWritingCommand => Some(into.query)
    case as: V2CreateTableAsSelectPlan => Some(as.query)
    case as: CreateDataSourceTableAsSelectCommand => Some(as.query)
    case _ => None
  }

  private def whole(operator: LogicalPlan): Option[String] = operator match {
    // Spark sorts groups in output mode complete.
    case sort: Sort if sort.child.isStreaming && !sort.exists(isGrouping) =>
      Some(if (sort.global) "ORDER BY" else "SORT BY")
    case sample: Sample if sample.child.isStreaming => Some("TABLESAMPLE")
    case offset: Offset if offset.child.isStreaming => Some("OFFSET")
    case except: Except if except.right.isStreaming => Some("EXCEPT")
    case over: Window if over.child.isStreaming =>
      Some(
        "A window function, … OVER (…), of other rows than those before each in the order of the WATERMARK's column,"
      )
    case both: Intersect if both.left.isStreaming && both.right.isStreaming => Some("INTERSECT")
    // Not in Spark 4.0.
    case loop if loop.getClass.getSimpleName == "UnionLoop" => Some("WITH RECURSIVE")
    case _ => None
  }

  /** A column in an aggregate's result that is neither grouped nor aggregated. */
  private def ungrouped(operator: LogicalPlan): Option[Attribute] = operator match {
    case grouped: Aggregate if grouped.resolved =>
      def of(expression: Expression): Option[Attribute] = expression match {
        case _: AggregateExpression => None
        case key if grouped.groupingExpressions.exists(_.semanticEquals(key)) => None
        case column: Attribute => Some(column)
        case other => other.children.flatMap(of).headOption
      }
      grouped.aggregateExpressions.flatMap(of).headOption
    case _ => None
  }

  private def isGrouping(plan: LogicalPlan) = plan.isInstanceOf[Aggregate] && plan.isStreaming

  private def check(expression: Expression): Unit = expression match {
    case subquery: SubqueryExpression if readsTopic(subquery.plan) =>
      throw KafkalystException("SUBQUERY_IN_CONTINUOUS").at(subquery.origin.line, subquery.origin.startPosition)
    case id: MonotonicallyIncreasingID => no(s"${id.prettyName}()", id.origin.line, id.origin.startPosition)
    case _ =>
  }

  private def no(what: String, line: Option[Int], position: Option[Int]): Nothing =
    throw KafkalystException("NOT_WITHOUT_END", "what" -> what).at(line, position)

  private def readsTopic(plan: LogicalPlan) = plan.isStreaming && plan.collectLeaves().exists {
    case relation: StreamingRelationV2 => relation.table.isInstanceOf[TopicTable]
    // In a command that keeps its query apart.
    case _: TopicRelation => true
    case _ => false
  }
}
