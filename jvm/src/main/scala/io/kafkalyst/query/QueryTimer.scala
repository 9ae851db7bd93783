package io.kafkalyst.query

import java.util.concurrent.{Executors, ThreadFactory, TimeUnit}

import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** Runs delayed work: restarts, status files, lease renewals. Slow work does not delay other work. */
private[query] object QueryTimer {
  private val log = LoggerFactory.getLogger("io.kafkalyst.query")

  // Daemon threads: pending restarts must not keep an application from exiting.
  private val daemons: ThreadFactory = { work =>
    val thread = new Thread(work, "kafkalyst-restarts")
    thread.setDaemon(true)
    thread
  }
  private lazy val timer = Executors.newSingleThreadScheduledExecutor(daemons)
  private lazy val workers = Executors.newCachedThreadPool(daemons)

  /** Runs the work once after a delay; logs its errors. */
  def after(millis: Long)(work: => Unit): Unit = {
    val logged: Runnable = { () =>
      try work
      catch { case NonFatal(e) => log.error("Work in the background failed", e) }
    }
    timer.schedule((() => workers.execute(logged)): Runnable, millis, TimeUnit.MILLISECONDS)
    ()
  }
}
