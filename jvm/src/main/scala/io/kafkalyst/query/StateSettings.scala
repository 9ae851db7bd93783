package io.kafkalyst.query

import io.kafkalyst.model.TimeOfDay

/** Spark settings that continuous queries need. */
private[query] object StateSettings {

  /**
   * For all queries: without the first, a query stopped within its first batch could never restart; the other allows
   * TIME values.
   */
  val always: Map[String, String] =
    Map("spark.sql.streaming.verifyCheckpointDirectoryEmptyOnStart" -> "false", TimeOfDay.enabled -> "true")

  /** For queries with stateful processors. */
  val needed: Map[String, String] = Map(
    "spark.sql.streaming.stateStore.providerClass" ->
      "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    // The watermark follows the newest record of any source, like stream time in Kafka Streams.
    "spark.sql.streaming.multipleWatermarkPolicy" -> "max",
    "spark.sql.streaming.statefulOperator.allowMultiple" -> "false"
  )
}
