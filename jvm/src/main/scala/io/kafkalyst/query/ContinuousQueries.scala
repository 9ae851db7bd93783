package io.kafkalyst.query

import java.time.Instant
import java.util.UUID
import java.util.concurrent.TimeoutException

import io.kafkalyst.query.lease.{ClusterLeases, LeaseRenewal, Leases}
import io.kafkalyst.query.report.{GroupOffsets, QueryMetrics, QueryStatus}
import io.kafkalyst.catalog.{ObjectName, ObjectStore}
import io.kafkalyst.clients.{ApplicationEnd, Uninterrupted}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.settings.Settings
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.kafkalyst.Frames
import org.apache.spark.sql.streaming.{StreamingQueryException, StreamingQueryProgress}
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/**
 * The continuous queries in the catalog and their state in this application, for all sessions. The lock of this object
 * serialises changes of their state. Planning a query, Spark's stop and requests to brokers may take long, so they only
 * hold the lock of their own query ([[ContinuousQuery.changing]]).
 */
object ContinuousQueries {
  private val watch = new QueryWatch(progressed, ended)
  private val leases = new ClusterLeases(leave)
  private val renewal =
    new LeaseRenewal(() => KnownQueries.here.filter(leases.isNeeded), leases.clusterOf, leases.renew)
  private val log = LoggerFactory.getLogger("io.kafkalyst.query")
  private val statusEvery = 1000L
  // How often a statement that waits for its query plans it again for new columns, at most.
  private val evolutions = 20
  ApplicationEnd.then(() => QueryTimer.after(0)(KnownQueries.sweep()))

  /** All queries except terminated ones, by id. */
  def all(session: SparkSession): Seq[ContinuousQuery] = KnownQueries.all(session)

  /** Stops a query in this application that another application has taken over or ended. */
  private def leave(query: ContinuousQuery, why: String): Unit = QueryLogs.of(query.id) {
    log.warn(s"${query.id} stops in this application: $why")
    stopped(query)(())
  }

  /** Stops a query here that another application paused or ended, perhaps before its lease was last renewed. */
  private def leaveEnded(query: ContinuousQuery, how: String): Unit = {
    leave(query, s"$how, and another application has paused or ended it")
    Leases.release(query.session, query.record)
  }

  /** See [[KnownQueries.find]]. */
  def find(session: SparkSession, id: String): ContinuousQuery = KnownQueries.find(session, id)

  /** The queries that read or write an object, by any of its names. */
  def of(session: SparkSession, name: ObjectName): Seq[ContinuousQuery] = {
    val names = new ObjectStore(session).names(name)
    all(session).filter(q => names.exists(q.sink.is) || q.sources.exists(names.contains))
  }

  /**
   * Starts a query that is already in the catalog. With the trigger `available-now` it returns once all available data
   * is written.
   *
   * @param settle whether to wait until the first batch is planned, so that its failure is thrown here
   * @throws io.kafkalyst.errors.KafkalystException QUERY_NOT_FOUND or QUERY_CHANGED if another statement has ended or
   *         changed it since; or the failed task's own condition, if it fails before returning
   */
  def start(
      session: SparkSession,
      planned: PlannedQuery,
      record: QueryRecord,
      settle: Boolean = false
  ): ContinuousQuery = start(session, planned, record, settle, evolutions)(record.isStill)

  private def start(
      session: SparkSession,
      planned: PlannedQuery,
      record: QueryRecord,
      settle: Boolean,
      left: Int
  )(isExpected: QueryRecord => Boolean): ContinuousQuery = {
    KnownQueries.sweep()
    val isLeased = Leases.take(session, record)
    val query = KnownQueries.of(session, record)
    val waits = query.changing.synchronized {
      val isNew = !query.isActive
      if (isNew) {
        QueryIds.requireFolder(session, record)
        // A TERMINATE, PAUSE or DROP since the record was read wins.
        entered(session, record.copy(state = QueryRecord.running, error = None), query)(isExpected)
        begun(session, planned, query, settle)
      }
      query.awaited
    }
    // Begins only now, because renewals end while no query needs them.
    if (isLeased) renewal.begin(session)
    if (!waits) query
    else {
      val run = query.streaming.get
      try {
        if (query.ends) run.awaitTermination() else ContinuousQuery.settled(run)
        query.changing.synchronized {
          if (!query.halted.contains(run))
            keep(session, query, if (query.ends) QueryRecord.finished else QueryRecord.running, None)
        }
        query
      } catch {
        case failed: StreamingQueryException if left > 0 && Failure.isEvolution(failed) =>
          val running = query.record
          start(session, ContinuousStatement.again(session, running), running, settle, left - 1)(running.isStill)
        case failed: StreamingQueryException =>
          val cause = query.cause(failed)
          if (!query.isOrphaned) keep(session, query, QueryRecord.failed, Some(Failure.message(cause)))
          throw Failure.of(cause)
      } finally {
        // However the wait ended, and the run may have ended meanwhile.
        if (query.streaming.contains(run)) query.awaited = false
        ended(run.runId)
      }
    }
  }

