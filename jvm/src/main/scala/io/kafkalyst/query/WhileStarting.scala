package io.kafkalyst.query

import org.apache.spark.sql.SparkSession

/** A query takes the session's settings when it starts: those it needs stand there that long and are then as before. */
private[query] object WhileStarting {
  def apply[A](session: SparkSession, needed: Map[String, String])(start: => A): A = synchronized {
    // Those that nobody set: asked for one by one, Spark tells its default as if somebody had.
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
