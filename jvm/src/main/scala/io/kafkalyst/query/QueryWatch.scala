package io.kafkalyst.query

import java.util.UUID

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.{StreamingQueryListener, StreamingQueryProgress}
import org.apache.spark.sql.streaming.StreamingQueryListener._

/**
 * Listens to the streaming queries of all sessions.
 *
 * @param progressed called with each progress
 * @param ended      called with the id of a run that has ended
 */
private[query] final class QueryWatch(progressed: StreamingQueryProgress => Unit, ended: UUID => Unit)
    extends StreamingQueryListener {

  /** Call before a session's first query starts. */
  def in(session: SparkSession): Unit = synchronized {
    if (!session.streams.listListeners().contains(this)) session.streams.addListener(this)
  }

  override def onQueryStarted(event: QueryStartedEvent): Unit = ()
  override def onQueryProgress(event: QueryProgressEvent): Unit = progressed(event.progress)
  override def onQueryIdle(event: QueryIdleEvent): Unit = ()
  override def onQueryTerminated(event: QueryTerminatedEvent): Unit = ended(event.runId)
}
