package io.kafkalyst.query

import io.kafkalyst.catalog.{KafkalystProvider, ObjectCodec, ObjectName}
import io.kafkalyst.model.TopicObject
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.streaming.{DataStreamWriter, StreamingQuery, StreamingQueryProgress, Trigger}

/** How the rows of a continuous query get to where it writes. */
trait Sink {

  /** When batches begin; None where the session's setting decides, or else as soon as there is something to read. */
  def trigger: Option[Trigger] = None

  /** Whether the query ends when all that was there is written. */
  def availableNow: Boolean = false

  /**
   * @param session that of the query
   * @param writer with all that is the same for every sink: name, output mode, checkpoint, trigger
   * @return the query, running
   */
  def start(session: SparkSession, writer: DataStreamWriter[Row]): StreamingQuery

  /** The rows that a batch wrote. */
  def written(batch: StreamingQueryProgress): Long
}

/**
 * An object of ours.
 *
 * @param topic with its schemas registered
 */
final case class TopicSink(name: ObjectName, topic: TopicObject) extends Sink {
  override def start(session: SparkSession, writer: DataStreamWriter[Row]): StreamingQuery =
    // The catalog's table knows where its cluster is.
    if (name.isOfCluster) writer.toTable(name.sql)
    else writer
      .format(KafkalystProvider.name)
      .options(ObjectCodec.encodeWithSchema(topic))
      .option(KafkalystProvider.nameOption, name.toString)
      .start()

  override def written(batch: StreamingQueryProgress): Long = batch.sink.numOutputRows
}
