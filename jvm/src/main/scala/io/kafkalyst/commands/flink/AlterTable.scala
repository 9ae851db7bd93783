package io.kafkalyst.commands
package flink

import io.kafkalyst.catalog.ObjectStore
import io.kafkalyst.catalog.define.{Evolution, ObjectDefinition, RegistrationListener}
import io.kafkalyst.commands.show.FlinkStatement
import io.kafkalyst.model._
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.model.flink.FlinkProperties
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.StringType

/**
 * Flink's ALTER TABLE: replaces the table by the one that the changed CREATE statement would create. Changes the
 * definition, and the schemas for writing, but no records.
 *
 * @param kind STREAM, or TABLE for both, as Flink has only tables
 */
final case class AlterTable(kind: ObjectKind, parts: Seq[String], ifExists: Boolean, change: TableChange)
    extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("status" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    val store = new ObjectStore(session)
    if (ifExists && store.find(parts).isEmpty) Seq(Row(s"$kind ${parts.mkString(".")} does not exist"))
    else {
      val meant = if (kind == ObjectKind.Table) Commands.find(store, parts).topic.kind else kind
      val (name, _, after) = AlterObject(session, meant, parts, "TABLE") { (found, settings) =>
        val before = found.topic
        val (elements, options) = FlinkStatement.parts(found.name.table, before, settings(Settings.bootstrapServers))
        val (changed, set) =
          new TableEdit(found.name.toString, before, elements, options, uses(session, before))(change)
        val head = s"CREATE TABLE ${parts.map(quoteIdentifier).mkString(".")}"
        val statement = FlinkStatement.write(head, changed, set)
        val defined = session.sessionState.sqlParser.parsePlan(statement) match {
          case create: CreateObject => create.definition(session, settings)
        }
        if (defined.topic != before.topic) FlinkProperties.list(defined.topic).filter(_ => defined.pattern.isEmpty)
          .foreach(ObjectCreation.topicExists(Commands.admin(settings), _, Map.empty))
        registered(before, defined, settings)
      }
      val note = after.options.get(Properties.startMode.name).filter(_ => change.isInstanceOf[TableChange.SetOptions])
        .flatMap(FlinkProperties.startNote).fold("")("; " + _)
      Seq(Row(s"${after.kind} $name altered$note"))
    }
  }

  /** The first name parts of all references, by computed column. */
  private def uses(session: SparkSession, o: TopicObject): Map[String, Set[String]] = o.computed.map { c =>
    val expression = session.sessionState.sqlParser.parseExpression(c.sql)
    c.name -> expression.collect { case a: UnresolvedAttribute => a.nameParts.head }.toSet
  }.toMap

  /**
   * An unchanged side keeps its schema; added value columns extend the schema; otherwise a new schema is registered.
   */
  private def registered(before: TopicObject, after: TopicObject, settings: Settings): TopicObject = {
    val registry = () => ObjectDefinition.registry(settings)
    def kept(side: Side, isSame: Boolean) = {
      val format = after.format(side)
      if (
        isSame && after.topic == before.topic && format.copy(schemaId = None) == before.format(side).copy(schemaId =
          None
        )
      ) format.copy(schemaId = before.format(side).schemaId)
      else format
    }
    val (old, now) = (before.columns(Side.Value), after.columns(Side.Value))
    val added = now.filterNot(old.contains)
    val key = kept(Side.Key, before.columns(Side.Key) == after.columns(Side.Key))
    val value = kept(Side.Value, now.filter(old.contains) == old)
    val extended =
      if (value.schemaId.isEmpty) after.copy(key = key, value = value)
      else Evolution.extended(after.copy(key = key, value = value), added, registry)
    ObjectDefinition.registered(extended, always = true, registry, RegistrationListener.Ignore)
  }
}
