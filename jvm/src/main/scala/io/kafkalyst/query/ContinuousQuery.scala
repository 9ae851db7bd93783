package io.kafkalyst.query

import java.time.Instant

import io.kafkalyst.catalog.ObjectName
import io.kafkalyst.catalog.cluster.Lease
import io.kafkalyst.clients.TopicAdmin
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{QuerySettings, Settings}
import io.kafkalyst.read.PartitionOffsets
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryProgress}

import scala.collection.immutable.SortedMap

/**
 * A continuous query as this application sees it: what the catalog keeps of it, and where it runs here, how it does.
 * Changed by [[ContinuousQueries]] alone.
 */
final class ContinuousQuery private[query] (@volatile private[query] var session: SparkSession, kept: QueryRecord) {
  @volatile private[kafkalyst] var record: QueryRecord = kept
  @volatile private[query] var streaming: Option[StreamingQuery] = None
  @volatile private var writesTo: Option[Sink] = None
  @volatile private[query] var restart: Option[Restart] = None

  /** Restarts in a row without a batch that was done in between. */
  @volatile private[query] var attempts = 0

  /** Restarts in this application. */
  @volatile private[query] var allRestarts = 0

  /** Whether it was paused in this application, so that RESUME ALL means it too. */
  @volatile private[query] var pausedHere = false

  /** Whether its statement waits for its end, and tells of its failure. */
  @volatile private[query] var awaited = false

  /** Which application runs it, as of the last look; None where nobody does, or nobody would tell. */
  @volatile private[query] var lease: Option[Lease] = None

  /** When the status was written last, in milliseconds. */
  @volatile private[query] var told = 0L

  private val counted = new QueryCounts(QueryStatus.counts(session, kept.checkpoint))

  def id: String = record.id
  def sink: SinkName = record.sink
  def sources: Seq[ObjectName] = record.sources
  def text: String = record.text
  def checkpoint: String = record.checkpoint
  def settings: Map[String, String] = record.settings

  /** Whether it writes into what others made. */
  def inserts: Boolean = record.inserts

  /** The id of Spark's StreamingQuery; null where it does not run here. */
  def streamingId: String = streaming.map(_.id.toString).orNull

  def isActive: Boolean = streaming.exists(_.isActive)

  /** Whether it failed and is to be started again: from its failure on, which listeners hear of later. */
  def isRestarting: Boolean =
    record.state == QueryRecord.running && !isActive &&
      (restart.isDefined || streaming.exists(_.exception.isDefined))

  /**
   * RUNNING, here or in another application that has its lease; RESTARTING while it waits for its next start after a
   * failure; STOPPED where it is to run but does not; or what the catalog says.
   */
  def state: String =
    if (record.state != QueryRecord.running || isActive) record.state
    else if (isRestarting) "RESTARTING"
    else if (lease.exists(l => l.owner != Leases.owner(session) && l.isHeld(System.currentTimeMillis()))) record.state
    else "STOPPED"

  /** Whether it still needs its sources and its sink. */
  def isAlive: Boolean = record.state != QueryRecord.finished

  /** Whether it is to run, also where it does not at the moment. */
  def isWanted: Boolean = record.state == QueryRecord.running

  /** How often it was started again since the last batch that was done. */
  def restarts: Int = attempts

  /** When it is started again; null where it is not. */
  def nextStart: Instant = restart.map(_.at).orNull

  /** Of the last failure; None where a batch was done since. */
  def error: Option[String] = record.error

  def counts: QueryCounts = {
    observe()
    counted
  }

  /**
   * The records behind the last batch that is done, as the broker has them now; as of that batch where it does not answer,
   * and in real time, where a batch that runs has read most of them.
   */
  def lags: PartitionOffsets.Offsets = {
    val settings = Settings.of(session.conf.getAll)
    val done = counts.offsets
    if (done.isEmpty || settings.realTime.isDefined) counts.lags
    else ContinuousQuery.behind(done, settings).getOrElse(counts.lags)
  }

  /** All of them together; None while not known. */
  def lag: Option[Long] = {
    val all = lags
    if (all.isEmpty) None else Some(all.values.flatMap(_.values).sum)
  }

  /** Takes in what Spark knows of the last batches: its listeners hear of them later. */
  private def observe(): Unit = streaming.foreach(_.recentProgress.foreach(observed))

  private[query] def observed(progress: StreamingQueryProgress): Unit =
    writesTo.foreach(sink => counted.observe(progress, sink.written))

  private[query] def running(started: StreamingQuery, sink: Sink): Unit = {
    observe()
    counted.again()
    streaming = Some(started)
    writesTo = Some(sink)
    restart = None
  }
}

private object ContinuousQuery {
  private val restNs = 10000000000L
  // When a broker did not answer, by System.nanoTime(): a list of many queries waits for it once.
  @volatile private var silent: Option[Long] = None

  private def behind(done: PartitionOffsets.Offsets, settings: Settings): Option[PartitionOffsets.Offsets] =
    if (silent.exists(System.nanoTime() - _ < restNs)) None
    else
      try {
        val admin = TopicAdmin(settings.clientProperties)
        Some(SortedMap.from(done.map { case (topic, next) =>
          topic -> SortedMap.from(admin.offsets(topic).map { case (partition, (first, end)) =>
            partition -> math.max(0L, end - next.getOrElse(partition, first))
          })
        }))
      } catch {
        case _: KafkalystException =>
          silent = Some(System.nanoTime())
          None
      }
}

/** A start that is to come. */
private[query] final case class Restart(at: Instant)

/** After which failure, and when, a query is started again. */
private[query] final case class Backoff(limit: Int, first: Long, longest: Long) {

  /** Milliseconds before start number `attempt`, from 1. */
  def wait(attempt: Int): Long =
    if (attempt > 40) longest else math.min(longest, first * (1L << (attempt - 1)))
}

private[query] object Backoff {
  def of(settings: Settings): Backoff = Backoff(
    settings(QuerySettings.restartAttempts).toInt,
    settings.millis(QuerySettings.restartBackoff),
    settings.millis(QuerySettings.restartMaxBackoff)
  )
}

/** What a streaming query failed with. */
private[query] object Failure {
  private def chain(failed: Throwable): Seq[Throwable] =
    Iterator.iterate(failed)(_.getCause).takeWhile(_ != null).toSeq

  /** The named condition within the chain of causes, else the last cause's own. */
  def of(failed: Throwable): Throwable = {
    chain(failed).find {
      case known: SparkThrowable => String.valueOf(known.getCondition).startsWith("KAFKALYST_")
      case _ => false
    }.getOrElse(failed)
  }

  def message(failed: Throwable): String = {
    val known = of(failed)
    val cause = if (known eq failed) chain(failed).last else known
    Option(cause.getMessage).getOrElse(cause.toString)
  }
}
