package io.kafkalyst.query

/** What Spark must be told for queries whose processors keep state. */
private[query] object StateSettings {
  val needed: Map[String, String] = Map(
    "spark.sql.streaming.stateStore.providerClass" ->
      "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    // Time goes on with the newest record of any source, as it does in Kafka Streams.
    "spark.sql.streaming.multipleWatermarkPolicy" -> "max",
    "spark.sql.streaming.statefulOperator.allowMultiple" -> "false",
    // One that was stopped within its first batch could never be started again.
    "spark.sql.streaming.verifyCheckpointDirectoryEmptyOnStart" -> "false"
  )
}
