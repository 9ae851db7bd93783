package io.kafkalyst.analyze
package tables

import java.util.Locale

import io.kafkalyst.catalog.{ObjectStore, TopicTable}
import io.kafkalyst.model.Settings
import io.kafkalyst.model.flink.FlinkProperties
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SetTableProperties}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.command.AlterTableSetPropertiesCommand

/**
 * Checks ALTER TABLE … SET TBLPROPERTIES of a Kafkalyst object: rejects client properties that a definition may not
 * contain.
 */
final class CheckTableProperties(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    checked(plan)
    plan
  }

  // A statement is always at the top of its plan.
  private def checked(plan: LogicalPlan): Unit = plan match {
    case set: AlterTableSetPropertiesCommand =>
      clients(set.properties).foreach { given =>
        if (new ObjectStore(session).isTopic(set.tableName.nameParts)) check(given)
      }
    case set: SetTableProperties =>
      set.table match {
        case found: ResolvedTable if found.table.isInstanceOf[TopicTable] => clients(set.properties).foreach(check)
        case _ =>
      }
    case _ =>
  }

  private def check(given: Map[String, String]): Unit = Settings.of(session.conf.getAll).allowClients(given)

  private def clients(properties: Map[String, String]): Option[Map[String, String]] = {
    val prefix = FlinkProperties.clientPrefix.toLowerCase(Locale.ROOT)
    val given = properties.map { case (name, value) => name.toLowerCase(Locale.ROOT) -> value }.collect {
      case (name, value) if name.startsWith(prefix) => name.stripPrefix(prefix) -> value
    }
    if (given.isEmpty) None else Some(given)
  }
}
