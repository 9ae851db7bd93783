package io.kafkalyst.model.flink

import org.apache.spark.sql.internal.SQLConf

/** Flink's settings that Spark has under another name; Flink's others have no effect. */
object FlinkSettings {
  private val zone = "table.local-time-zone"

  /** The setting that a name means. */
  def named(name: String): String = if (name.equalsIgnoreCase(zone)) SQLConf.SESSION_LOCAL_TIMEZONE.key else name

  /** Whether a value says that the setting is not set. */
  def isUnset(name: String, value: String): Boolean = name.equalsIgnoreCase(zone) && value.equalsIgnoreCase("default")
}
