package io.kafkalyst.commands

import io.kafkalyst.catalog._
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model._
import io.kafkalyst.query.{ContinuousQueries, QueryStart}
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.StringType

/**
 * CREATE STREAM|TABLE … AS SELECT: creates topic, schemas and catalog entry of the sink and starts the query that
 * fills it, or does nothing of all that.
 *
 * @param query the query's text, behind blanks that keep its positions those of the whole statement
 * @param text  the whole statement
 */
final case class CreateAsSelect(
    kind: ObjectKind,
    parts: Seq[String],
    properties: Seq[(String, String)],
    options: CreateOptions,
    query: String,
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
    val frame = unbounded(session)
    val sources = CreateAsSelect.sources(frame.queryExecution.analyzed)
    val leftmost = sources.headOption.getOrElse(throw KafkalystException("NO_TOPIC_IN_QUERY"))
    val admin = Commands.admin(settings)
    val registry = () => ObjectDefinition.registry(settings)
    val topic = given.getOrElse(Properties.topic.name, settings.get(Settings.topicPrefix).getOrElse("") + name.table)
    val sink = sinkOf(given, topic, leftmost.topic, frame)
    val undo = new Undo
    undo.orElse {
      if (admin.find(topic).isEmpty) {
        val partitions = given.getOrElse(
          Properties.partitions.name,
          admin.find(leftmost.topic.topic).fold(1)(_.partitions).toString
        )
        ObjectCreation.createTopic(admin, topic, given + (Properties.partitions.name -> partitions), undo)
      }
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

  private def unbounded(session: SparkSession): DataFrame = {
    val frame = session.sql(if (query.toUpperCase.contains("EMIT")) query else query + " EMIT CHANGES")
    if (!frame.isStreaming) throw KafkalystException("NO_TOPIC_IN_QUERY")
    frame
  }

  private def sinkOf(given: Map[String, String], topic: String, source: TopicObject, frame: DataFrame): TopicObject = {
    // A source's metadata columns become values of the sink.
    val columns = frame.schema.map(TopicColumn.of(_).copy(metadata = None))
    val hasKey = columns.exists(_.side == Side.Key)
    val inherited = Seq(
      Properties.keyFormat.name -> (if (hasKey) source.key.format else ObjectDefinition.noFormat),
      Properties.valueFormat.name -> source.value.format
    ).filterNot(_ => given.contains(Properties.format.name)).toMap
    // Columns of the result are the definition: nothing is looked up for a side that has none.
    ObjectDefinition.of(
      kind,
      inherited ++ given + (Properties.topic.name -> topic),
      columns,
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