  /** Stores that the query runs. Meanwhile the catalog's record of it does not count as newer. */
  private def entered(session: SparkSession, record: QueryRecord, query: ContinuousQuery)(
      isExpected: QueryRecord => Boolean
  ): Unit = {
    KnownQueries.locked {
      KnownQueries.add(query)
      query.awaited = true
    }
    var isEntered = false
    try isEntered = QueryRecord.replace(session, record)(isExpected)
    finally {
      KnownQueries.changed(query.key)
      if (!isEntered) query.awaited = false
    }
    if (isEntered) query.record = record
    else {
      val now = QueryRecord.now(session, record).filter(_.state != QueryRecord.terminated)
      now.fold(KnownQueries.remove(query.key): Unit)(query.record = _)
      if (!now.exists(_.state == QueryRecord.running)) Leases.release(session, record)
      throw now.fold(Failure.ended(record))(r => KafkalystException("QUERY_CHANGED", "id" -> r.id, "state" -> r.state))
    }
  }

  private def begun(session: SparkSession, planned: PlannedQuery, query: ContinuousQuery, settle: Boolean): Unit = {
    var isAwaited = false
    try {
      query.attempts = 0
      query.pausedHere = false
      query.ends = planned.availableNow(Settings.of(session.conf.getAll))
      query.starter = session
      query.session = KeptSettings.in(session, query.record)
      launch(planned, query)
      isAwaited = query.ends || settle
    } finally query.awaited = isAwaited
    if (!isAwaited) QueryStatus.write(session, query)
  }

  /**
   * Restarts a query that is not running, from where it stopped. Without its lease nothing is changed: another
   * application may be about to run it.
   *
   * @param isMeant whether it is to be started with the record that is stored now; it stays as it is if not
   */
  def resume(
      session: SparkSession,
      query: ContinuousQuery,
      isMeant: QueryRecord => Boolean = _ => true
  ): ContinuousQuery =
    if (query.isActive) query
    else {
      Leases.take(session, query.record)
      val now = QueryRecord.now(session, query.record).filter(_.state != QueryRecord.terminated)
      KnownQueries.locked(now.filterNot(_ => query.isBusy).foreach(query.record = _))
      if (now.exists(isMeant)) resumed(session, query, now.get)
      else {
        if (!query.isBusy) Leases.release(session, query.record)
        if (now.isEmpty) throw Failure.ended(query.record)
        query
      }
    }

  private def resumed(session: SparkSession, query: ContinuousQuery, record: QueryRecord): ContinuousQuery =
    try Frames.within(session) {
        def isSame(now: QueryRecord) = record.isStill(now) && now.text == record.text
        start(session, ContinuousStatement.again(session, record), record, settle = false, evolutions)(isSame)
      }
    catch {
      case NonFatal(failed) =>
        if (!Failure.isOfOthers(failed)) {
          // An application without the folder leaves the query to one that has it.
          val isForOthers = Failure.isWithoutFolder(failed) && Leases.place(record).isDefined
          if (isForOthers) Leases.release(session, record)
          // Planning may have taken longer than the lease.
          else if (Leases.holds(session, record)) unable(session, query, failed)
        }
        throw failed
    }

  /** A query that is due to restart is left to that restart. */
  private def unable(session: SparkSession, query: ContinuousQuery, why: Throwable): Unit =
    query.changing.synchronized {
      if (!query.isActive && !query.isRestarting) keep(session, query, QueryRecord.failed, Some(Failure.message(why)))
    }

