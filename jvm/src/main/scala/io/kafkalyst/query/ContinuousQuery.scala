package io.kafkalyst.query

import java.time.Instant
import java.util.concurrent.atomic.AtomicBoolean

import io.kafkalyst.catalog.{ObjectName, ObjectStore}
import io.kafkalyst.catalog.cluster.Lease
import io.kafkalyst.catalog.define.Growth
import io.kafkalyst.clients.{Recent, TopicAdmin}
import io.kafkalyst.errors.{Causes, Clipped, Conditions, KafkalystException}
import io.kafkalyst.model.settings.{QuerySettings, Settings}
import io.kafkalyst.query.lease.{Leases, Runner}
import io.kafkalyst.read.offsets.PartitionOffsets
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryProgress}

import scala.collection.immutable.SortedMap
import scala.util.Try

/**
 * A continuous query as this application sees it: its catalog record and, if it runs here, its state. Only
 * [[ContinuousQueries]] changes it.
 */
final class ContinuousQuery private[query] (known: SparkSession, kept: QueryRecord) {

  /**
   * The session in which the query runs, with the settings of its start; before the start, any session that can read
   * its record.
   */
  @volatile private[query] var session: SparkSession = known

  /** The session that started the query; the query is among this session's streaming queries. */
  @volatile private[query] var starter: SparkSession = known
  @volatile private[kafkalyst] var record: QueryRecord = kept
  @volatile private[query] var streaming: Option[StreamingQuery] = None
  @volatile private var writesTo: Option[Sink] = None
  @volatile private[query] var restart: Option[Restart] = None

  /** Consecutive restarts without a completed batch. */
  @volatile private[query] var attempts = 0

  /** Restarts in this application. */
  @volatile private[query] var allRestarts = 0

  /** The run that a statement or another application stopped here, so that its end is not handled as a failure. */
  @volatile private[query] var halted: Option[StreamingQuery] = None

  /** Whether the query was paused in this application, so that RESUME ALL includes it. */
  @volatile private[query] var pausedHere = false

  /** Whether runs end once all available data is written. */
  @volatile private[query] var ends = false

  /**
   * Whether a statement waits for the query's end and reports its failure, or the query's stored record is being
   * changed.
   */
  @volatile private[query] var awaited = false

  /** The application that runs the query, as last read; None if no application runs it or it is unknown. */
  @volatile private[query] var lease: Option[Lease] = None

  /** The record with the state that this application gave the query last. */
  @volatile private var given: Option[QueryRecord] = None

  /** When the status was last written, in epoch milliseconds. */
  @volatile private[query] var told = 0L

  /** Whether this application is to take the query over when its lease ends. */
  @volatile private[query] var standsBy = false

  // Held while the query is started or stopped; taken before the lock of [[ContinuousQueries]].
  private[query] val changing = new Object

  // Held while the query's status is written.
  private[query] val telling = new Object

  // Whether a write of the status is due that has not begun.
  private[query] val tells = new AtomicBoolean

  // Whether the error is to be cleared, because a batch has completed, and nobody has begun to.
  private[query] val recovers = new AtomicBoolean

  private val counted = new QueryCounts(QueryCounts.before(known, kept.checkpoint))

  private[query] val key: String = Leases.keyOf(known, kept)

  def id: String = record.id
  def fullId: String = record.fullId
  def sink: SinkName = record.sink
  def sources: Seq[ObjectName] = record.sources
  def text: String = record.text
  def checkpoint: String = record.checkpoint
  def settings: Map[String, String] = record.settings

  /** Whether the query inserts into an existing sink instead of one that it created. */
  def inserts: Boolean = record.inserts

  /** The id of Spark's StreamingQuery; null if the query does not run here. */
  def streamingId: String = streaming.map(_.id.toString).orNull

  def isActive: Boolean = streaming.exists(_.isActive)

  /** Whether the query failed and will be restarted. True as soon as the run fails; listeners are notified later. */
  def isRestarting: Boolean =
    record.state == QueryRecord.running && !isActive &&
      (restart.isDefined || streaming.exists(run => run.exception.isDefined && !halted.contains(run)))

