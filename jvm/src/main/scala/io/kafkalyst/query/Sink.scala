package io.kafkalyst.query

import io.kafkalyst.catalog.{ObjectCodec, ObjectName, TopicSource}
import io.kafkalyst.model.TopicObject
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.streaming.{DataStreamWriter, StreamingQuery, StreamingQueryProgress, Trigger}

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
