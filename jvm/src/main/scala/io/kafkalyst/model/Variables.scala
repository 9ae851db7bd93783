package io.kafkalyst.model

import java.util.Locale

import org.apache.spark.sql.internal.SQLConf

/** ksqlDB's variables, stored among a session's settings; their names are case-insensitive. */
object Variables {
  private val prefix = "kafkalyst.variable."

  def key(name: String): String = prefix + name.toLowerCase(Locale.ROOT)

  /** The variables among all settings of a session, by name. */
  def of(conf: Map[String, String]): Map[String, String] = conf.collect {
    case (k, v) if k.startsWith(prefix) => k.stripPrefix(prefix) -> v
  }

  /** Runs the body with these settings, but without Spark's substitution of `${name}`. */
  def literally[T](conf: SQLConf)(body: => T): T = {
    val literal = conf.clone()
    literal.setConf(SQLConf.VARIABLE_SUBSTITUTE_ENABLED, false)
    SQLConf.withExistingConf(literal)(body)
  }
}
