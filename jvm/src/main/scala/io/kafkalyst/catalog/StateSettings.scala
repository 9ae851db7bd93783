package io.kafkalyst.catalog

import org.apache.spark.sql.SparkSession

/**
 * Selects RocksDB as the state store of joins of topics: Spark's default store does not support the state of their
 * processors.
 */
object StateStore {
  val setting = "spark.sql.streaming.stateStore.providerClass"
  val rocksDb = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

  /**
   * Sets RocksDB for the streaming query that is starting on this thread. By now, Spark has cloned the user's session
   * for the query and changes settings of the clone itself; it records the state store right after the sources.
   */
  def giveToQuery(): Unit = {
    val copy = SparkSession.active
    if (!copy.conf.get(setting, "").contains("RocksDB")) copy.conf.set(setting, rocksDb)
  }
}
