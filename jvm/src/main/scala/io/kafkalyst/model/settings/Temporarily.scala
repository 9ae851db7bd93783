package io.kafkalyst.model.settings

import org.apache.spark.sql.SparkSession

/** Changes settings of a session for a moment. */
private[kafkalyst] object Temporarily {

  /**
   * Runs the body with these settings, and then restores the earlier ones. What another thread of the session has set
   * meanwhile stays.
   *
   * @param settings None unsets one
   */
  def apply[A](session: SparkSession, settings: Map[String, Option[String]])(body: => A): A = {
    val before = set(session)
    put(session, settings)
    try body
    finally {
      val now = set(session)
      val unchanged = settings.filter { case (name, value) => now.get(name) == value }
      put(session, unchanged.map { case (name, _) => name -> before.get(name) })
    }
  }

  // Only settings that were set explicitly: asked for a single setting, Spark returns its default as if it had been set.
  private def set(session: SparkSession): Map[String, String] = session.sessionState.conf.getAllConfs

  private def put(session: SparkSession, settings: Map[String, Option[String]]): Unit = settings.foreach {
    case (name, Some(value)) => session.conf.set(name, value)
    case (name, None) => session.conf.unset(name)
  }
}
