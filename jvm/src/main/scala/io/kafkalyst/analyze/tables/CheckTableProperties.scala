package io.kafkalyst.analyze
package tables

import java.util.Locale

import io.kafkalyst.catalog.{ObjectCodec, ObjectName, ObjectStore, StoredObject, TopicTable}
import io.kafkalyst.catalog.cluster.UnreadableTopic
import io.kafkalyst.catalog.define.Growth
import io.kafkalyst.commands.{AlterFormats, AlterTopic}
import io.kafkalyst.lake.History
import io.kafkalyst.metadata.PseudoColumns
import io.kafkalyst.model.{EntryProperties, MetadataColumn, Properties, TopicObject}
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.model.flink.{FlinkChanges, FlinkProperties}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SetTableProperties, UnsetTableProperties}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.catalog.Identifier
import org.apache.spark.sql.execution.command.{AlterTableSetPropertiesCommand, AlterTableUnsetPropertiesCommand}

/**
 * Checks ALTER TABLE … SET and UNSET TBLPROPERTIES of a Kafkalyst object. Rejects what a WITH clause rejects, but for
 * names of users' own properties, client properties that a definition must not contain, a value of SCHEMA.EVOLUTION
 * without effect, and changes that would make it another object. Validates a new format as CREATE does. In the session
 * catalog, uses Spark's V1 command, because the V2 command loses the entry's comment.
 */
final class CheckTableProperties(session: SparkSession) extends Rule[LogicalPlan] {
  // A statement is always the root of its plan.
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case set: AlterTableSetPropertiesCommand => stored(set.tableName).fold(plan)(checked(_, set))
    case unset: AlterTableUnsetPropertiesCommand =>
      stored(unset.tableName).fold(plan)(checked(_, unset))
    case set: SetTableProperties =>
      set.table match {
        case ResolvedTable(catalog, at, found: TopicTable, _) =>
          if (catalog.name == ObjectName.sessionCatalog)
            apply(AlterTableSetPropertiesCommand(inSession(at), set.properties, isView = false))
          else {
            // A cluster's catalog checks all other properties itself.
            check(set.properties, found.topic)
            plan
          }
        case ResolvedTable(catalog, at, _: UnreadableTopic, _) =>
          val said = Properties.checked(set.properties.toSeq.filter { case (name, _) => Properties.isOne(name) })
          new ObjectStore(session).find(catalog.name +: at.namespace.toSeq :+ at.name, said)
            .foreach(found => check(set.properties, found.topic))
          plan
        case _ => plan
      }
    case unset: UnsetTableProperties =>
      unset.table match {
        case ResolvedTable(catalog, at, _: TopicTable, _) if catalog.name == ObjectName.sessionCatalog =>
          apply(AlterTableUnsetPropertiesCommand(inSession(at), unset.propertyKeys, ifExists = true, isView = false))
        case _ => plan
      }
    case _ => plan
  }

  private def inSession(at: Identifier) = TableIdentifier(at.name, at.namespace.lastOption)

  private def stored(name: TableIdentifier): Option[StoredObject] =
    new ObjectStore(session).readable(name.nameParts).filterNot(_.name.isOfCluster)

  private def checked(of: StoredObject, set: AlterTableSetPropertiesCommand): LogicalPlan = {
    check(set.properties, of.topic)
    FlinkChanges.check(set.properties, of.topic)
    EntryProperties.checked(set.properties.toSeq)
    val (formats, others) = set.properties.partition { case (name, _) => AlterFormats.isOne(name) }
    ObjectCodec.checkChange(of.name.toString, of.topic, of.properties, of.properties ++ lower(others))
    if (formats.nonEmpty) AlterFormats(set.tableName.nameParts, set.properties)
    else {
      val stored =
        AlterTableSetPropertiesCommand(set.tableName, History.named(session, set.properties.map(asStored)), set.isView)
      val topics = set.properties.collect { case (name, value) if AlterTopic.isOne(name) => name -> Option(value) }
      if (topics.isEmpty) stored else AlterTopic(set.tableName.nameParts, topics, stored)
    }
  }

  // The entry has each name once, so another case would have no effect.
  private def asStored(property: (String, String)): (String, String) = property match {
    case (name, value) if EntryProperties.isOne(name) => name.toLowerCase(Locale.ROOT) -> value
    case others => others
  }

  private def checked(of: StoredObject, unset: AlterTableUnsetPropertiesCommand): LogicalPlan = {
    val after = of.properties -- unset.propKeys.map(_.toLowerCase(Locale.ROOT))
    ObjectCodec.checkChange(of.name.toString, of.topic, of.properties, after)
    val topics = unset.propKeys.filter(AlterTopic.isOne).map(_ -> None).toMap
    if (topics.isEmpty) unset else AlterTopic(unset.tableName.nameParts, topics, unset)
  }

  private def check(properties: Map[String, String], of: TopicObject): Unit = {
    clients(properties).foreach(check)
    evolutionIn(properties).foreach(check(_, of))
  }

  private def lower(properties: Map[String, String]) =
    properties.map { case (name, value) => name.toLowerCase(Locale.ROOT) -> value }

  private def check(given: Map[String, String]): Unit = Settings.of(session.conf.getAll).allowClients(given)

  /** SCHEMA.EVOLUTION cannot add the column that it needs: CREATE or ADD COLUMN must. */
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
