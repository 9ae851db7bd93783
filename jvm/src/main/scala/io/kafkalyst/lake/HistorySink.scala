package io.kafkalyst.lake

import io.kafkalyst.read.AtomicFile
import io.kafkalyst.read.offsets.PartitionOffsets
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.sql.streaming.{DataStreamWriter, StreamingQuery, StreamingQueryProgress}

/**
 * Appends all records of a topic to the table that is its history. Each commit has the batch's id, so that a repeated
 * batch changes nothing, and the offsets that the table has with it.
 *
 * @param border without offsets, which each batch has
 */
private[lake] final class HistorySink(
    table: LakeTable,
    border: Border,
    override val options: LakeOptions
) extends LakeSink {
  private val guard = BatchGuard.of(table)

  override def start(session: SparkSession, writer: DataStreamWriter[Row], checkpoint: String): StreamingQuery =
    writer.foreachBatch { (batch: DataFrame, id: Long) =>
      val own = batch.sparkSession
      val reached = border.copy(offsets = ends(own, s"$checkpoint/offsets/$id"))
      guard.once(own, BatchGuard.queryId(own), id, Some(reached.json)) { () =>
        batch.writeTo(table.name.sql).options(options.rest).append()
      }
      // A batch has its own session and catalog, so the table metadata cached by the user's session is stale now.
      session.catalog.refreshTable(table.name.sql)
    }.start()

  override def written(batch: StreamingQueryProgress): Long = batch.numInputRows

  /** Where the batch ends: Spark logs it before the batch begins, and a repeated batch ends there again. */
  private def ends(session: SparkSession, log: String): Map[Int, Long] = {
    val text = AtomicFile.read(new Path(log), session.sessionState.newHadoopConf())
    // The log's version and the batch's settings come before its sources.
    val sources = text.toSeq.flatMap(_.linesIterator.drop(2)).map(PartitionOffsets.of)
    sources.flatMap(_.get(border.topic)).headOption.getOrElse {
      throw new IllegalStateException(s"$log has no offsets of ${border.topic}")
    }
  }
}
