package io.kafkalyst.commands

import io.kafkalyst.catalog._
import io.kafkalyst.clients.{Connector, TopicAdmin}
import io.kafkalyst.errors.{Conditions, KafkalystException}
import io.kafkalyst.model._
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.query._
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.types.{DataType, StringType}
import org.slf4j.{Logger, LoggerFactory}

import scala.util.Try

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
    "state" -> StringType,
    "notes" -> StringType
  )

  /** The result for a started query; no notes are NULL. */
  def started(query: ContinuousQuery, notes: Seq[String]): Row = Row(
    query.id,
    query.streamingId,
    query.sink.toString,
    query.checkpoint,
    query.state,
    if (notes.isEmpty) null else notes.mkString("; ")
  )

  /**
   * The result of a statement with IF NOT EXISTS that starts no query, because its sink exists. Its notes name the
   * queries into the sink that have failed, as that of the same statement may have; NULL if there are none.
   *
   * @param name the sink's name, as the result shows it
   */
  def notStarted(session: SparkSession, sink: SinkName, name: String): Row = {
    val notes = queriesInto(session, sink).filter(_.state == QueryRecord.failed).map { q =>
      s"${q.id} into it has FAILED: RESUME ${q.record.word} continues it where it stopped"
    }
    notes.foreach(note => log.warn(s"$name already exists, and $note"))
    Row(null, name, null, null, "already exists", if (notes.isEmpty) null else notes.mkString("; "))
  }

  /** The queries into a sink, by any of its names. */
  private[commands] def queriesInto(session: SparkSession, sink: SinkName): Seq[ContinuousQuery] = {
    val isInto = sink match {
      case SinkName.OfObject(name) =>
        val names = new ObjectStore(session).names(name)
        (other: SinkName) => names.exists(other.is)
      case table: SinkName.OfTable => (other: SinkName) => other == table
    }
    ContinuousQueries.all(session).filter(q => isInto(q.sink))
  }

  /** @param what the action that is refused while the queries need the object */
  def inUse(found: StoredObject, what: String, queries: Seq[ContinuousQuery]): KafkalystException = KafkalystException(
    "OBJECT_IN_USE",
    "what" -> what,
    "kind" -> found.topic.kind.name,
    "name" -> found.name.toString,
    "queries" -> queries.map(q => s"${q.id} (into ${q.sink}, ${q.state})").mkString(", "),
    "statements" -> queries.map(q => s"TERMINATE ${q.record.word}").mkString("; ")
  )

  /**
   * INSERT_QUERY_TARGET: why a continuous query cannot insert into an object, and what to do instead, a sentence
   * without a full stop.
   */
  def noQueryInto(name: String, reason: String, hint: String): KafkalystException =
    KafkalystException("INSERT_QUERY_TARGET", "name" -> name, "reason" -> reason, "hint" -> hint)

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
      planned.of.sources.flatMap(s => source(store, s.name)).distinct,
      checkpoint,
      text,
      catalog = session.catalog.currentCatalog(),
      database = session.catalog.currentDatabase,
      settings = KeptSettings.of(session),
      shape = planned.shape
    )
  }

  /** The object with this table name; the name is in the session catalog unless it begins with a cluster's catalog. */
  def source(store: ObjectStore, table: String): Option[ObjectName] = table.split("\\.", 2) match {
    case Array(database, name) if !store.isOfCluster(database) =>
      store.name(Seq(ObjectName.sessionCatalog, database, name))
    case parts => store.name(parts.toSeq)
  }

  def settings(session: SparkSession): Settings = Settings.of(session.conf.getAll)

  def admin(settings: Settings): TopicAdmin = {
    Connector.require()
    TopicAdmin(settings.clientProperties)
  }

  /** Tells whether records may have been written into an object's topics since this call. */
  def watched(settings: Settings, topic: TopicObject): () => Boolean = {
    def ends = Try(topic.topics.map(admin(settings).offsets(_).map { case (p, (_, next)) => p -> next })).toOption
    val before = ends
    // Unknown ends count as changed: a topic that may have rows is not deleted.
    () => before.isEmpty || ends != before
  }

  def objectName(store: ObjectStore, parts: Seq[String]): ObjectName = inSession(store.name(parts), parts)

  /**
   * The name of an object to be created.
   *
   * @throws io.kafkalyst.errors.KafkalystException NOT_IN_KSQLDB for characters that ksqlDB's dialect does not allow in
   *         names
   */
  def newName(store: ObjectStore, parts: Seq[String]): ObjectName = {
    val name = inSession(store.newName(parts), parts)
    if (store.settings(name).isKsqldb && !name.table.matches("[A-Za-z0-9_-]+")) throw KafkalystException(
      "NOT_IN_KSQLDB",
      "what" -> s"the name `${name.table}`, as its names have only letters, digits, _ and -"
    )
    name
  }

  private def inSession(name: Option[ObjectName], parts: Seq[String]): ObjectName =
    name.getOrElse(throw KafkalystException("NOT_IN_SESSION_CATALOG", "name" -> parts.mkString(".")))

  /** Throws READ_ONLY_SOURCE if the object is a SOURCE STREAM or TABLE. */
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
      "nearest" -> Conditions.nearest(parts.last, store.sources(parts.dropRight(1).lastOption))
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
