package io.kafkalyst.query

import java.util.concurrent.{Executors, ScheduledExecutorService, TimeUnit}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.StreamingQueryListener
import org.apache.spark.sql.streaming.StreamingQueryListener._

/** Listens to streaming queries and notifies [[ContinuousQueries]]. One instance for all sessions. */
private[query] object QueryWatch extends StreamingQueryListener {

  /** Call before a session's first query starts. */
  def in(session: SparkSession): Unit = synchronized {
    if (!session.streams.listListeners().contains(this)) session.streams.addListener(this)
  }

  override def onQueryStarted(event: QueryStartedEvent): Unit = ()
  override def onQueryProgress(event: QueryProgressEvent): Unit = ContinuousQueries.progressed(event.progress)
  override def onQueryIdle(event: QueryIdleEvent): Unit = ()
  override def onQueryTerminated(event: QueryTerminatedEvent): Unit = ContinuousQueries.ended(event.runId)

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
