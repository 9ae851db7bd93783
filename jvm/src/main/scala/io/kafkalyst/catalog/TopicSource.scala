package io.kafkalyst.catalog

import io.kafkalyst.model.settings.Settings
import org.apache.spark.sql.SparkSession

/** Names and settings that readers and writers of the data source share. */
object TopicSource {
  val name = "kafkalyst"

  /** The option with the object's name for plans and messages; for a catalog entry, the name as written. */
  val nameOption = "kafkalyst.name"

  /** The active session's settings when a scan or write is planned. */
  val settings: () => Settings = () => Settings.of(SparkSession.active.conf.getAll)
}
