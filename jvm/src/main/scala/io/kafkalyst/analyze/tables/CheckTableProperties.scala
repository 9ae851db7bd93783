package io.kafkalyst.analyze
package tables

import java.util.Locale

import io.kafkalyst.catalog.{ObjectCodec, ObjectStore, TopicTable}
import io.kafkalyst.catalog.define.Growth
import io.kafkalyst.metadata.PseudoColumns
import io.kafkalyst.model.{MetadataColumn, Properties, TopicObject}
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.model.flink.FlinkProperties
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SetTableProperties, UnsetTableProperties}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.command.{AlterTableSetPropertiesCommand, AlterTableUnsetPropertiesCommand}

/**
 * Checks ALTER TABLE … SET and UNSET TBLPROPERTIES of a Kafkalyst object: rejects client properties that a definition
 * may not contain, a value of SCHEMA.EVOLUTION that would have no effect, and what would make another object of it.
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
      changed(set.tableName.nameParts)(_ ++ lower(set.properties))
    case unset: AlterTableUnsetPropertiesCommand => changed(unset.tableName.nameParts)(_ -- lower(unset.propKeys))
    case set: SetTableProperties =>
      set.table match {
        case t @ ResolvedTable(_, _, found: TopicTable, _) =>
          clients(set.properties).foreach(check)
          evolutionIn(set.properties).foreach(check(_, found.topic))
          changed(partsOf(t))(_ ++ lower(set.properties))
        case _ =>
      }
    case unset: UnsetTableProperties =>
      unset.table match {
        case t @ ResolvedTable(_, _, _: TopicTable, _) => changed(partsOf(t))(_ -- lower(unset.propertyKeys))
        case _ =>
      }
    case _ =>
  }

  /** A cluster's catalog checks what it is given itself. */
  private def changed(parts: Seq[String])(change: Map[String, String] => Map[String, String]): Unit = {
    val store = new ObjectStore(session)
    if (store.isTopic(parts)) store.find(parts).filterNot(_.name.isOfCluster)
      .foreach(found => ObjectCodec.checkChange(found, change(found.properties)))
  }

  private def partsOf(t: ResolvedTable): Seq[String] =
    t.catalog.name +: t.identifier.namespace.toSeq :+ t.identifier.name

  private def lower(names: Seq[String]) = names.map(_.toLowerCase(Locale.ROOT))

  private def lower(properties: Map[String, String]) =
    properties.map { case (name, value) => name.toLowerCase(Locale.ROOT) -> value }

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
    val given = lower(properties).collect {
      case (name, value) if name.startsWith(prefix) => name.stripPrefix(prefix) -> value
    }
    if (given.isEmpty) None else Some(given)
  }
}