  /** Whether it runs here, is about to, or is being changed. Then this application knows more than the catalog. */
  private[query] def isBusy: Boolean = isActive || isRestarting || awaited

  /** Whether this application runs it, stands by for it, or was the last to change its state, as when it failed here. */
  def isHere: Boolean = isBusy || standsBy || given.contains(record)

  private[query] def kept(now: QueryRecord): Unit = {
    record = now
    given = Some(now)
  }

  /** Whether its application has ended. Its JVM may go on, as a notebook's does after `spark.stop()`. */
  private[query] def isOrphaned: Boolean = session.sparkContext.isStopped

  /**
   * RUNNING, here or in another application that holds the query's lease; RESTARTING while the query waits for its
   * restart after a failure, or for this application to take it over; STOPPED if it should run but does not; otherwise the catalog's state.
   */
  def state: String =
    if (record.state != QueryRecord.running || isActive) record.state
    else if (isRestarting) "RESTARTING"
    else if (lease.exists(l => l.owner != Runner.owner(session) && l.isHeld(System.currentTimeMillis()))) record.state
    else if (standsBy) "RESTARTING"
    else "STOPPED"

  /** Whether the query still needs its sources and its sink. */
  def isAlive: Boolean = record.state != QueryRecord.finished

  /** Whether the query should run, even if it does not at the moment. */
  def isWanted: Boolean = record.state == QueryRecord.running

  /** Restarts since the last completed batch. */
  def restarts: Int = attempts

  /** The time of the next restart; null if none is due. */
  def nextStart: Instant = restart.map(_.at).orNull

  /** The last failure's error; None if a batch has completed since. */
  def error: Option[String] = record.error

  def counts: QueryCounts = {
    observe()
    counted
  }

  /**
   * Each partition's lag: the records from the last completed batch up to the broker's current end offset. If the
   * broker does not answer, and in real-time mode, where the running batch has read most records, the lag as of the
   * last batch.
   */
  def lags: PartitionOffsets.Offsets = {
    val done = counts.offsets
    if (done.isEmpty || Settings.of(session.conf.getAll).realTime.isDefined) counts.lags
    else ContinuousQuery.behind(done, settingsOf).getOrElse(counts.lags)
  }

  /** The settings of the cluster from which a topic is read. */
  private[query] def settingsOf(topic: String): Settings = {
    val store = new ObjectStore(session)
    sources.filter(_.isOfCluster).find(name => store.at(name).exists(_.topic.topics.contains(topic)))
      .fold(Settings.of(session.conf.getAll))(store.settings)
  }

  /** The total lag; None if unknown. */
  def lag: Option[Long] = PartitionOffsets.total(lags)

  /** Reads Spark's progress of the last batches, because listeners are notified later. */
  private def observe(): Unit = streaming.foreach(_.recentProgress.foreach(observed))

  private[query] def observed(progress: StreamingQueryProgress): Unit =
    writesTo.foreach(sink => counted.observe(progress, sink.written))

  /** Why a run failed. If the sink is gone, that is the cause, whatever error the run met. */
  private[query] def cause(failed: Throwable): Throwable =
    writesTo.flatMap(sink => Try(sink.missing(session)).toOption.flatten).getOrElse(failed)

  private[query] def running(started: StreamingQuery, sink: Sink): Unit = {
    observe()
    counted.again()
    streaming = Some(started)
    writesTo = Some(sink)
    restart = None
  }
}

private object ContinuousQuery {
  private val settling = 10000L
  private val restNs = 10000000000L
  // When brokers last failed to answer, by System.nanoTime(): listing many queries waits for them only once.
  private val silent = new Recent[String, Long](most = 64)

  /** Sorts numbers in ids by value: CSAS_A_9 before CSAS_A_10. */
  def order(id: String): (String, Int) = {
    val digits = id.reverse.takeWhile(_.isDigit).reverse.takeRight(9)
    (id.stripSuffix(digits), digits.toIntOption.getOrElse(-1))
  }

