package io.kafkalyst.catalog

import io.kafkalyst.model.settings.Settings
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.connector.catalog.TableCatalog

/** Names and settings that readers and writers of the data source share. */
object TopicSource {
  val name = "kafkalyst"

  /** The option with the topic's name, as in Spark's Kafka source and in Flink. */
  val topicOption = "topic"

  /** Options of Spark's readers that read a table at an earlier time. */
  val timestampAsOf = "timestampAsOf"
  val versionAsOf = "versionAsOf"

  /** Whether an option, in any case, reads at an earlier time. */
  def isAsOf(option: String): Boolean = Seq(timestampAsOf, versionAsOf).exists(_.equalsIgnoreCase(option))

  /** The option with the object's name for plans and messages; in a catalog entry, the name as written. */
  val nameOption = "kafkalyst.name"

  /**
   * Whether Spark itself adds the property to a table; Spark passes a statement's options twice, also with a prefix.
   */
  def isSparkProperty(property: String): Boolean =
    reserved(property) || property.startsWith(TableCatalog.OPTION_PREFIX)

  private val reserved =
    Set(
      TableCatalog.PROP_PROVIDER,
      TableCatalog.PROP_OWNER,
      TableCatalog.PROP_EXTERNAL,
      "is_managed_location",
      "collation"
    )

  /** The active session's settings when a scan or write is planned. */
  val settings: () => Settings = () => Settings.of(SparkSession.active.conf.getAll)
}
