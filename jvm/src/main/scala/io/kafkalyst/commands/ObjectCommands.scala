package io.kafkalyst.commands

import io.kafkalyst.catalog._
import io.kafkalyst.clients.{Connector, TopicAdmin}
import io.kafkalyst.errors.{Conditions, KafkalystException, Redaction}
import io.kafkalyst.formats.events.EventFormat
import io.kafkalyst.model._
import io.kafkalyst.model.flink.FlinkProperties
import io.kafkalyst.query._
import io.kafkalyst.streams.DerivedColumns
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.{DataType, StringType}
import org.slf4j.{Logger, LoggerFactory}

/**
 * What a CREATE says besides the object itself.
 *
 * @param isFlink whether it is in Flink's words, where columns keep their places
 * @param readOnly whether it is a SOURCE STREAM or TABLE
 * @param brokers those that the statement expects the session to have, as Flink names them in each statement
 * @param registries as the brokers, the registries
 * @param derived what is said of the columns beside their types
 * @param comment of the object
 */
final case class CreateOptions(
    replace: Boolean,
    ifNotExists: Boolean,
    isFlink: Boolean = false,
    brokers: Option[String] = None,
    readOnly: Boolean = false,
    registries: Seq[String] = Nil,
    derived: Derived = Derived(),
    comment: Option[String] = None
) {

  /** What the catalog's entry has beside the definition. */
  def properties: Map[String, String] = comment.map("comment" -> _).toMap
}

/** What a statement says of an object beside the columns of its records. */
final case class Derived(
    computed: Seq[ComputedColumn] = Nil,
    watermark: Option[Watermark] = None,
    declared: Seq[DeclaredColumn] = Nil
)

/** Shared by the commands: names, settings, and result columns. */
private[commands] object Commands {
  val log: Logger = LoggerFactory.getLogger("io.kafkalyst.commands")

  def output(columns: (String, DataType)*): Seq[Attribute] =
    columns.map { case (name, dataType) => AttributeReference(name, dataType)() }

  /** The result columns for a started query. */
  def startedOutput: Seq[Attribute] = output(
    "query_id" -> StringType,
    "name" -> StringType,
    "sink" -> StringType,
    "checkpoint" -> StringType,
    "state" -> StringType
  )

  def started(query: ContinuousQuery): Row =
    Row(query.id, query.streamingId, query.sink.toString, query.checkpoint, query.state)

  /** The catalog record of a new query. */
  def record(
      session: SparkSession,
      id: String,
      sink: SinkName,
      planned: PlannedQuery,
      checkpoint: String,
      text: String
  ): QueryRecord = {
    val store = new ObjectStore(session)
    QueryRecord(
      id,
      sink,
      planned.of.sources.flatMap(s => store.name(s.name.split("\\.", 2).toSeq)).distinct,
      checkpoint,
      text,
      catalog = session.catalog.currentCatalog(),
      database = session.catalog.currentDatabase.replace("`", ""),
      settings = QueryRecord.settingsOf(session),
      shape = planned.shape
    )
  }

  def settings(session: SparkSession): Settings = Settings.of(session.conf.getAll)

  def admin(settings: Settings): TopicAdmin = {
    Connector.require()
    TopicAdmin(settings.clientProperties)
  }

  def objectName(store: ObjectStore, parts: Seq[String]): ObjectName = inSession(store.name(parts), parts)

  /** The name of an object to be created. */
  def newName(store: ObjectStore, parts: Seq[String]): ObjectName = inSession(store.newName(parts), parts)

  private def inSession(name: Option[ObjectName], parts: Seq[String]): ObjectName =
    name.getOrElse(throw KafkalystException("NOT_IN_SESSION_CATALOG", "name" -> parts.mkString(".")))

  /** Throws READ_ONLY_SOURCE if it is a SOURCE STREAM or TABLE. */
  def writable(found: StoredObject, what: String): Unit =
    if (found.topic.options.contains(TopicObject.readOnly)) throw KafkalystException(
      "READ_ONLY_SOURCE",
      "kind" -> found.topic.kind.name,
      "name" -> found.name.toString,
      "what" -> what
    )

  /** The object; OBJECT_NOT_FOUND with the nearest name if there is no such Kafkalyst object. */
  def find(store: ObjectStore, parts: Seq[String]): StoredObject = store.find(parts).getOrElse {
    throw KafkalystException(
      "OBJECT_NOT_FOUND",
      "name" -> parts.mkString("."),
      "nearest" -> Conditions.nearest(parts.last, store.list().map(_.name.table))
    )
  }

  /** Throws WRONG_KIND if the object's kind is not the statement's. */
  def ofKind(found: StoredObject, wanted: ObjectKind, statement: String): Unit =
    if (found.topic.kind != wanted) {
      throw KafkalystException(
        "WRONG_KIND",
        "name" -> found.name.toString,
        "kind" -> found.topic.kind.name,
        "wanted" -> wanted.name,
        "statement" -> statement
      )
    }
}

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
    val said = Properties.checked(properties)
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
    ofSession(settings)
    val registry = () => ObjectDefinition.registry(settings)
    val admin = Commands.admin(settings)
    val making = new ObjectCreation(store, name, admin, registry, new Undo(exclusive))
    val leftOut = making.undo.orElse {
      val topic = given.getOrElse(
        Properties.topic.name,
        throw KafkalystException("MISSING_PROPERTY", "property" -> Properties.topic.name, "doc" -> Properties.topic.doc)
      )
      // Validates everything before the first side effect.
      val exists = given.contains(FlinkProperties.topicPattern.name) || FlinkProperties.list(topic).map {
        ObjectCreation.topicExists(admin, _, given)
      }.reduce(_ && _)
      val properties = ObjectDefinition.withDefaults(given, settings)
      val defined = ObjectDefinition.of(kind, properties, columns, settings, registry, options.isFlink)
        .copy(
          computed = options.derived.computed,
          watermark = options.derived.watermark,
          declared = options.derived.declared
        )
      DerivedColumns.check(session, defined)
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
      if (kind == ObjectKind.Stream && EventFormat.of(given.getOrElse(Properties.valueFormat.name, "")).isDefined)
        "; its rows are changes: _op says what each does, and a TABLE has the rows as they are now"
      else ""
    // Whoever asks for the newest records gets all of them from a read that ends.
    val start =
      if (given.get(Properties.startMode.name).exists(_.equalsIgnoreCase("latest-offset")))
        "; 'latest-offset' is where reads without end begin: a SELECT that ends reads from the earliest record on"
      else ""
    val created = s"$kind $name created over topic ${given(Properties.topic.name)}$changes$start"
    if (leftOut.isEmpty) Seq(Row(created))
    else {
      val told = s"$created; fields of the schema that can be no columns are left out: ${leftOut.mkString("; ")}"
      Commands.log.warn(told)
      Seq(Row(told))
    }
  }

  /** Flink names brokers and registry in each statement; here they are the session's. */
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

