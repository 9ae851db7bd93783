package io.kafkalyst.analyze
package tables

import io.kafkalyst.errors.KafkalystException
import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedInlineTable}
import org.apache.spark.sql.catalyst.plans.logical.{InsertIntoStatement, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule

/**
 * Reports unresolved names in the VALUES for a topic, after variables are resolved: most often they are strings in
 * double quotes.
 */
object NamesAmongValues extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    plan.foreach {
      case insert: InsertIntoStatement if TopicRelation.isIn(insert.table) => check(insert.query)
      case _ =>
    }
    plan
  }

  private def check(query: LogicalPlan): Unit = query.foreach {
    case table: UnresolvedInlineTable =>
      table.rows.flatten.flatMap(_.collect { case name: UnresolvedAttribute => name }).headOption.foreach { name =>
        val text = name.nameParts.mkString(".")
        throw KafkalystException("NAME_AMONG_VALUES", "name" -> text, "text" -> s"'${text.replace("'", "''")}'")
          .at(name.origin.line, name.origin.startPosition)
      }
    case _ =>
  }
}
