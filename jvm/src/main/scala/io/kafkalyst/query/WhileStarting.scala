package io.kafkalyst.query

import org.apache.spark.sql.SparkSession

/**
 * A query takes the session's settings when it starts: sets those that it needs during the start, then restores the
 * previous values.
 */
private[query] object WhileStarting {
  def apply[A](session: SparkSession, needed: Map[String, String])(start: => A): A = synchronized {
    // Only settings that were set explicitly: asked for a single setting, Spark returns its default as if it had been
    // set.
    val set = session.sessionState.conf.getAllConfs
    val before = needed.keys.map(name => name -> set.get(name)).toMap
    needed.foreach { case (name, value) => session.conf.set(name, value) }
    try start
    finally before.foreach {
        case (name, Some(value)) => session.conf.set(name, value)
        case (name, None) => session.conf.unset(name)
      }
  }
}
