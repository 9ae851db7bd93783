package io.kafkalyst.analyze
package tables

import io.kafkalyst.catalog.{ObjectName, ObjectStore}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.ResolvedNamespace
import org.apache.spark.sql.catalyst.expressions.{Alias, CaseWhen, EqualTo, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project, ShowTables}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.command.ShowTablesCommand

/** SHOW TABLES with the user's names of Kafkalyst objects whose catalog entries have other names. */
final class ShownTables(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case show: ShowTables =>
      show.namespace match {
        case in: ResolvedNamespace if in.catalog.name == ObjectName.sessionCatalog && in.namespace.size == 1 =>
          renamed(show, in.namespace.head)
        case _ => show
      }
    // The command under spark.sql.legacy.useV1Command.
    case show: ShowTablesCommand => renamed(show, show.databaseName.getOrElse(session.catalog.currentDatabase))
    case other => other
  }

  private def renamed(show: LogicalPlan, database: String): LogicalPlan = {
    val names = new ObjectStore(session).derived(database)
    if (names.isEmpty) show
    else Project(
      show.output.map {
        case a if a.name == "tableName" =>
          val branches = names.toSeq.sorted.map { case (entry, name) => EqualTo(a, Literal(entry)) -> Literal(name) }
          Alias(CaseWhen(branches, a), a.name)()
        case a => a
      },
      show
    )
  }
}
