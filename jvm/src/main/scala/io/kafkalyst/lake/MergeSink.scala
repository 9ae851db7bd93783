package io.kafkalyst.lake

import java.util.concurrent.ConcurrentHashMap

import io.kafkalyst.errors.KafkalystException
import org.apache.spark.sql.{DataFrame, Row, SparkSession}
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.expressions.Window
import org.apache.spark.sql.functions.{col, row_number}
import org.apache.spark.sql.streaming.{DataStreamWriter, StreamingQuery, StreamingQueryProgress}
import org.apache.spark.storage.StorageLevel

/**
 * Merges each batch into a table by key: the last change of a key wins, and tombstones delete. A batch that is retried
 * after a crash changes nothing, see [[BatchGuard]].
 *
 * @param keys names of the table's key columns
 */
private[lake] final class MergeSink(override val into: LakeTarget, keys: Seq[String]) extends LakeSink {
  private val written = new ConcurrentHashMap[Long, Long]()
  private val guard = BatchGuard.of(table)

  override def start(
      session: SparkSession,
      writer: DataStreamWriter[Row],
      checkpoint: String
  ): StreamingQuery =
    writer.foreachBatch { (batch: DataFrame, id: Long) =>
      merge(batch, id)
      // A batch has its own session and catalog, so the table metadata cached by the user's session is stale now.
      session.catalog.refreshTable(table.name.sql)
    }.start()

  override def written(batch: StreamingQueryProgress): Long = written.getOrDefault(batch.batchId, 0L)

  private def merge(batch: DataFrame, id: Long): Unit = {
    val session = batch.sparkSession
    val last = MergeSink.last(batch, keys).persist(StorageLevel.MEMORY_AND_DISK)
    try {
      val rows = last.count()
      if (rows > 0) {
        val view = s"kafkalyst_batch_$id"
        last.createOrReplaceTempView(view)
        try guard.once(session, BatchGuard.queryId(session), id)(() => session.sql(statement(session, view)))
        finally session.catalog.dropTempView(view)
      }
      written.keySet.removeIf(_ < id - MergeSink.remembered)
      written.put(id, rows)
    } finally {
      last.unpersist()
    }
  }

  /** Sets the columns that the query gives, whatever their values were, so that the statement is idempotent. */
  private def statement(session: SparkSession, view: String): String = {
    val columns = session.table(view).columns.filterNot(MergeSink.own).map(quoteIdentifier).toSeq
    val same = keys.map(quoteIdentifier).map(k => s"t.$k <=> s.$k").mkString(" AND ")
    s"""MERGE INTO ${table.name.sql} AS t USING $view AS s ON $same
       |WHEN MATCHED AND s.${MergeSink.deleted} THEN DELETE
       |WHEN MATCHED THEN UPDATE SET ${columns.map(c => s"t.$c = s.$c").mkString(", ")}
       |WHEN NOT MATCHED AND NOT s.${MergeSink.deleted} THEN
       |  INSERT (${columns.mkString(", ")}) VALUES (${columns.map("s." + _).mkString(", ")})""".stripMargin
  }
}

private[lake] object MergeSink {
  val deleted = "__kafkalyst_deleted"
  val order = "__kafkalyst_order"
  private val own = Set(deleted, order)
  private val remembered = 100L

  /**
   * @throws io.kafkalyst.errors.KafkalystException LAKE_MERGE_TABLE if MERGE is not supported for the table's format
   */
  def check(table: LakeTable): Unit =
    if (!Seq("iceberg", "delta").contains(table.provider)) {
      throw KafkalystException("LAKE_MERGE_TABLE", "name" -> table.name.toString, "provider" -> table.provider)
    }

  /** The last change of each key; if the order is unknown, a change that does not delete the key. */
  private def last(batch: DataFrame, keys: Seq[String]): DataFrame = {
    val place = "__kafkalyst_place"
    val byKey = Window.partitionBy(keys.map(k => col(quoteIdentifier(k))): _*).orderBy(col(order).desc, col(deleted))
    batch.withColumn(place, row_number().over(byKey)).where(col(place) === 1).drop(place)
  }
}
