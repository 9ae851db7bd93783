package io.kafkalyst.model

import java.util.Locale

/** ksqlDB's variables, stored among a session's settings; their names are case-insensitive. */
object Variables {
  private val prefix = "kafkalyst.variable."

  def key(name: String): String = prefix + name.toLowerCase(Locale.ROOT)

  /** The variables among all settings of a session, by name. */
  def of(conf: Map[String, String]): Map[String, String] = conf.collect {
    case (k, v) if k.startsWith(prefix) => k.stripPrefix(prefix) -> v
  }
}
