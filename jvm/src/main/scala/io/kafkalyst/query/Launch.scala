package io.kafkalyst.query

import java.util.concurrent.{ExecutionException, TimeUnit}

import io.kafkalyst.catalog.StateSettings
import io.kafkalyst.model.TimeOfDay
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.streams.QueryShape
import org.apache.spark.sql.kafkalyst.Frames
import org.apache.spark.sql.streaming.{StreamingQuery, Trigger}

import scala.util.Try

/** Gives a planned query to Spark, as its own session would start it. */
private[query] object Launch {
  private val endSeconds = 60L

  /**
   * Call with [[ContinuousQuery.changing]] held, and no lock that other queries need: tables of a lake take requests.
   *
   * @param planned to be started in the query's [[ContinuousQuery.starter]]
   * @throws io.kafkalyst.errors.KafkalystException QUERY_TOPICS
   */
  def apply(planned: PlannedQuery, query: ContinuousQuery): StreamingQuery = {
    val session = query.starter
    val settings = Settings.of(query.session.conf.getAll)
    QueryShape.checkTopics(query.record.word, query.record.shape, planned.shape.topics)
    planned.sink.prepare(session, query.checkpoint)
    // Spark makes the frame's encoder here.
    val writer = TimeOfDay.allowed(planned.frame.writeStream)
      .queryName(nameOf(query))
      .outputMode(planned.mode)
      .option("checkpointLocation", query.checkpoint)
    val (triggered, needed) = settings.realTime match {
      case Some(length) => RealTimeQuery.writer(writer, planned, query.sink, settings, length) -> RealTimeQuery.needed
      case None =>
        val trigger =
          if (planned.availableNow(settings)) Some(Trigger.AvailableNow()) else planned.sink.trigger
        trigger.fold(writer)(writer.trigger) ->
          (if (planned.stateful) StateSettings.needed else Map.empty[String, String])
    }
    def all = KeptSettings.differing(query.session, session) ++
      (StateSettings.always ++ needed).map { case (name, value) => name -> Some(value) }
    whole(QueryLogs.starting(session, query.id) {
      WhileStarting(session, all)(planned.sink.start(session, triggered, query.checkpoint))
    })
  }

  /**
   * Starts a stream in a thread that nobody interrupts. If a start is interrupted, Spark forgets the stream, but the
   * stream runs on.
   *
   * @throws java.lang.InterruptedException if the caller is interrupted meanwhile; then the stream has been stopped, or
   *         is stopped as soon as its start ends
   */
  def whole(start: => StreamingQuery): StreamingQuery = {
    val starting = Frames.apart("kafkalyst-start")(start)
    try starting.get()
    catch {
      case failed: ExecutionException => throw failed.getCause
      case interrupted: InterruptedException =>
        Try(starting.thenAccept(_.stop()).get(endSeconds, TimeUnit.SECONDS))
        throw interrupted
    }
  }

  /** Spark's name of the query: its id, unless a query of another catalog has this name already. */
  private def nameOf(query: ContinuousQuery) =
    if (query.starter.streams.active.exists(_.name == query.id)) query.fullId else query.id
}
