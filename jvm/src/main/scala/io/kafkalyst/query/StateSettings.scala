package io.kafkalyst.query

import org.apache.spark.sql.SparkSession

/**
 * What Spark must be told for queries whose processors keep state: a query takes the session's settings when it starts,
 * so they stand there that long and are then as they were.
 */
private[query] object StateSettings {
  private val needed = Map(
    "spark.sql.streaming.stateStore.providerClass" ->
      "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider",
    // Time goes on with the newest record of any source, as it does in Kafka Streams.
    "spark.sql.streaming.multipleWatermarkPolicy" -> "max",
    "spark.sql.streaming.statefulOperator.allowMultiple" -> "false",
    // One that was stopped within its first batch could never be started again.
    "spark.sql.streaming.verifyCheckpointDirectoryEmptyOnStart" -> "false"
  )

  def during[A](session: SparkSession)(start: => A): A = synchronized {
    val before = needed.keys.map(name => name -> session.conf.getOption(name)).toMap
    needed.foreach { case (name, value) => session.conf.set(name, value) }
    try start
    finally before.foreach {
        case (name, Some(value)) => session.conf.set(name, value)
        case (name, None) => session.conf.unset(name)
      }
  }
}
