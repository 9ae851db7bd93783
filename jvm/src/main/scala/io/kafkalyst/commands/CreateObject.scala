package io.kafkalyst.commands

import io.kafkalyst.catalog._
import io.kafkalyst.catalog.define.{Evolution, ObjectDefinition, Replacement, SideSubjects}
import io.kafkalyst.errors.{KafkalystException, Redaction}
import io.kafkalyst.formats.Formats
import io.kafkalyst.lake.History
import io.kafkalyst.model._
import io.kafkalyst.model.settings.{Setting, Settings}
import io.kafkalyst.model.flink.FlinkProperties
import io.kafkalyst.streams.DerivedColumns
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.StringType

/** CREATE STREAM|TABLE over a topic. Creates topic, schemas and catalog entry, or none of them. */
final case class CreateObject(
    kind: ObjectKind,
    parts: Seq[String],
    columns: Seq[TopicColumn],
    properties: Seq[(String, String)],
    options: CreateOptions
) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("status" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    val store = new ObjectStore(session)
    val name = Commands.newName(store, parts)
    // In a cluster catalog, an object's topic defaults to its name.
    val said = History.named(session, Properties.checked(properties))
    val topic = Properties.topic.name
    val given = if (name.isOfCluster && !said.contains(topic)) said + (topic -> name.table) else said
    val topics = given.get(Properties.topic.name).toSeq.flatMap(FlinkProperties.list)
    val exclusive = Exclusive(name, topics)
    exclusive.hold(ObjectCreation.unlessThere(store, name, kind, options)(made(session, store, name, given, exclusive)))
      .getOrElse(Seq(Row(s"$kind $name already exists")))
  }

  private def made(
      session: SparkSession,
      store: ObjectStore,
      name: ObjectName,
      given: Map[String, String],
      exclusive: Exclusive
  ): Seq[Row] = {
    val settings = store.settings(name)
    val registry = () => ObjectDefinition.registry(settings)
    val admin = Commands.admin(settings)
    val making = new ObjectCreation(store, name, admin, registry, new Undo(exclusive))
    val leftOut = making.undo.guard {
      val topic = given.getOrElse(
        Properties.topic.name,
        throw KafkalystException("MISSING_PROPERTY", "property" -> Properties.topic.name, "doc" -> Properties.topic.doc)
      )
      // Validates everything before the first side effect.
      val exists = given.contains(FlinkProperties.topicPattern.name) || FlinkProperties.list(topic).map {
        ObjectCreation.topicExists(admin, _, given)
      }.reduce(_ && _)
      val defined = definition(session, settings, given)
      val before = ObjectCreation.replaced(store, name, defined, options, byQuery = false)
      if (!exists) making.createTopic(defined, given)
      making.createDeadLetterTopic(defined)
      val registered = making.registered(
        before.fold(defined)(old => Evolution.extended(defined, Replacement.added(old.topic, defined), registry)),
        always = false
      )
      val source = if (options.readOnly) Map(TopicObject.readOnly -> "true") else Map.empty
      making.store(registered.copy(options = registered.options ++ source), options.properties, options)
      SideSubjects.leftOut(registered, columns, registry)
    }
    val changes =
      if (kind == ObjectKind.Stream && Formats.events(given.getOrElse(Properties.valueFormat.name, "")).isDefined)
        "; its rows are changes: _op says what each does, and a TABLE has the rows as they are now"
      else ""
    val start = given.get(Properties.startMode.name).flatMap(FlinkProperties.startNote).fold("")("; " + _)
    val created = s"$kind $name created over topic ${given(Properties.topic.name)}$changes$start"
    val omitted =
      if (leftOut.isEmpty) Nil
      else Seq(s"fields of the schema that can be no columns are left out: ${leftOut.mkString("; ")}")
    val told = (created +: (omitted ++ making.warnings)).mkString("; ")
    if (omitted.nonEmpty) Commands.log.warn(told)
    Seq(Row(told))
  }

  /**
   * The object that the statement would create, after all checks that need no topic; its schemas are not registered.
   */
  private[commands] def definition(session: SparkSession, settings: Settings): TopicObject =
    definition(session, settings, History.named(session, Properties.checked(properties)))

  private def definition(session: SparkSession, settings: Settings, given: Map[String, String]): TopicObject = {
    ofSession(settings)
    val registry = () => ObjectDefinition.registry(settings)
    val properties = ObjectDefinition.withDefaults(given, settings)
    val plain = ObjectDefinition.of(kind, properties, columns, settings, registry, options.isFlink)
    val defined = ObjectDefinition.declaring(plain, options.derived.declared)
      .copy(computed = options.derived.computed, watermark = options.derived.watermark)
    DerivedColumns.check(session, defined)
    defined
  }

  /**
   * Flink sets brokers and registry in each statement, Kafkalyst in the session: rejects other addresses and secrets.
   */
  private def ofSession(settings: Settings): Unit = {
    def check(given: Option[String], setting: Setting, option: String): Unit = {
      given.filter(g => Redaction.address(g) != g).foreach { _ =>
        throw KafkalystException("SECRET_IN_DEFINITION", "property" -> option, "setting" -> setting.name)
      }
      def addresses(text: String) = text.split(',').map(_.trim.stripSuffix("/")).toSet
      given.filter(g => !settings.get(setting).exists(addresses(_) == addresses(g))).foreach { _ =>
        throw KafkalystException(
          "FLINK_OPTION",
          "option" -> option,
          "reason" -> s"it is set per session, and the session has another one: SET ${setting.name}"
        )
      }
    }
    check(options.brokers, Settings.bootstrapServers, "properties.bootstrap.servers")
    options.registries.foreach(url => check(Some(url), Settings.registryUrl, "avro-confluent.url"))
  }
}