  /** Pauses a query; it keeps its checkpoint. */
  def pause(session: SparkSession, query: ContinuousQuery): ContinuousQuery = query.changing.synchronized {
    if (query.record.state != QueryRecord.paused) stopped(query) {
      query.pausedHere = true
      val isThere = keep(session, query, QueryRecord.paused, query.error, _.state != QueryRecord.terminated)
      if (!isThere) {
        query.record = query.record.copy(state = QueryRecord.terminated)
        forget(session, query.record)
      }
    }
    query
  }

  /** Terminates a query permanently. */
  def terminate(session: SparkSession, query: ContinuousQuery): ContinuousQuery = stopped(query) {
    query.record = query.record.copy(state = QueryRecord.terminated)
    // The query that created an object stays in the catalog: it defines the object's columns.
    try if (query.inserts) QueryIds.free(session, query.record) else QueryRecord.put(session, query.record)
    finally KnownQueries.changed(query.key)
    forget(session, query.record)
    Leases.release(session, query.record)
    query
  }

  /** Stops a query that is not in the catalog, and deletes its remains. */
  def forget(session: SparkSession, record: QueryRecord): Unit = {
    KnownQueries.sweep()
    val key = Leases.keyOf(session, record)
    KnownQueries.changed(key)
    KnownQueries.remove(key).foreach(query => stopped(query)(Leases.release(session, query.record)))
    QueryMetrics.hide(key)
    QueryStatus.delete(session, record.checkpoint)
  }

  /** Stops the query, if it runs here, so that another can replace it. Returns an action that undoes this. */
  def yielded(session: SparkSession, record: QueryRecord): () => Unit = {
    KnownQueries.sweep()
    KnownQueries.get(Leases.keyOf(session, record)).filter(_.isBusy) match {
      case Some(query) =>
        stopped(query)(())
        () => { start(session, ContinuousStatement.again(session, record), record); () }
      case None => () => all(session).find(_.fullId == record.fullId).foreach(QueryStatus.write(session, _))
    }
  }

  /** Stops the query, if it runs, and then changes what is kept of it, even if cancelled. No restart comes between. */
  private def stopped[T](query: ContinuousQuery)(change: => T): T = query.changing.synchronized {
    KnownQueries.locked {
      query.restart = None
      query.awaited = true
      query.halted = query.streaming
    }
    try {
      Uninterrupted.repeated(query.streaming.foreach(_.stop()))
      Uninterrupted.repeated(change)
    } catch { case e: TimeoutException => query.halted = None; throw e }
    finally query.awaited = false
  }

  private def keep(session: SparkSession, query: ContinuousQuery, state: String, error: Option[String]): Boolean =
    keep(session, query, state, error, query.record.isStill)

  /**
   * Stores a query's new state.
   *
   * @param isExpected of the stored record
   * @return false, without a change, if that is another one, or gone: another statement or application was first
   */
  private def keep(
      session: SparkSession,
      query: ContinuousQuery,
      state: String,
      error: Option[String],
      isExpected: QueryRecord => Boolean
  ): Boolean = query.changing.synchronized {
    val before = query.record
    KnownQueries.locked {
      // Until the record is written, no listing replaces this state by the catalog's.
      query.awaited = true
      query.kept(before.copy(state = state, error = error))
      if (state != QueryRecord.running) query.restart = None
    }
    var isKept = true
    try isKept = QueryRecord.replace(session, query.record)(isExpected)
    finally { // Even if it cannot be stored: the status is how others see it, and the query does not run here.
      KnownQueries.changed(query.key)
      try if (isKept) QueryStatus.write(session, query) else query.record = before
      finally {
        query.awaited = false
        if (state != QueryRecord.running) Leases.release(session, query.record)
      }
    }
    isKept
  }

  /** Call with [[ContinuousQuery.changing]] held. */
  private def launch(planned: PlannedQuery, query: ContinuousQuery): Unit = {
    watch.in(query.starter)
    query.running(Launch(planned, query), planned.sink)
    QueryMetrics.show(query)
    query.streaming.foreach(QueryStatus.during(query, _))
  }

  private def progressed(progress: StreamingQueryProgress): Unit = KnownQueries.byRun(progress.runId).foreach { query =>
    query.observed(progress)
    QueryMetrics.show(query)
    if (QueryCounts.isBatch(progress)) {
      KnownQueries.locked(query.attempts = 0)
      GroupOffsets.commit(query)
      if (query.error.isDefined && query.recovers.compareAndSet(false, true))
        QueryTimer.within(query.session)(recovered(query, progress.runId))
    }
    if (System.currentTimeMillis() - query.told >= statusEvery) {
      query.told = System.currentTimeMillis()
      QueryStatus.soon(query)(KnownQueries.get(query.key).contains(query))
    }
  }

