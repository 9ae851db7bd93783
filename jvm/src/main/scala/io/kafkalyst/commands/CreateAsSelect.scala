package io.kafkalyst.commands

import io.kafkalyst.catalog._
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model._
import io.kafkalyst.query.{ContinuousQueries, KsqlConf, QueryStart, SinkProjection, SinkQuery}
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.kafkalyst.Frames
import org.apache.spark.sql.types.StringType

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
) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output(
    "query_id" -> StringType,
    "name" -> StringType,
    "sink" -> StringType,
    "checkpoint" -> StringType,
    "state" -> StringType
  )

  override def run(session: SparkSession): Seq[Row] = {
    if (kind == ObjectKind.Table) throw KafkalystException("NOT_SUPPORTED", "what" -> "CREATE TABLE … AS SELECT")
    val given = Properties.checked(properties)
    val store = new ObjectStore(session)
    val name = Commands.objectName(store, parts)
    if (ObjectCreation.skips(store, name, kind, options)) {
      return Seq(Row(null, name.toString, null, null, "already exists"))
    }
    val settings = Commands.settings(session)
    val analyzed = KsqlConf.within(session)(Frames.of(session, query).queryExecution.analyzed)
    val sources = CreateAsSelect.sources(analyzed)
    val leftmost = sources.headOption.getOrElse(throw KafkalystException("NO_TOPIC_IN_QUERY"))
    if (leftmost.topic.kind == ObjectKind.Table) {
      val condition = if (query.partitionBy.isDefined) "REKEY_OF_TABLE" else "RESULT_IS_TABLE"
      throw KafkalystException(condition, "name" -> leftmost.name)
    }
    val admin = Commands.admin(settings)
    val registry = () => ObjectDefinition.registry(settings)
    val topic = given.getOrElse(Properties.topic.name, settings.get(Settings.topicPrefix).getOrElse("") + name.table)
    val projection = SinkProjection.of(analyzed)
    val frame = Frames.of(session, projection.plan)
    val defaulted = ObjectDefinition.withDefaults(RegistryProperties.withoutIds(given), settings)
    val plain = sinkOf(settings, defaulted, topic, leftmost.topic, frame, projection)
    val sink = SideSchemas.withIds(plain, given, registry)
    val undo = new Undo
    undo.orElse {
      if (admin.find(topic).isEmpty) {
        val partitions = given.getOrElse(
          Properties.partitions.name,
          admin.find(leftmost.topic.topic).fold(1)(_.partitions).toString
        )
        ObjectCreation.createTopic(admin, topic, given + (Properties.partitions.name -> partitions), undo)
      }
      ObjectCreation.createDeadLetterTopic(admin, sink, undo)
      val registered = ObjectDefinition.registered(
        sink,
        always = true,
        registry,
        subject => undo.add(s"subject $subject")(registry().delete(subject))
      )
      val start =
        QueryStart.of(session, settings, name, sources.flatMap(s => store.name(s.name.split('.').toSeq)), text)
      ObjectCreation.store(store, name, registered, start.properties, options, undo)
      val started = ContinuousQueries.start(session, settings, frame, registered, start)
      Seq(Row(started.id, started.streamingId, name.toString, start.checkpoint, started.state))
    }
  }

  private def sinkOf(
      settings: Settings,
      given: Map[String, String],
      topic: String,
      source: TopicObject,
      frame: DataFrame,
      projection: SinkProjection
  ): TopicObject = {
    // A source's metadata columns become values of the sink.
    val columns = frame.schema.map(TopicColumn.of(_).copy(metadata = None))
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

  /** The topics a plan reads, leftmost first. */
  private[commands] def sources(plan: LogicalPlan): Seq[TopicTable] = plan.collectLeaves().collect {
    case relation: StreamingRelationV2 => relation.table
  }.collect { case table: TopicTable => table }
}
