package io.kafkalyst.lake

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.sql.streaming.{DataStreamWriter, StreamingQuery, StreamingQueryProgress}
import org.apache.spark.storage.StorageLevel

/** Writes each batch with a statement. A batch that is retried after a crash changes nothing, see [[BatchGuard]]. */
private[lake] abstract class BatchSink extends LakeSink {
  private val counts = new ConcurrentHashMap[Long, Long]()
  protected final lazy val guard: BatchGuard = BatchGuard.of(table)

  /** The rows of the batch that are written. */
  protected def rows(batch: DataFrame): DataFrame

  /** Writes the rows, in one commit under the [[guard]]. */
  protected def write(session: SparkSession, rows: DataFrame, id: Long): Unit

  final override def start(
      session: SparkSession,
      writer: DataStreamWriter[Row],
      checkpoint: String
  ): StreamingQuery =
    writer.foreachBatch { (batch: DataFrame, id: Long) =>
      write(batch, id)
      // A batch has its own session and catalog, so the table metadata cached by the user's session is stale now.
      session.catalog.refreshTable(table.name.sql)
    }.start()

  final override def written(batch: StreamingQueryProgress): Long = counts.getOrDefault(batch.batchId, 0L)

  private def write(batch: DataFrame, id: Long): Unit = {
    val all = rows(batch).persist(StorageLevel.MEMORY_AND_DISK)
    try {
      val count = all.count()
      if (count > 0) write(batch.sparkSession, all, id)
      counts.keySet.removeIf(_ < id - BatchSink.remembered)
      counts.put(id, count)
    } finally {
      all.unpersist()
    }
  }
}

private object BatchSink {
  private val remembered = 100L
}
