package io.kafkalyst.analyze
package tables

import java.util.Locale

import io.kafkalyst.catalog.{ObjectStore, TopicTable}
import io.kafkalyst.catalog.define.Growth
import io.kafkalyst.metadata.PseudoColumns
import io.kafkalyst.model.{MetadataColumn, Properties, TopicObject}
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.model.flink.FlinkProperties
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SetTableProperties}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.command.AlterTableSetPropertiesCommand

/**
 * Checks ALTER TABLE … SET TBLPROPERTIES of a Kafkalyst object: rejects client properties that a definition may not
 * contain, and a value of SCHEMA.EVOLUTION that would have no effect.
 */
final class CheckTableProperties(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    checked(plan)
    plan
  }

  // A statement is always at the top of its plan.
  private def checked(plan: LogicalPlan): Unit = plan match {
    case set: AlterTableSetPropertiesCommand =>
      val given = clients(set.properties)
      val evolution = evolutionIn(set.properties)
      val store = new ObjectStore(session)
      if ((given.isDefined || evolution.isDefined) && store.isTopic(set.tableName.nameParts)) {
        given.foreach(check)
        for (value <- evolution; found <- store.find(set.tableName.nameParts)) check(value, found.topic)
      }
    case set: SetTableProperties =>
      set.table match {
        case ResolvedTable(_, _, found: TopicTable, _) =>
          clients(set.properties).foreach(check)
          evolutionIn(set.properties).foreach(check(_, found.topic))
        case _ =>
      }
    case _ =>
  }

  private def check(given: Map[String, String]): Unit = Settings.of(session.conf.getAll).allowClients(given)

  /** A column is made by CREATE or ADD COLUMN, not by a property alone. */
  private def check(evolution: String, of: TopicObject): Unit = {
    val property = Properties.schemaEvolution
    property.require(evolution)
    val changed = of.copy(options = of.options + (property.name -> evolution))
    if (Properties.isAdding(changed)) Growth.fault(changed).foreach(reason => throw property.invalid(evolution, reason))
    val isRescuing = Properties.isRescuing(Map(property.name -> evolution))
    if (isRescuing && !of.columns.exists(PseudoColumns.isRescued)) throw property.invalid(
      evolution,
      s"there is no column for the fields: ALTER ${of.kind} … ADD COLUMN ${PseudoColumns.rescued.name} STRING METADATA " +
        s"FROM '${MetadataColumn.rescued}' VIRTUAL makes one"
    )
  }

  private def evolutionIn(properties: Map[String, String]): Option[String] =
    properties.collectFirst { case (name, value) if name.equalsIgnoreCase(Properties.schemaEvolution.name) => value }

  private def clients(properties: Map[String, String]): Option[Map[String, String]] = {
    val prefix = FlinkProperties.clientPrefix.toLowerCase(Locale.ROOT)
    val given = properties.map { case (name, value) => name.toLowerCase(Locale.ROOT) -> value }.collect {
      case (name, value) if name.startsWith(prefix) => name.stripPrefix(prefix) -> value
    }
    if (given.isEmpty) None else Some(given)
  }
}