  /**
   * Waits until a run's first batch is done or there is nothing to do. A failure is thrown as a
   * StreamingQueryException.
   */
  def settled(run: StreamingQuery): Unit = {
    val deadline = System.currentTimeMillis() + settling
    def begun = run.lastProgress != null || run.status.message.startsWith("Waiting for")
    while (run.isActive && !begun && System.currentTimeMillis() < deadline) run.awaitTermination(50)
    run.exception.foreach(throw _)
  }

  private def behind(done: PartitionOffsets.Offsets, settings: String => Settings): Option[PartitionOffsets.Offsets] =
    try {
      val lags = done.toSeq.flatMap { case (topic, next) =>
        ofTopic(topic, next, settings(topic)).map(topic -> _)
      }
      Option.when(lags.size == done.size)(SortedMap.from(lags))
    } catch { case _: KafkalystException => None }

  private def ofTopic(topic: String, next: SortedMap[Int, Long], settings: Settings): Option[SortedMap[Int, Long]] = {
    val brokers = settings(Settings.bootstrapServers)
    if (silent.get(brokers).exists(System.nanoTime() - _ < restNs)) None
    else
      try Some(SortedMap.from(TopicAdmin(settings.clientProperties).offsets(topic).map {
          case (partition, (first, end)) =>
            partition -> math.max(0L, end - next.getOrElse(partition, first))
        }))
      catch {
        case _: KafkalystException =>
          silent.put(brokers, System.nanoTime())
          None
      }
  }
}

/** A scheduled restart. */
private[query] final case class Restart(at: Instant)

/** Limits and delays of a query's restarts after failures. */
private[query] final case class Backoff(limit: Int, first: Long, longest: Long) {

  /** The delay before start number `attempt` (from 1), in milliseconds. */
  def wait(attempt: Int): Long =
    if (attempt > 20) longest else math.min(longest, first * (1L << (attempt - 1)))
}

private[query] object Backoff {
  def of(settings: Settings): Backoff = Backoff(
    settings(QuerySettings.restartAttempts).toInt,
    settings.millis(QuerySettings.restartBackoff),
    settings.millis(QuerySettings.restartMaxBackoff)
  )
}

/** Why a streaming query failed. */
private[query] object Failure {
  private def chain(failed: Throwable): Seq[Throwable] =
    Causes.of(failed).toSeq

  /** The named condition in the chain of causes, otherwise the error itself. */
  def of(failed: Throwable): Throwable = {
    chain(failed).find {
      case known: SparkThrowable => String.valueOf(known.getCondition).startsWith("KAFKALYST_")
      case _ => false
    }.getOrElse(failed)
  }

  /** The error for a query that another statement has ended. */
  def ended(record: QueryRecord): KafkalystException =
    KafkalystException("QUERY_NOT_FOUND", "id" -> record.id, "known" -> "another statement has ended it")

  /** Whether the failure means that another application or statement owns the query; then nothing may change it. */
  def isOfOthers(failed: Throwable): Boolean = failed match {
    case known: KafkalystException => others(known.getCondition)
    case _ => false
  }

  private val others =
    Seq("QUERY_HELD", "QUERY_ELSEWHERE", "QUERY_CHANGED", "QUERY_NOT_FOUND").map(Conditions(_).name).toSet

  /** Whether this application cannot see the checkpoint folder, or may not use it. */
  def isWithoutFolder(failed: Throwable): Boolean = failed match {
    case known: KafkalystException => folders.contains(known.getCondition)
    case _ => false
  }

  private val folders = Seq("CHECKPOINT_GONE", "CHECKPOINT_OUTSIDE").map(Conditions(_).name)

  /** Whether the query's source has new columns, with which it goes on when planned again. */
  def isEvolution(failed: Throwable): Boolean = of(failed) match {
    case known: SparkThrowable => known.getCondition == Growth.evolved
    case _ => false
  }

  // In characters. The catalog's records, which brokers limit, have the message; it may quote a record or a plan.
  private val longest = 2000

  def message(failed: Throwable): String = {
    val known = of(failed)
    val cause = if (known eq failed) chain(failed).last else known
    Clipped.middle(Option(cause.getMessage).getOrElse(cause.toString), longest)
  }
}
