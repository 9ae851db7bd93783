package io.kafkalyst.commands

import io.kafkalyst.catalog._
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.formats.KafkaFormat
import io.kafkalyst.joins.ContinuousJoins
import io.kafkalyst.metadata.WindowedKey
import io.kafkalyst.model._
import io.kafkalyst.query._
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, LogicalPlan, Project}
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.kafkalyst.Frames
import org.apache.spark.sql.streaming.OutputMode

/**
 * CREATE STREAM|TABLE … AS SELECT: creates topic, schemas and catalog entry of the sink and starts the query that
 * fills it, or does nothing of all that.
 *
 * @param query the query as it was parsed
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
    with ContinuousStatement {
  override val output: Seq[Attribute] = Commands.startedOutput

  override def run(session: SparkSession): Seq[Row] = {
    val given = Properties.checked(properties, asQuery = true)
    ValueTypes.notInQuery(given)
    val store = new ObjectStore(session)
    val name = Commands.objectName(store, parts)
    if (ObjectCreation.skips(store, name, kind, options)) {
      return Seq(Row(null, name.toString, null, null, "already exists"))
    }
    val settings = Commands.settings(session)
    val admin = Commands.admin(settings)
    val found = new Found(session, given)
    import found.{leftmost, sources}
    sources.find(s => s.topic.kind == ObjectKind.Table && WindowedKey.is(s.topic)).foreach { windowed =>
      throw KafkalystException("QUERY_OVER_WINDOWED_TABLE", "name" -> windowed.name)
    }
    CreateAsSelect.combinable(sources, found.joins, found.analyzed)
    if (found.joins) CheckJoins(session, kind, name, leftmost, sources, found.analyzed, query.partitionBy.isDefined)
    else if (leftmost.topic.kind == ObjectKind.Table && query.partitionBy.isDefined) {
      throw KafkalystException("REKEY_OF_TABLE", "name" -> leftmost.name)
    }
    ImplicitCasts.check(found.analyzed)
    val registry = () => ObjectDefinition.registry(settings)
    val topic = given.getOrElse(Properties.topic.name, settings.get(Settings.topicPrefix).getOrElse("") + name.table)
    val defaulted = ObjectDefinition.withDefaults(RegistryProperties.withoutIds(given), settings) ++
      windowOf(found.result, leftmost.topic)
    val plain = sinkOf(settings, defaulted, topic, leftmost.topic, found.frame, found.projection)
    val sink = SideSchemas.withIds(plain, given, registry)
    val before = ObjectCreation.replaced(store, name, sink, options, byQuery = true)
    val planned = found.planned(sink)
    val taken = before.flatMap(QueryRecord.ownOf).filter(_.state != QueryRecord.terminated)
    taken.foreach(old => QueryShape.check(old.id, old.shape, planned.shape))
    val undo = new Undo
    undo.orElse {
      val like = leftmost.topic.topics.headOption.flatMap(admin.find)
      val shaped = Map(
        Properties.partitions.name -> like.fold(1)(_.partitions).toString,
        Properties.replicas.name -> like.fold(1)(_.replicas).toString
      ) ++ given
      if (admin.find(topic).isEmpty) ObjectCreation.createTopic(admin, sink, shaped, undo)
      else ObjectCreation.topicExists(admin, topic, given)
      ObjectCreation.createDeadLetterTopic(admin, sink, undo)
      val registered = ObjectDefinition.registered(
        sink,
        always = true,
        registry,
        subject => undo.add(s"subject $subject")(registry().delete(subject))
      )
      val (id, checkpoint) = taken.map(old => old.id -> old.checkpoint).getOrElse {
        QueryIds.next(session, settings, if (kind == ObjectKind.Table) "CTAS" else "CSAS", name.table)
      }
      val record = Commands.record(session, id, name, sources, checkpoint, text, planned.shape)
      taken match {
        case Some(old) =>
          val again = ContinuousQueries.yielded(session, old)
          undo.add(s"query $id")(again())
        case None => undo.add(s"query $id")(ContinuousQueries.forget(session, id, checkpoint))
      }
      ObjectCreation.store(store, name, registered, record.properties, options, undo)
      Seq(Commands.started(
        ContinuousQueries.start(session, planned.copy(sink = registered), record, settle = taken.isDefined)
      ))
    }
  }

  override def planned(session: SparkSession, sink: StoredObject): PlannedQuery =
    new Found(session, Properties.checked(properties)).planned(sink.topic)

  /** What the text means as the catalog is now. */
  private final class Found(session: SparkSession, given: Map[String, String]) {
    val analyzed: LogicalPlan = CreateAsSelect.analyzed(session, query)
    val sources: Seq[TopicTable] = CreateAsSelect.sources(analyzed)
    val leftmost: TopicTable = sources.headOption.getOrElse(throw KafkalystException("NO_TOPIC_IN_QUERY"))
    val joins: Boolean = ContinuousJoins.isIn(analyzed)

    // A join tells of time and deletes itself, see ContinuousJoins.forSink, but for one that is grouped.
    private val ofJoin = joins && !analyzed.exists(_.isInstanceOf[Aggregate])
    lazy val result: Changes =
      if (ofJoin) {
        val (plan, window) = ContinuousJoins.windowed(analyzed)
        Changes(plan, window = window)
      } else changes(analyzed, sources, given)
    lazy val projection: SinkProjection = SinkProjection.of(result)
    lazy val frame: DataFrame = Frames.of(session, projection.plan)

    def planned(sink: TopicObject): PlannedQuery = {
      val rows = if (ofJoin) Frames.of(session, ContinuousJoins.forSink(session, projection.plan)) else frame
      PlannedQuery(rows, sink, outputMode(analyzed), stateful = joins, QueryShape.of(analyzed))
    }
  }

  /** The result's changes; the errors tell which statement makes such a result. */
  private def changes(analyzed: LogicalPlan, sources: Seq[TopicTable], given: Map[String, String]): Changes = {
    val result = Changes.of(analyzed, query.window, query.emitFinal)
    val grouped = analyzed.exists(_.isInstanceOf[Aggregate])
    if (query.emitFinal && query.window.isEmpty) throw KafkalystException("EMIT_FINAL_WITHOUT_WINDOW")
    if (query.partitionBy.isDefined && result.window.nonEmpty) {
      throw KafkalystException("WINDOWED_REKEY", "name" -> sources.head.name)
    }
    if (result.isTable && kind == ObjectKind.Stream) {
      if (grouped) throw KafkalystException("RESULT_IS_AGGREGATE")
      else throw KafkalystException("RESULT_IS_TABLE", "name" -> sources.head.name)
    }
    if (!result.isTable && kind == ObjectKind.Table) throw KafkalystException("RESULT_IS_STREAM")
    // A sink with a time column of its own has its timestamps from there.
    result.rowTime.filter(_ => given.contains(Properties.timestamp.name)).fold(result) { time =>
      val others = result.plan.output.filterNot(_.exprId == time.exprId)
      result.copy(plan = Project(others, result.plan), rowTime = None)
    }
  }

  /** What makes the sink's keys windowed: the query's own clause, or the keys that it passes on. */
  private def windowOf(result: Changes, source: TopicObject): Map[String, String] =
    if (result.window.isEmpty) Map.empty
    else
      query.window.map(_.properties).getOrElse(
        source.options.filter { case (name, _) =>
          name == Properties.windowType.name || name == Properties.windowSize.name
        }
      )

  private def outputMode(analyzed: LogicalPlan): OutputMode =
    if (analyzed.exists(_.isInstanceOf[Aggregate]) && !query.emitFinal) OutputMode.Update() else OutputMode.Append()

  private def sinkOf(
      settings: Settings,
      given: Map[String, String],
      topic: String,
      source: TopicObject,
      frame: DataFrame,
      projection: SinkProjection
  ): TopicObject = {
    // A source's metadata columns become values of the sink.
    val columns =
      frame.schema.filterNot(f => Changes.isCarried(f.metadata)).map(TopicColumn.of(_).copy(metadata = None))
    val shape =
      if (query.structured && !Seq(Properties.keyFormatType, Properties.wrapKey).exists(p => given.contains(p.name)))
        Map(Properties.keyFormatType.name -> "STRUCTURED")
      else Map.empty
    // Columns of the result are the definition: nothing is looked up for a side that has none.
    ObjectDefinition.of(
      kind,
      SinkFormats.of(given ++ shape, source, columns, projection.keyless, settings) + (Properties.topic.name -> topic),
      columns,
      settings,
      () => throw new IllegalStateException("a query's result has its columns")
    )
  }
}

object CreateAsSelect {

  /** The query's plan, its names resolved by ksqlDB's rules. */
  private[commands] def analyzed(session: SparkSession, query: SinkQuery): LogicalPlan =
    KsqlConf.within(session)(Frames.of(session, query.ready).queryExecution.analyzed)

  /** VALUE_FORMAT_NOT_COMBINED for a source whose values have no place for what ksqlDB's joins and groups put there. */
  private[commands] def combinable(sources: Seq[TopicTable], joins: Boolean, analyzed: LogicalPlan): Unit = {
    val what = if (joins) Some("JOIN") else if (analyzed.exists(_.isInstanceOf[Aggregate])) Some("GROUP BY") else None
    what.zip(sources.find(_.topic.value.format == KafkaFormat.name)).foreach { case (what, source) =>
      throw KafkalystException("VALUE_FORMAT_NOT_COMBINED", "name" -> source.name, "what" -> what)
    }
  }

  /** The topics a plan reads, leftmost first. */
  private[commands] def sources(plan: LogicalPlan): Seq[TopicTable] = plan.collectLeaves().collect {
    case relation: StreamingRelationV2 => relation.table
  }.collect { case table: TopicTable => table }
}
