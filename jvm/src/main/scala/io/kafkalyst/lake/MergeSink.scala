package io.kafkalyst.lake

import io.kafkalyst.errors.KafkalystException
import org.apache.spark.sql.{DataFrame, SparkSession}
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.expressions.Window
import org.apache.spark.sql.functions.{col, row_number}

/**
 * Merges each batch into a table by key: the last change of a key wins, and tombstones delete.
 *
 * @param keys names of the table's key columns
 */
private[lake] final class MergeSink(override val into: LakeTarget, keys: Seq[String]) extends BatchSink {
  override protected def rows(batch: DataFrame): DataFrame = MergeSink.last(batch, keys)

  override protected def write(session: SparkSession, rows: DataFrame, id: Long): Unit = {
    val view = s"kafkalyst_batch_$id"
    rows.createOrReplaceTempView(view)
    try guard.once(session, BatchGuard.queryId(session), id)(() => session.sql(statement(session, view)))
    finally session.catalog.dropTempView(view)
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

  /**
   * @param isRewritten whether batches change rows of earlier ones, which is not appended to these tables either
   * @throws io.kafkalyst.errors.KafkalystException LAKE_MERGE_TABLE if MERGE is not supported for the table's format
   */
  def check(table: LakeTable, isRewritten: Boolean): Unit =
    if (!BatchGuard.isOf(table)) {
      val instead =
        if (isRewritten) GroupSink.instead
        else "write MERGE='append', which appends each change with its kind (ROWKIND), offset and time"
      throw KafkalystException(
        "LAKE_MERGE_TABLE",
        "name" -> table.name.toString,
        "table" -> table.kind,
        "instead" -> instead
      )
    }

  /** The last change of each key; if the order is unknown, a change that does not delete the key. */
  private def last(batch: DataFrame, keys: Seq[String]): DataFrame = {
    val place = "__kafkalyst_place"
    val byKey = Window.partitionBy(keys.map(k => col(quoteIdentifier(k))): _*).orderBy(col(order).desc, col(deleted))
    batch.withColumn(place, row_number().over(byKey)).where(col(place) === 1).drop(place)
  }
}
