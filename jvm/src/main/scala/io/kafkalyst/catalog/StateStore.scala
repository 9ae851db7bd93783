package io.kafkalyst.catalog

import org.apache.spark.sql.SparkSession

/** RocksDB, the state store of joins of topics: Spark's default one cannot hold what their processors keep. */
object StateStore {
  val setting = "spark.sql.streaming.stateStore.providerClass"
  val rocksDb = "org.apache.spark.sql.execution.streaming.state.RocksDBStateStoreProvider"

  /**
   * Gives it to the streaming query that begins on this thread. Spark has copied the user's session for the query by
   * then, and changes settings of the copy itself; it records the state store right after the sources.
   */
  def giveToQuery(): Unit = {
    val copy = SparkSession.active
    if (!copy.conf.get(setting, "").contains("RocksDB")) copy.conf.set(setting, rocksDb)
  }
}
