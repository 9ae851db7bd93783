package io.kafkalyst.query

import java.util.concurrent.{Executors, ScheduledExecutorService, TimeUnit}

/** Runs delayed work: restarts, status files, lease renewals. */
private[query] object QueryTimer {

  // A daemon thread: pending restarts must not keep an application from exiting.
  private lazy val timer: ScheduledExecutorService = Executors.newSingleThreadScheduledExecutor { work =>
    val thread = new Thread(work, "kafkalyst-restarts")
    thread.setDaemon(true)
    thread
  }

  def after(millis: Long)(work: => Unit): Unit = {
    timer.schedule((() => work): Runnable, millis, TimeUnit.MILLISECONDS)
    ()
  }
}
