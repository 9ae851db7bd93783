package io.kafkalyst.query

import java.time.Instant
import java.util.UUID
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import io.kafkalyst.query.report.{GroupOffsets, QueryMetrics, QueryStatus}
import io.kafkalyst.catalog.{ObjectName, ObjectStore}
import io.kafkalyst.clients.ApplicationEnd
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.TimeOfDay
import io.kafkalyst.model.settings.Settings
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.kafkalyst.Frames
import org.apache.spark.sql.streaming.{StreamingQueryException, StreamingQueryProgress, Trigger}
import org.slf4j.LoggerFactory

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

/**
 * The continuous queries in the catalog and their state in this application, for all sessions. The lock of this object
 * serialises changes of their state. Planning a query, Spark's stop and requests to brokers may take long, so they only
 * hold the lock of their own query ([[ContinuousQuery.changing]]).
 */
object ContinuousQueries {
  private val watch = new QueryWatch(progressed, ended)
  private val renewal = new LeaseRenewal(() => here, leave)
  private val log = LoggerFactory.getLogger("io.kafkalyst.query")
  private val queries = new ConcurrentHashMap[String, ContinuousQuery]()
  private val statusEvery = 1000L
  // How often a statement that waits for its query plans it again for new columns, at most.
  private val evolutions = 20
  ApplicationEnd.then(() => QueryTimer.after(0)(sweep()))
  // Numbers the changes of queries' records in the catalog; `changedAt` has the last number of each query.
  private val changes = new AtomicLong
  private val changedAt = new ConcurrentHashMap[String, Long]()

  /**
   * All queries except terminated ones, by id. Reads the catalog without the lock, because the catalog may be large or
   * slow. A record that changed in the meantime is skipped, because this application already has the newer one.
   */
  def all(session: SparkSession): Seq[ContinuousQuery] = {
    sweep()
    val store = new ObjectStore(session)
    val before = changes.get
    val records = QueryRecord.all(session).map(r => r.id -> r).toMap
    val (leases, silent) = (store.leases(), store.silentCatalogs)
    val known = synchronized(taken(session, records, silent)(changedAt.getOrDefault(_, 0L) > before))
    known.foreach(query => query.lease = Leases.of(leases, query.record))
    known
  }

  /**
   * Merges the catalog's records with the queries running here.
   *
   * @param silent  the catalogs whose records cannot be read now
   * @param isNewer whether a query's record has changed since it was read
   */
  private def taken(session: SparkSession, records: Map[String, QueryRecord], silent: Set[String])(
      isNewer: String => Boolean
  ): Seq[ContinuousQuery] = {
    def isSilent(query: ContinuousQuery) = Leases.place(query.record).exists(place => silent(place.database))
    records.values.filterNot(r => isNewer(r.id)).foreach { record =>
      val known = queries.computeIfAbsent(record.id, _ => new ContinuousQuery(session, record))
      // Another application may have changed a query that is not running here.
      if (!isBusy(known)) known.record = record
    }
    def isGone(q: ContinuousQuery) = !isBusy(q) && !records.contains(q.id) && !isNewer(q.id) && !isSilent(q)
    queries.values.asScala.filter(isGone).foreach { query =>
      queries.remove(query.id)
      QueryMetrics.hide(query.id)
    }
    queries.values.asScala.toSeq.sortBy(q => ContinuousQuery.order(q.id))
  }

  /** The queries that run in this application or are about to start. */
  private def here: Seq[ContinuousQuery] = {
    sweep()
    queries.values.asScala.filter(q => isBusy(q) && q.record.state == QueryRecord.running).toSeq
  }

  /** Removes the queries of an application that has ended, so that the JVM's next application can start them. */
  private def sweep(): Unit =
    queries.values.asScala.filter(q => q.isOrphaned && queries.remove(q.id, q)).foreach { query =>
      query.restart = None
      query.streaming.foreach { run =>
        // Without a Spark context, stop() ends the stream, but then throws.
        try run.stop()
        catch { case NonFatal(e) => log.debug(s"The stream of ${query.id} ends by itself", e) }
        if (query.isWanted) Leases.release(query.session, query.record)
      }
    }

