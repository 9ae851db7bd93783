package io.kafkalyst.query
package push

import java.util.concurrent.ConcurrentHashMap

import io.kafkalyst.clients.ApplicationEnd
import io.kafkalyst.errors.KafkalystException
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.streaming.StreamingQuery
import org.slf4j.LoggerFactory

import scala.util.Using

/**
 * A stream's rows on their way to one reader. Offers one part of a batch at a time (see [[ShownBatch]]): the stream
 * waits until the reader has received the part.
 */
private[push] final class LiveResult private (session: SparkSession, view: String, isLocal: Boolean) {
  import LiveResult._

  private var taken = 0L
  private var part = Option.empty[Array[InternalRow]]
  @volatile private var query = Option.empty[StreamingQuery]
  @volatile private var lastRead = System.nanoTime()
  @volatile private var isLeft = false

  // Not the lock of `offer`, which the stream may need before its start ends.
  private val starting = new Object

  /** Starts the stream at the first call. */
  private def begin(): Unit = starting.synchronized {
    if (query.isEmpty && !isLeft) {
      val shown = ShownStream.inSteps(session.table(view).queryExecution.analyzed)
      query = Some(ShownStream.start(session, shown, Some(view)) { batch =>
        Using.resource(new ShownBatch(batch))(_.parts.foreach(offer))
      })
      // A reader in this process ends with it.
      if (!isLocal) stopUnread()
    }
  }

  /** Whether the stream runs. */
  def isActive: Boolean = query.nonEmpty && !isStopped

  // Spark does not stop the streams of an application that ends.
  private def isStopped = query.exists(!_.isActive) || session.sparkContext.isStopped

  private def stop(): Unit = {
    val running = starting.synchronized {
      isLeft = true
      query
    }
    running.foreach(_.stop())
  }

  /** Stops the stream if it is not read for a while, because a reader that is gone cannot stop it. */
  private def stopUnread(): Unit = QueryTimer.after(lookForReaderMs) {
    if (isActive) {
      if (System.nanoTime() - lastRead < unreadNanos) stopUnread()
      else {
        log.warn(s"The stream $view stops, as nobody has read it for ${unreadNanos / 60000000000L} minutes")
        stop()
      }
    }
  }

  // Spark interrupts a stopped stream only once, and what the batch has called before may have taken the interrupt.
  private def offer(rows: Array[InternalRow]): Unit = synchronized {
    part = Some(rows)
    notifyAll()
    while (part.isDefined) {
      if (isStopped) throw new InterruptedException
      wait(lookMs)
    }
  }

  /**
   * The part after the first `received` parts; empty if none arrives within `millis`. The same call returns the same
   * part again.
   *
   * @throws io.kafkalyst.errors.KafkalystException LIVE_UNREAD if the stream has been stopped because nobody read it
   */
  def after(received: Long, millis: Long): Array[InternalRow] = synchronized {
    if (isLeft) throw unread
    lastRead = System.nanoTime()
    if (received > taken) {
      taken = received
      part = None
      notifyAll()
    }
    val end = lastRead + millis * nanosPerMilli
    def left = (end - System.nanoTime()) / nanosPerMilli
    // At least 1, as wait(0) has no end.
    while (part.isEmpty && isActive && left > 0) wait(left.min(lookMs).max(1))
    part.getOrElse {
      query.filterNot(_.isActive).flatMap(_.exception).foreach(failed => throw Failure.of(failed))
      Array.empty
    }
  }

  private def isForgotten =
    session.sparkContext.isStopped || !isActive && System.nanoTime() - lastRead > unreadNanos
}

private[push] object LiveResult {
  private val results = new ConcurrentHashMap[Key, LiveResult]()
  ApplicationEnd.then(() => forget())

  // Sessions may have views of the same name.
  private final case class Key(session: SparkSession, view: String)

  private val nanosPerMilli = 1000000L
  private val lookMs = 50L
  private val lookForReaderMs = 60000L
  private val unreadNanos = 600000L * nanosPerMilli
  private val log = LoggerFactory.getLogger("io.kafkalyst.query")

  private def unread = KafkalystException("LIVE_UNREAD", "minutes" -> (unreadNanos / 60000000000L).toString)

  /**
   * Starts the stream that is a temporary view of the session.
   *
   * @param isLocal whether its reader is in this process, so that the stream waits for it however slow it is
   */
  def start(session: SparkSession, view: String, isLocal: Boolean): LiveResult = {
    forget()
    val result = results.computeIfAbsent(Key(session, view), _ => new LiveResult(session, view, isLocal))
    // Not within the map, whose locks other results share.
    try result.begin()
    catch { case e: Throwable => results.remove(Key(session, view), result); throw e }
    result
  }

  private def forget(): Unit = {
    results.values.removeIf(_.isForgotten)
    ()
  }

  /** @throws io.kafkalyst.errors.KafkalystException LIVE_UNREAD if it was not read for so long that it is forgotten */
  def get(session: SparkSession, view: String): LiveResult = find(session, view).getOrElse(throw unread)

  /** The result of the session's stream, until [[stop]], or until nobody has read it for a while. */
  def find(session: SparkSession, view: String): Option[LiveResult] = Option(results.get(Key(session, view)))

  /** Ends the stream, if it was started, and forgets it. */
  def stop(session: SparkSession, view: String): Unit =
    Option(results.remove(Key(session, view))).foreach(_.stop())
}
