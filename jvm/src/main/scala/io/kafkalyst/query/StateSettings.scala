package io.kafkalyst.query

import io.kafkalyst.model.TimeOfDay

/** What Spark must be told for continuous queries. */
private[query] object StateSettings {

  /** For each: one that was stopped within its first batch could never be started again; and it may have TIMEs. */
  val always: Map[String, String] =
    Map("spark.sql.streaming.verifyCheckpointDirectoryEmptyOnStart" -> "false", TimeOfDay.enabled -> "true")

  /** For those whose processors keep state. */
  val needed: Map[String, String] = Map(
    "spark.sql.streaming.stateStore.providerClass" ->
      "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    // Time goes on with the newest record of any source, as it does in Kafka Streams.
    "spark.sql.streaming.multipleWatermarkPolicy" -> "max",
    "spark.sql.streaming.statefulOperator.allowMultiple" -> "false"
  )
}