  /** Stops a query in this application that another application has taken over or ended. */
  private def leave(query: ContinuousQuery, why: String): Unit = QueryLogs.of(query.id) {
    log.warn(s"${query.id} stops in this application: $why")
    stopped(query)(())
  }

  /** Like `leave`, if another application paused or ended the query, perhaps before its lease was last renewed. */
  private def leaveEnded(query: ContinuousQuery, how: String): Unit = {
    leave(query, s"$how, and another application has paused or ended it")
    Leases.release(query.session, query.record)
  }

  /** The query with this id; throws QUERY_NOT_FOUND if there is none. */
  def find(session: SparkSession, id: String): ContinuousQuery = {
    val known = all(session)
    known.find(_.id.equalsIgnoreCase(id)).getOrElse {
      throw KafkalystException(
        "QUERY_NOT_FOUND",
        "id" -> id,
        "known" -> (if (known.isEmpty) "there are none" else s"there are ${known.map(_.id).mkString(", ")}")
      )
    }
  }

  /** The queries that read or write an object. */
  def of(session: SparkSession, name: ObjectName): Seq[ContinuousQuery] =
    all(session).filter(q => q.sink.is(name) || q.sources.contains(name))

  /**
   * Starts a query that is already in the catalog. With the trigger `available-now` it returns once all available data
   * is written.
   *
   * @param settle whether to wait until the first batch is planned, so that its failure is thrown here
   * @throws io.kafkalyst.errors.KafkalystException or the failed task's own condition, if it fails before returning
   */
  def start(
      session: SparkSession,
      planned: PlannedQuery,
      record: QueryRecord,
      settle: Boolean = false
  ): ContinuousQuery = start(session, planned, record, settle, evolutions)

