package io.kafkalyst.lake

import io.kafkalyst.query.Sink
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.Trigger

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

  final override def prepare(session: SparkSession, checkpoint: String): Unit = {
    check(session, checkpoint)
    into.grow()
  }

  /** Throws if the table cannot take the query's rows as it is now. */
  protected def check(session: SparkSession, checkpoint: String): Unit = ()

  override def missing(session: SparkSession): Option[Throwable] =
    Option.when(LakeTable.found(session, table.name).isEmpty)(LakeTable.missing(table.name))

  override def trigger: Option[Trigger] = options.trigger match {
    case LakeTrigger.Every(millis) => Some(Trigger.ProcessingTime(millis))
    case LakeTrigger.AvailableNow => None
  }

  override def availableNow: Boolean = options.trigger == LakeTrigger.AvailableNow
}
