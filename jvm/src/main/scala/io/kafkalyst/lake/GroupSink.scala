package io.kafkalyst.lake

import io.kafkalyst.errors.KafkalystException
import org.apache.spark.sql.{DataFrame, SparkSession}

/** Appends the changes of groups. The tables' own streaming writes accept only rows that do not change later. */
private[lake] final class GroupSink(override val into: LakeTarget) extends BatchSink {
  override protected def rows(batch: DataFrame): DataFrame = batch

  override protected def write(session: SparkSession, rows: DataFrame, id: Long): Unit =
    guard.once(session, BatchGuard.queryId(session), id) { () =>
      guard.append(rows.writeTo(table.name.sql).options(options.rest))
    }
}

private[lake] object GroupSink {

  /**
   * @throws io.kafkalyst.errors.KafkalystException LAKE_GROUPS_TABLE if a repeated batch of groups cannot be recognised in
   *         a table of this format
   */
  def check(table: LakeTable): Unit =
    if (!BatchGuard.isOf(table))
      throw KafkalystException(
        "LAKE_GROUPS_TABLE",
        "name" -> table.name.toString,
        "table" -> table.kind,
        "instead" -> instead
      )

  /** What can be written into tables that accept only rows that do not change later. */
  val instead = "write EMIT FINAL to append each window once, when it is closed"
}
