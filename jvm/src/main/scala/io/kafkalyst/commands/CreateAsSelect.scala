package io.kafkalyst.commands

import io.kafkalyst.catalog._
import io.kafkalyst.catalog.define.{Growth, ObjectDefinition, SideSchemas, SinkFormats, ValueTypes}
import io.kafkalyst.clients.TopicAdmin
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.lake.History
import io.kafkalyst.metadata.WindowedKey
import io.kafkalyst.model._
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.streams.QueryShape
import io.kafkalyst.query._
import io.kafkalyst.streams.{AnalyzedQuery, Changes, SinkProjection, SinkQuery}
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.command.LeafRunnableCommand

/**
 * CREATE STREAM|TABLE … AS SELECT: creates the sink's topic, schemas and catalog entry and starts the query that fills
 * it. If a step fails, everything is rolled back.
 *
 * @param query the parsed query
 * @param text  the whole statement
 */
final case class CreateAsSelect(
    kind: ObjectKind,
    parts: Seq[String],
    properties: Seq[(String, String)],
    options: CreateOptions,
    query: SinkQuery,
    text: String
) extends LeafRunnableCommand
    with QueryStatement {
  override val output: Seq[Attribute] = Commands.startedOutput

  override def run(session: SparkSession): Seq[Row] = TimeOfDay.allowed(started(session))

  private def started(session: SparkSession): Seq[Row] = {
    val given = checkedProperties(session)
    val store = new ObjectStore(session)
    val name = Commands.newName(store, parts)
    val settings = store.settings(name)
    val topic = topicOf(settings, name, given)
    val exclusive = Exclusive(name, Seq(topic))
    val undo = new Undo(exclusive)
    val made = exclusive.hold(ObjectCreation.unlessThere(store, name, kind, options) {
      val admin = Commands.admin(settings)
      val making = new ObjectCreation(store, name, admin, () => ObjectDefinition.registry(settings), undo)
      make(session, store, name, topic, given, making, admin)
    })
    // `start` may run for long; statements about other objects do not wait for it.
    made.fold(Seq(Commands.notStarted(session, SinkName.OfObject(name), name.toString))) { start =>
      undo.guard(Seq(start()))
    }
  }

  private def checkedProperties(session: SparkSession): Map[String, String] = {
    val given = History.named(session, Properties.checked(properties, asQuery = true))
    ValueTypes.notInQuery(given)
    given
  }

  private def topicOf(settings: Settings, name: ObjectName, given: Map[String, String]): String = {
    val prefix = if (name.isOfCluster) None else settings.get(Settings.topicPrefix)
    val topic = given.getOrElse(Properties.topic.name, prefix.getOrElse("") + name.table)
    ObjectCreation.checkTopicName(topic)
    topic
  }

  /** Creates the sink and its entry; returns a function that starts its query. */
  private def make(
      session: SparkSession,
      store: ObjectStore,
      name: ObjectName,
      topic: String,
      given: Map[String, String],
      making: ObjectCreation,
      admin: TopicAdmin
  ): () => Row = {
    val (found, sink) = checked(session, store.settings(name), name, topic, given)
    val sources = new NewSources(session, found.of.sources)
    val before = ObjectCreation.replaced(store, name, sink, options, byQuery = true)
    val planned = found.planned(TopicSink(name, sink))
    val taken = before.flatMap(QueryRecord.ownOf).filter(_.state != QueryRecord.terminated)
    taken.foreach(old => QueryShape.check(old.word, old.shape, planned.shape))
    making.undo.guard {
      val like = found.of.sources.headOption.flatMap(s => s.topic.topics.headOption.flatMap(s.admin.find))
      val shaped = Map(
        Properties.partitions.name -> like.fold(1)(_.partitions).toString,
        Properties.replicas.name -> like.fold(1)(_.replicas).toString
      ) ++ given
      if (admin.find(topic).isEmpty) making.createTopic(sink, shaped)
      else ObjectCreation.topicExists(admin, topic, given)
      making.createDeadLetterTopic(sink)
      val registered = making.registered(sink, always = true)
      val (id, checkpoint) = taken.map(old => old.id -> old.checkpoint).getOrElse {
        QueryIds.next(session, if (kind == ObjectKind.Table) "CTAS" else "CSAS", name.table)
      }
      val record = Commands.record(session, id, SinkName.OfObject(name), planned, checkpoint, text)
      taken match {
        case Some(old) =>
          val again = ContinuousQueries.yielded(session, old)
          making.undo.add(s"query $id")(again())
        case None => making.undo.add(s"query $id")(ContinuousQueries.forget(session, record))
      }
      making.store(registered, record.properties ++ options.properties, options)
      val filling = planned.copy(sink = TopicSink(name, registered))
      val required = SideSchemas.requirements(registered, () => ObjectDefinition.registry(store.settings(name)))
      // The registry's client logs its own warnings.
      required.foreach(note => Commands.log.warn(s"$name: $note"))
      val notes = making.warnings ++ required
      () => {
        sources.require()
        val query =
          if (taken.isDefined) ContinuousQueries.start(session, filling, record, settle = true)
          else Start(session, filling, record, making.undo)(Commands.watched(store.settings(name), registered))
        Commands.started(query, notes)
      }
    }
  }

  override private[commands] def checked(session: SparkSession): (AnalyzedQuery, TopicObject) = TimeOfDay.allowed {
    val store = new ObjectStore(session)
    val name = Commands.newName(store, parts)
    val settings = store.settings(name)
    val given = checkedProperties(session)
    val (found, sink) = checked(session, settings, name, topicOf(settings, name, given), given)
    found.planned(TopicSink(name, sink))
    (found.of, sink)
  }

  private def checked(
      session: SparkSession,
      settings: Settings,
      name: ObjectName,
      topic: String,
      given: Map[String, String]
  ): (ResultRows, TopicObject) = {
    val found = rowsOf(session, new AnalyzedQuery(session, query))
    val source = found.of.sources.headOption
    found.of.sources.find(s => s.topic.kind == ObjectKind.Table && WindowedKey.is(s.topic)).foreach { windowed =>
      throw KafkalystException("QUERY_OVER_WINDOWED_TABLE", "name" -> windowed.name)
    }
    found.of.checkFormats()
    found.of.checkShape()
    if (query.window.isEmpty) found.of.checkWindows()
    if (found.of.isJoin) CheckJoins(session, kind, name, found.of, query.partitionBy.isDefined)
    else source.filter(_.topic.kind == ObjectKind.Table && query.partitionBy.isDefined).foreach { table =>
      throw KafkalystException("REKEY_OF_TABLE", "name" -> table.name)
    }
    val defaulted = ObjectDefinition.withDefaults(RegistryProperties.withoutIds(given), settings) ++
      windowOf(found.result, source.map(_.topic))
    val plain = sinkOf(settings, defaulted, topic, source.map(_.topic), found.frame, found.projection)
    def registry = ObjectDefinition.registry(settings)
    val sink = SideSchemas.withIds(inheriting(plain, found.of), given, () => registry, settings)
    found.of.checkChanges(name.toString, sink.value.isEvent)
    (found, sink)
  }

  /**
   * A sink inherits SCHEMA.EVOLUTION=add, so that it gains its sources' new columns, as do the queries that read it.
   */
  private def inheriting(sink: TopicObject, of: AnalyzedQuery): TopicObject = {
    val adds = of.sources.find(s => Properties.isAdding(s.topic))
    val said = sink.options.contains(Properties.schemaEvolution.name)
    adds.filter(_ => !said && Growth.fault(sink).isEmpty).fold(sink) { source =>
      sink.copy(options =
        sink.options +
          (Properties.schemaEvolution.name -> source.topic.options(Properties.schemaEvolution.name))
      )
    }
  }

  override def planned(
      session: SparkSession,
      sink: StoredObject,
      started: Option[Seq[String]],
      grown: Seq[TopicColumn] => StoredObject
  ): PlannedQuery = {
    val rows = rowsOf(session, new AnalyzedQuery(session, query))
    if (rows.of.sources.exists(s => Properties.isAdding(s.topic))) {
      val to = grown(columnsOf(rows.frame))
      rows.planned(TopicSink(to.name, to.topic))
    } else {
      // `*` keeps the columns that it had when the query was created.
      val later = columnsOf(rows.frame).map(_.name).filterNot(name => sink.topic.columns.exists(_.name == name))
      rows.planned(TopicSink(sink.name, sink.topic), later)
    }
  }

  private def rowsOf(session: SparkSession, of: AnalyzedQuery) = new ResultRows(session, of, query, checkKind(of, _))

  /** Each error names the statement that fits the result. */
  private def checkKind(of: AnalyzedQuery, result: Changes): Unit = {
    if (query.partitionBy.isDefined && result.window.nonEmpty) {
      throw KafkalystException("WINDOWED_REKEY", "name" -> of.leftmost.name)
    }
    if (result.isTable && kind == ObjectKind.Stream) {
      if (of.isGrouped) throw KafkalystException("RESULT_IS_AGGREGATE")
      else throw KafkalystException("RESULT_IS_TABLE", "name" -> of.leftmost.name)
    }
    if (!result.isTable && kind == ObjectKind.Table) throw KafkalystException("RESULT_IS_STREAM")
  }

  /** The window of the sink's keys: from the query's own clause, or from the source's keys. */
  private def windowOf(result: Changes, source: Option[TopicObject]): Map[String, String] =
    if (result.window.isEmpty) Map.empty
    else
      query.window.map(_.properties).getOrElse(
        source.fold(Map.empty[String, String])(_.options).filter { case (name, _) =>
          name == Properties.windowType.name || name == Properties.windowSize.name
        }
      )

  private def sinkOf(
      settings: Settings,
      given: Map[String, String],
      topic: String,
      source: Option[TopicObject],
      frame: DataFrame,
      projection: SinkProjection
  ): TopicObject = {
    val columns = columnsOf(frame)
    val sides = columns.map(c => (c.name, c.side))
    sides.diff(sides.distinct).headOption.foreach { case (name, _) => throw repeated(name) }
    if (settings.isKsqldb) sharedNames(columns, source)
    if (projection.keyless) ObjectDefinition.keyColumns(given, columns)
    val shape =
      if (query.structured && !Seq(Properties.keyFormatType, Properties.wrapKey).exists(p => given.contains(p.name)))
        Map(Properties.keyFormatType.name -> "STRUCTURED")
      else Map.empty
    // The result's columns are the definition: a side without columns is not inferred.
    ObjectDefinition.of(
      kind,
      source.fold(given ++ shape)(SinkFormats.of(given ++ shape, _, columns, projection.keyless, settings)) +
        (Properties.topic.name -> topic),
      columns,
      settings,
      () => throw new IllegalStateException("a query's result has its columns"),
      ofQuery = true
    )
  }

  /** A source's metadata columns become value columns of the sink. */
  private def columnsOf(frame: DataFrame): Seq[TopicColumn] =
    frame.schema.filterNot(f => Changes.isCarried(f.metadata)).map(TopicColumn.of(_).copy(metadata = None))

  /** In ksqlDB a name cannot be in both key and value; Kafkalyst allows this if the source has it in both. */
  private def sharedNames(columns: Seq[TopicColumn], source: Option[TopicObject]): Unit = {
    def twice(of: Seq[TopicColumn]) = of.map(_.name).diff(of.map(_.name).distinct)
    twice(columns).diff(twice(source.toSeq.flatMap(_.columns))).headOption.foreach { name => throw repeated(name) }
  }

  private def repeated(name: String) = {
    val error = KafkalystException("DUPLICATE_COLUMN", "column" -> name)
    query.placeOf(name).fold(error)(last => error.at(last.line, last.startPosition))
  }
}
