package io.kafkalyst.query

import io.kafkalyst.bridge.RealTime
import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.SinkProperties
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.write.SinkColumns
import org.apache.spark.SPARK_VERSION
import org.apache.spark.sql.Row
import org.apache.spark.sql.streaming.{DataStreamWriter, OutputMode}

/** Continuous queries in Spark's real-time mode. */
private[query] object RealTimeQuery {

  /**
   * Spark's sink allowlist for the mode contains only Spark's own sinks; [[writer]] itself enforces the operator
   * allowlist.
   */
  val needed: Map[String, String] = Map(RealTime.allowlistCheck -> "false")

  /**
   * The writer with the mode's trigger and its only output mode, which is equivalent for rows without state.
   *
   * @param length of a batch, in milliseconds; None for Spark's default
   * @throws io.kafkalyst.errors.KafkalystException REAL_TIME_NOT_IN_SPARK before Spark 4.1, REAL_TIME_WITH_STATE,
   *         EXACTLY_ONCE_REAL_TIME, REAL_TIME_SINK
   */
  def writer(
      given: DataStreamWriter[Row],
      planned: PlannedQuery,
      sink: SinkName,
      settings: Settings,
      length: Option[Long]
  ): DataStreamWriter[Row] = {
    if (!RealTime.isIn(SPARK_VERSION)) throw KafkalystException("REAL_TIME_NOT_IN_SPARK", "version" -> SPARK_VERSION)
    // Ordering needs a shuffle, and tasks after a shuffle start only when the batch is over.
    val isOrdered = planned.frame.schema.fieldNames.contains(SinkColumns.order)
    if (isOrdered || planned.stateful || planned.shape.operators.nonEmpty) throw KafkalystException(
      "REAL_TIME_WITH_STATE",
      "sink" -> sink.toString
    )
    planned.sink match {
      case TopicSink(_, topic) =>
        if (SinkProperties.isExactlyOnce(topic, settings)) TopicTable.noRealTime(sink.toString)
      case _ => throw KafkalystException("REAL_TIME_SINK", "sink" -> sink.toString)
    }
    given.outputMode(OutputMode.Update()).trigger(length.fold(RealTime.trigger())(RealTime.trigger(_)))
  }
}