  /** Clears the query's error, because a batch has completed since its last failure. */
  private def recovered(query: ContinuousQuery, run: UUID): Unit = query.changing.synchronized {
    query.recovers.set(false)
    if (
      query.isActive && query.streaming.exists(_.runId == run) && query.error.isDefined && isUnattended(query) &&
      Leases.isKeptRunning(query.session, query.record) && !keep(query.session, query, QueryRecord.running, None)
    ) leaveEnded(query, "a batch has completed")
  }

  /** Whether the query should run, and no statement waits for it and reports its end. */
  private def isUnattended(query: ContinuousQuery) = !query.awaited && query.record.state == QueryRecord.running

  /** Called when a run may have ended. If it failed, the query is restarted after a delay. */
  private def ended(run: UUID): Unit = {
    def over(query: ContinuousQuery) =
      query.streaming.filter(s => s.runId == run && !s.isActive && !query.halted.contains(s))
    // At once: an application that stops its streams and ends waits for its listeners, but not for timers.
    KnownQueries.byRun(run).filter(q => isUnattended(q) && over(q).exists(_.exception.isEmpty))
      .foreach(q => QueryStatus.write(q.session, q))
    QueryTimer.after(0)(KnownQueries.byRun(run).foreach { query =>
      Frames.within(query.session)(query.changing.synchronized {
        // Queries that fail while the application shuts down stay RUNNING, so that the next application resumes them.
        if (isUnattended(query) && query.restart.isEmpty && !query.isOrphaned) over(query).foreach {
          _.exception match {
            case Some(failure) => failed(query, query.cause(failure))
            case None => if (query.ends) keep(query.session, query, QueryRecord.finished, None)
          }
        }
      })
    })
  }

  /** The caller must hold [[ContinuousQuery.changing]]. */
  private def failed(query: ContinuousQuery, failure: Throwable): Unit = QueryLogs.of(query.id) {
    val message = Failure.message(failure)
    val backoff = Backoff.of(Settings.of(query.session.conf.getAll))
    // New columns are not a failure, unless planning the query again did not help.
    val evolves = Failure.isEvolution(failure) && !query.record.error.contains(message)
    if (!Leases.isKeptRunning(query.session, query.record)) leaveEnded(query, s"it failed ($message)")
    else if (query.attempts >= backoff.limit && !evolves) {
      log.error(s"${query.id} failed and is not started again after ${query.attempts} restarts: $message")
      keep(query.session, query, QueryRecord.failed, Some(message))
    } else {
      if (!evolves) query.attempts += 1
      query.allRestarts += 1
      val wait = if (evolves) 0 else backoff.wait(query.attempts)
      if (evolves) log.info(s"${query.id} is planned again: $message")
      else log.warn(s"${query.id} failed; restart ${query.attempts} of ${backoff.limit} in $wait ms: $message")
      val restart = Restart(Instant.now().plusMillis(wait))
      KnownQueries.locked {
        query.restart = Some(restart)
        query.record = query.record.copy(error = Some(message))
      }
      QueryStatus.write(query.session, query)
      QueryTimer.within(query.session, wait)(restarted(query, restart))
    }
  }

  /** Checks the lease: another application may have taken over or ended the query while this one was suspended. */
  private def restarted(query: ContinuousQuery, due: Restart): Unit = query.changing.synchronized {
    if (query.restart.contains(due) && !query.isOrphaned)
      try
        if (!Leases.isKeptRunning(query.session, query.record)) leaveEnded(query, "it waits for its restart")
        else {
          Leases.take(query.session, query.record)
          // Planned in the query's own session, which has the settings, views and catalogs of its start.
          val planned = Frames.within(query.session)(ContinuousStatement.again(query.session, query.record))
          QueryIds.requireFolder(query.session, query.record)
          Frames.within(query.starter)(launch(planned.in(query.starter), query))
        }
      catch {
        case held: KafkalystException if Leases.isHeld(held) => leave(query, held.getMessage)
        case NonFatal(e) => if (!query.isOrphaned) failed(query, e)
      }
  }
}
