package io.kafkalyst.model

import java.util.Locale

/** ksqlDB's variables, kept among a session's settings; their names have no case. */
object Variables {
  private val prefix = "kafkalyst.variable."

  def key(name: String): String = prefix + name.toLowerCase(Locale.ROOT)

  /** Those among all settings of a session, by name. */
  def of(conf: Map[String, String]): Map[String, String] = conf.collect {
    case (k, v) if k.startsWith(prefix) => k.stripPrefix(prefix) -> v
  }
}
