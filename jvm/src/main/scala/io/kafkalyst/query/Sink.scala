package io.kafkalyst.query

import io.kafkalyst.catalog.{ObjectCodec, ObjectName, ObjectStore, TopicSource}
import io.kafkalyst.clients.TopicAdmin
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.TopicObject
import io.kafkalyst.read.offsets.StoredTopicIds
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.streaming.{DataStreamWriter, StreamingQuery, StreamingQueryProgress, Trigger}
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** How a continuous query's rows reach its sink. */
trait Sink {

  /** When batches begin; None to use the session's setting, by default as soon as data is available. */
  def trigger: Option[Trigger] = None

  /** Whether the query ends once all available data is written. */
  def availableNow: Boolean = false

  /**
   * Whatever needs requests before each start, such as new columns. Only the query itself is locked meanwhile.
   *
   * @throws java.lang.Exception if the sink cannot take the query's rows; then nothing has changed
   */
  def prepare(session: SparkSession, checkpoint: String): Unit = ()

  /**
   * @param session    the query's session
   * @param writer     the writer with the options common to all sinks: name, output mode, checkpoint, trigger
   * @param checkpoint the query's checkpoint folder
   * @return the running query
   */
  def start(session: SparkSession, writer: DataStreamWriter[Row], checkpoint: String): StreamingQuery

  /** The number of rows that a batch wrote. */
  def written(batch: StreamingQueryProgress): Long

  /** The error of a sink that is no longer there; None if it is. */
  def missing(session: SparkSession): Option[Throwable] = None
}

/**
 * A Kafkalyst object as the sink.
 *
 * @param topic the object, with its schemas registered
 */
final case class TopicSink(name: ObjectName, topic: TopicObject) extends Sink {

  /**
   * A topic that was deleted and created again lacks the rows that earlier runs wrote, and the checkpoint continues
   * behind these. The topics' ids are stored beside the checkpoint.
   *
   * @throws io.kafkalyst.errors.KafkalystException SINK_TOPIC_REPLACED
   */
  override def prepare(session: SparkSession, checkpoint: String): Unit = {
    val stored = new StoredTopicIds(new Path(checkpoint, TopicSink.file), session.sessionState.newHadoopConf())
    val now = ids(session)
    for ((topic, id) <- now.toSeq.sorted; before <- stored.all.get(topic) if before != id)
      throw KafkalystException(
        "SINK_TOPIC_REPLACED",
        "topic" -> topic,
        "name" -> name.toString,
        "before" -> before,
        "now" -> id,
        "file" -> stored.path.toString
      )
    stored.put(now)
  }

  /** The ids of the topics that are there; empty if the brokers do not tell, which the query's writes wait for. */
  private def ids(session: SparkSession): Map[String, String] =
    try {
      val admin = TopicAdmin(new ObjectStore(session).settings(name).clientProperties)
      topic.topics.flatMap(t => admin.id(t).map(t -> _)).toMap
    } catch {
      case NonFatal(e) =>
        TopicSink.log.warn(s"The ids of the topics of $name are not known: ${e.getMessage}")
        Map.empty
    }

  override def start(session: SparkSession, writer: DataStreamWriter[Row], checkpoint: String): StreamingQuery =
    // Writes through the catalog's table, which knows its cluster.
    if (name.isOfCluster) writer.toTable(name.sql)
    else writer
      .format(TopicSource.name)
      .options(ObjectCodec.encodeWithSchema(topic))
      .option(TopicSource.nameOption, name.toString)
      .start()

  override def written(batch: StreamingQueryProgress): Long = batch.sink.numOutputRows
}

object TopicSink {
  private val file = "sink-topic-ids.json"
  private val log = LoggerFactory.getLogger("io.kafkalyst.query")
}
