package io.kafkalyst.lake

import io.kafkalyst.errors.KafkalystException
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.sql.functions.{count, lit}
import org.apache.spark.sql.streaming.{DataStreamWriter, StreamingQuery, StreamingQueryProgress}

/**
 * Appends rows with the table's own streaming write: Delta and Iceberg commit each batch's id with its rows, so a
 * retried batch changes nothing.
 */
private[lake] final case class TableSink(into: LakeTarget) extends LakeSink {

  override protected def check(session: SparkSession, checkpoint: String): Unit =
    ListedFiles.check(session, table, checkpoint)

  override def start(
      session: SparkSession,
      writer: DataStreamWriter[Row],
      checkpoint: String
  ): StreamingQuery = {
    // The query was planned in a session with its own catalog, which may have added columns.
    session.catalog.refreshTable(table.name.sql)
    // For tables with a V1 sink, such as Delta's, Spark checks that the format matches the table's.
    val formatted = if (table.provider.isEmpty) writer else writer.format(table.provider)
    // Spark uses the last value of an option.
    formatted.options(options.rest).option("checkpointLocation", checkpoint).toTable(table.name.sql)
  }

  override def written(batch: StreamingQueryProgress): Long =
    Option(batch.observedMetrics.get(TableSink.rows)).fold(batch.sink.numOutputRows)(_.getLong(0))
}

private[lake] object TableSink {
  private val rows = "kafkalyst_rows"

  /** @throws io.kafkalyst.errors.KafkalystException LAKE_STREAM_TABLE if Spark does not write streams into the table */
  def check(table: LakeTable): Unit =
    if (!table.takesStreams)
      throw KafkalystException("LAKE_STREAM_TABLE", "name" -> table.name.toString, "table" -> table.kind)

  /** Counts the rows, because not every sink reports how many it wrote. */
  def counted(frame: DataFrame): DataFrame = frame.observe(rows, count(lit(1)).as("rows"))
}
