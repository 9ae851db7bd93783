package io.kafkalyst.query

import java.util.concurrent.{Executors, ThreadFactory, TimeUnit}

import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** Runs delayed work: restarts, status files, lease renewals. Work that takes long delays no other. */
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

  /** Runs the work once, some time from now. What it throws is logged. */
  def after(millis: Long)(work: => Unit): Unit = {
    val logged: Runnable = { () =>
      try work
      catch { case NonFatal(e) => log.error("Work in the background failed", e) }
    }
    timer.schedule((() => workers.execute(logged)): Runnable, millis, TimeUnit.MILLISECONDS)
    ()
  }
}
