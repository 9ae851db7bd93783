package io.kafkalyst.lake

import io.kafkalyst.query.Sink
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.streaming.{DataStreamWriter, StreamingQuery, Trigger}

/**
 * The table that a query writes into.
 *
 * @param grow adds the columns that the table lacks, if requested
 */
private[lake] final case class LakeTarget(table: LakeTable, options: LakeOptions, grow: () => Unit)

/** A table of any catalog as a sink. */
private[lake] trait LakeSink extends Sink {
  def into: LakeTarget
  final protected def table: LakeTable = into.table
  final protected def options: LakeOptions = into.options

  final override def start(session: SparkSession, writer: DataStreamWriter[Row], checkpoint: String): StreamingQuery = {
    into.grow()
    begun(session, writer, checkpoint)
  }

  /** Like [[start]], after the table's columns were added. */
  protected def begun(session: SparkSession, writer: DataStreamWriter[Row], checkpoint: String): StreamingQuery

  override def trigger: Option[Trigger] = options.trigger match {
    case LakeTrigger.Every(millis) => Some(Trigger.ProcessingTime(millis))
    case LakeTrigger.AvailableNow => None
  }

  override def availableNow: Boolean = options.trigger == LakeTrigger.AvailableNow
}