/** DROP STREAM|TABLE. Without a kind, it is Spark's own DROP TABLE of a Kafkalyst object. */
final case class DropObject(parts: Seq[String], kind: Option[ObjectKind], ifExists: Boolean, deleteTopic: Boolean)
    extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("status" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    val store = new ObjectStore(session)
    val name = Commands.objectName(store, parts)
    val topics = store.find(parts).toSeq.flatMap(_.topic.topics)
    Exclusive(name, topics).hold {
      if (ifExists && store.kindAt(name).isEmpty) Seq(Row(s"nothing of the name $name"))
      else dropped(session, store, name)
    }
  }

  private def dropped(session: SparkSession, store: ObjectStore, name: ObjectName): Seq[Row] = {
    val found = Commands.find(store, parts)
    kind.foreach(Commands.ofKind(found, _, "DROP"))
    if (deleteTopic) Commands.writable(found, "DELETE TOPIC")
    val (own, others) = ContinuousQueries.of(session, found.name).partition(q => q.sink.is(found.name) && !q.inserts)
    val settings = store.settings(found.name)
    // ksqlDB's queries never end: a query that reads from an object depends on it permanently.
    val readers = others.filter(_.isAlive || settings.isKsqldb) ++ own.filter(_.sources.contains(found.name))
    if (readers.nonEmpty) {
      throw KafkalystException(
        "OBJECT_IN_USE",
        "what" -> "dropped",
        "kind" -> found.topic.kind.name,
        "name" -> name.toString,
        "queries" -> readers.map(q => s"${q.id} (into ${q.sink}, ${q.state})").mkString(", "),
        "first" -> readers.head.id
      )
    }
    if (deleteTopic) unused(store, found)
    (own ++ others.filter(_.sink.is(found.name))).foreach(ContinuousQueries.terminate(session, _))
    val registry = () => ObjectDefinition.registry(settings)
    val subjects =
      if (deleteTopic && settings.get(Settings.registryUrl).isDefined)
        Side.all.flatMap(SideSubjects.of(found.topic, _, registry)).map(_._1)
      else Nil
    if (!deleteTopic || store.keeps(found.name)) store.drop(found.name)
    if (deleteTopic) {
      found.topic.topics.foreach(Commands.admin(settings).delete)
      // A subject named after a record may hold other topics' schemas, too.
      val elsewhere = if (subjects.isEmpty) Nil else store.listAll().map(_.topic).filter(_.topic != found.topic.topic)
      val shared = elsewhere.flatMap(o => Side.all.flatMap(SideSubjects.of(o, _, registry)).map(_._1)).toSet
      subjects.filterNot(shared).foreach(registry().delete)
      store.forget(found.name)
    }
    Seq(Row(s"${found.topic.kind} $name dropped" + (if (deleteTopic) s" with topic ${found.topic.topic}" else "")))
  }

  /** Throws TOPIC_IN_USE if another object uses the topic. */
  private def unused(store: ObjectStore, found: StoredObject): Unit = {
    val topic = found.topic.topic
    val users = store.listAll().filter(o => o.name != found.name && o.topic.topic == topic)
    if (users.nonEmpty) {
      throw KafkalystException(
        "TOPIC_IN_USE",
        "topic" -> topic,
        "name" -> found.name.toString,
        "kind" -> found.topic.kind.name,
        "users" -> users.map(o => s"${o.topic.kind} ${o.name}").mkString(", ")
      )
    }
  }
}
