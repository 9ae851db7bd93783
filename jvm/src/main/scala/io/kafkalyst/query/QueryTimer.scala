package io.kafkalyst.query

import java.util.concurrent.{Executors, ThreadFactory, TimeUnit}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.kafkalyst.Frames
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/**
 * Runs delayed work: restarts, status files, lease renewals. Slow work does not delay other work, so it takes a thread:
 * callers that repeat work do not begin it again while it is running.
 */
private[query] object QueryTimer {
  private val log = LoggerFactory.getLogger("io.kafkalyst.query")

  // Daemon threads: pending restarts must not keep an application from exiting. Spark's thread locals of the statement
  // that needs a thread are not inherited: its job group may be cancelled, and its session may end.
  private[query] val daemons: ThreadFactory = { work =>
    val thread = new Thread(null, work, "kafkalyst-queries", 0, false)
    thread.setContextClassLoader(Thread.currentThread.getContextClassLoader)
    thread.setDaemon(true)
    thread
  }
  private lazy val timer = Executors.newSingleThreadScheduledExecutor(daemons)
  private lazy val workers = Executors.newCachedThreadPool(daemons)

  /** Like `after`, with the session as the active one. */
  def within(session: => SparkSession, millis: Long = 0)(work: => Unit): Unit =
    after(millis)(Frames.within(session)(work))

  /** Runs the work once after a delay, without an active session; logs its errors. */
  def after(millis: Long)(work: => Unit): Unit = {
    val logged: Runnable = { () =>
      try work
      catch { case NonFatal(e) => log.error("Work in the background failed", e) }
    }
    timer.schedule((() => workers.execute(logged)): Runnable, millis, TimeUnit.MILLISECONDS)
    ()
  }
}
