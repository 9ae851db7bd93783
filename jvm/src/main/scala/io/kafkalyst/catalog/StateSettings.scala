package io.kafkalyst.catalog

import io.kafkalyst.model.TimeOfDay
import org.apache.spark.sql.SparkSession

/** Spark's settings that streaming queries over topics need. */
private[kafkalyst] object StateSettings {
  private val store = "spark.sql.streaming.stateStore.providerClass"

  // Spark's default store does not support the state of the processors that joins of topics use.
  private val rocksDb = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

  /**
   * For all continuous queries: without the first, a query stopped within its first batch could never restart; the other
   * allows TIME values.
   */
  val always: Map[String, String] =
    Map("spark.sql.streaming.verifyCheckpointDirectoryEmptyOnStart" -> "false", TimeOfDay.enabled -> "true")

  /** For continuous queries with stateful processors. */
  val needed: Map[String, String] = Map(
    store -> rocksDb,
    // The watermark follows the newest record of any source, like stream time in Kafka Streams.
    "spark.sql.streaming.multipleWatermarkPolicy" -> "max",
    "spark.sql.streaming.statefulOperator.allowMultiple" -> "false"
  )

  /**
   * Sets RocksDB for the streaming query that is starting on this thread. By now, Spark has cloned the user's session
   * for the query and changes settings of the clone itself; it records the state store right after the sources.
   */
  def giveStore(): Unit = {
    val copy = SparkSession.active
    if (!copy.conf.get(store, "").contains("RocksDB")) copy.conf.set(store, rocksDb)
  }
}