  private def start(
      session: SparkSession,
      planned: PlannedQuery,
      record: QueryRecord,
      settle: Boolean,
      left: Int
  ): ContinuousQuery = {
    sweep()
    val isLeased = Leases.take(session, record)
    val query = queries.computeIfAbsent(record.id, _ => new ContinuousQuery(session, record))
    val waits = query.changing.synchronized {
      val isNew = !query.isActive
      if (isNew) synchronized {
        queries.put(query.id, query) // it may have been removed meanwhile
        query.record = record.copy(state = QueryRecord.running)
        query.attempts = 0
        query.pausedHere = false
        query.ends = planned.availableNow(Settings.of(session.conf.getAll))
        query.awaited = query.ends || settle
        query.starter = session
        query.session = KeptSettings.in(session, query.record)
        launch(planned, query)
      }
      if (isNew && !query.awaited) keep(session, query, QueryRecord.running, None)
      else if (isNew && record.state != QueryRecord.running)
        // Otherwise the next lease renewal would read the resumed query's record as ended by another application.
        try QueryRecord.put(session, query.record)
        finally changed(query.id)
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
          start(session, ContinuousStatement.again(session, query.record), record, settle, left - 1)
        case failed: StreamingQueryException =>
          val cause = query.cause(failed)
          if (!query.isOrphaned) keep(session, query, QueryRecord.failed, Some(Failure.message(cause)))
          throw Failure.of(cause)
        case interrupted: InterruptedException =>
          query.awaited = false
          throw interrupted
        // The run may have ended while the statement waited.
      } finally ended(run.runId)
    }
  }

  /** Restarts a query that is not running, from where it stopped. */
  def resume(session: SparkSession, query: ContinuousQuery): ContinuousQuery =
    if (query.isActive) query
    else
      try Frames.within(session) {
          start(session, ContinuousStatement.again(session, query.record), query.record.copy(error = None))
        }
      catch {
        case held: KafkalystException if held.getCondition == Leases.held => throw held
        case NonFatal(failed) =>
          // A query that waits for its automatic restart keeps its state; the restart tries again.
          if (!query.isActive && !query.isRestarting)
            keep(session, query, QueryRecord.failed, Some(Failure.message(failed)))
          throw failed
      }

  /** Pauses a query; it keeps its checkpoint. */
  def pause(session: SparkSession, query: ContinuousQuery): ContinuousQuery = query.changing.synchronized {
    if (query.record.state != QueryRecord.paused) stopped(query) {
      query.pausedHere = true
      keep(session, query, QueryRecord.paused, query.error)
    }
    query
  }

  /** Terminates a query permanently. */
  def terminate(session: SparkSession, query: ContinuousQuery): ContinuousQuery = stopped(query) {
    query.record = query.record.copy(state = QueryRecord.terminated)
    // The query that created an object stays in the catalog: it defines the object's columns.
    try if (query.inserts) QueryRecord.remove(session, query.record) else QueryRecord.put(session, query.record)
    finally changed(query.id)
    forget(session, query.id, query.checkpoint)
    Leases.release(session, query.record)
    query
  }

  /** Stops a query that is not in the catalog, and deletes its remains. */
  def forget(session: SparkSession, id: String, checkpoint: String): Unit = {
    sweep()
    changed(id)
    Option(queries.remove(id)).foreach(query => stopped(query)(Leases.release(session, query.record)))
    QueryMetrics.hide(id)
    QueryStatus.delete(session, checkpoint)
  }

  /** Stops the query, if it runs here, so that another can replace it. Returns an action that undoes this. */
  def yielded(session: SparkSession, record: QueryRecord): () => Unit = {
    sweep()
    Option(queries.get(record.id)).filter(isBusy) match {
      case Some(query) =>
        stopped(query)(())
        () => { start(session, ContinuousStatement.again(session, record), record); () }
      case None => () => all(session).find(_.id == record.id).foreach(QueryStatus.write(session, _))
    }
  }

  private[query] def isBusy(query: ContinuousQuery) = query.isActive || query.isRestarting || query.awaited

  /** Stops the query, if it runs, and then changes its stored record. No restart or failure is handled in between. */
  private def stopped[T](query: ContinuousQuery)(change: => T): T = query.changing.synchronized {
    synchronized {
      query.restart = None
      query.awaited = true
      query.halted = query.streaming
    }
    try {
      query.streaming.foreach(_.stop())
      change
    } finally query.awaited = false
  }

  private def keep(session: SparkSession, query: ContinuousQuery, state: String, error: Option[String]): Unit =
    query.changing.synchronized {
      synchronized {
        // Keeps the catalog's old record from being merged until the new one is written.
        query.awaited = true
        query.record = query.record.copy(state = state, error = error)
        if (state != QueryRecord.running) query.restart = None
      }
      try QueryRecord.put(session, query.record)
      finally {
        changed(query.id)
        query.awaited = false
      }
      QueryStatus.write(session, query)
      if (state != QueryRecord.running) Leases.release(session, query.record)
    }

  /** Must be called after the catalog's record of a query has changed. */
  private def changed(id: String): Unit = synchronized(changedAt.put(id, changes.incrementAndGet()): Unit)

  /** @param planned the query to start in its [[ContinuousQuery.starter]] */
  private def launch(planned: PlannedQuery, query: ContinuousQuery): Unit = {
    val session = query.starter
    val settings = Settings.of(query.session.conf.getAll)
    watch.in(session)
    // Spark creates the frame's encoder here, which needs TIME to be allowed.
    val writer = TimeOfDay.allowed(planned.frame.writeStream)
      .queryName(query.id)
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
    val all = KeptSettings.differing(query.session, session) ++
      (StateSettings.always ++ needed).map { case (name, value) => name -> Some(value) }
    val started = QueryLogs.starting(session, query.id) {
      WhileStarting(session, all)(planned.sink.start(session, triggered, query.checkpoint))
    }
    query.running(started, planned.sink)
    QueryMetrics.show(query)
    query.streaming.foreach(QueryStatus.during(query, _))
  }

  private def byRun(run: UUID): Option[ContinuousQuery] =
    queries.values.asScala.find(_.streaming.exists(_.runId == run))

  private def progressed(progress: StreamingQueryProgress): Unit = byRun(progress.runId).foreach { query =>
    query.observed(progress)
    QueryMetrics.show(query)
    if (QueryCounts.isBatch(progress)) {
      synchronized(query.attempts = 0)
      GroupOffsets.commit(query)
      if (query.error.isDefined) QueryTimer.after(0)(recovered(query, progress.runId))
    }
    val now = System.currentTimeMillis()
    if (now - query.told >= statusEvery) {
      query.told = now
      QueryTimer.after(0)(if (queries.get(query.id) eq query) QueryStatus.write(query.session, query))
    }
  }

  /** Clears the query's error, because a batch has completed since its last failure. */
  private def recovered(query: ContinuousQuery, run: UUID): Unit = query.changing.synchronized {
    if (
      query.isActive && query.streaming.exists(_.runId == run) && query.error.isDefined && isUnattended(query) &&
      Leases.isKeptRunning(query.session, query.record)
    ) keep(query.session, query, QueryRecord.running, None)
  }

  /** Whether the query should run, and no statement waits for it and reports its end. */
  private def isUnattended(query: ContinuousQuery) = !query.awaited && query.record.state == QueryRecord.running

  /** Handles a run that may have ended. If the run failed, the query is restarted after a delay. */
  private def ended(run: UUID): Unit = QueryTimer.after(0)(byRun(run).foreach { query =>
    query.changing.synchronized {
      val last = query.streaming.filter(s => s.runId == run && !s.isActive && !query.halted.contains(s))
      // Queries that fail while the application shuts down stay RUNNING, so that the next application resumes them.
      if (isUnattended(query) && query.restart.isEmpty && !query.isOrphaned) last.foreach {
        _.exception match {
          case Some(failure) => failed(query, query.cause(failure))
          case None => if (query.ends) keep(query.session, query, QueryRecord.finished, None)
        }
      }
    }
  })

  /** The caller must hold [[ContinuousQuery.changing]]. */
  private def failed(query: ContinuousQuery, failure: Throwable): Unit = QueryLogs.of(query.id) {
    val session = query.session
    val message = Failure.message(failure)
    val backoff = Backoff.of(Settings.of(session.conf.getAll))
    // New columns are not a failure, unless planning the query again did not help.
    val evolves = Failure.isEvolution(failure) && !query.record.error.contains(message)
    if (!Leases.isKeptRunning(query.session, query.record)) leaveEnded(query, s"it failed ($message)")
    else if (query.attempts >= backoff.limit && !evolves) {
      log.error(s"${query.id} failed and is not started again after ${query.attempts} restarts: $message")
      keep(session, query, QueryRecord.failed, Some(message))
    } else {
      if (!evolves) query.attempts += 1
      query.allRestarts += 1
      val wait = if (evolves) 0 else backoff.wait(query.attempts)
      if (evolves) log.info(s"${query.id} is planned again: $message")
      else log.warn(s"${query.id} failed; restart ${query.attempts} of ${backoff.limit} in $wait ms: $message")
      val restart = Restart(Instant.now().plusMillis(wait))
      synchronized {
        query.restart = Some(restart)
        query.record = query.record.copy(error = Some(message))
      }
      QueryStatus.write(session, query)
      QueryTimer.after(wait)(restarted(query, restart))
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
          Frames.within(query.starter)(synchronized(launch(planned.in(query.starter), query)))
        }
      catch {
        case held: KafkalystException if held.getCondition == Leases.held => leave(query, held.getMessage)
        case NonFatal(e) => if (!query.isOrphaned) failed(query, e)
      }
  }
}
