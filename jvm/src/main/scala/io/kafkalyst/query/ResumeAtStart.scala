package io.kafkalyst.query

import java.util.concurrent.atomic.AtomicReference

import io.kafkalyst.model.settings.QuerySettings
import org.apache.spark.sql.SparkSession
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** Resumes an application's continuous queries when its first session starts, if the setting asks for it. */
object ResumeAtStart {
  private val log = LoggerFactory.getLogger("io.kafkalyst.query")
  // A JVM has one application at a time.
  private val seen = new AtomicReference("")

  /** Called while a session's state is being built, so the work runs later, in a thread of its own. */
  def apply(session: SparkSession): Unit = {
    val context = session.sparkContext
    val wanted = context.getConf.getBoolean(QuerySettings.resumeAtStart.name, defaultValue = false)
    if (seen.getAndSet(context.applicationId) != context.applicationId && wanted) {
      val thread = new Thread(() => resume(session), "kafkalyst-resume")
      thread.setDaemon(true)
      thread.start()
    }
  }

  private def resume(session: SparkSession): Unit =
    try {
      // Waits until the session state is built.
      session.sessionState
      SparkSession.setActiveSession(session)
      val resumed = ResumeAll(session)
      log.info(s"Resumed at start: ${resumed.map(q => s"${q.id} (${q.state})").mkString(", ")}")
    } catch { case NonFatal(e) => log.error("The continuous queries could not be resumed at start", e) }
}
