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
import org.apache.spark.sql.streaming.{StreamingQuery, StreamingQueryException, StreamingQueryProgress, Trigger}
import org.slf4j.LoggerFactory

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

/**
 * The continuous queries in the catalog and their state in this application, for all sessions. Changes of their state
 * exclude each other. Planning a query and Spark's stop may take long, so they exclude only what starts or stops that
 * query.
 */
object ContinuousQueries {
  private val watch = new QueryWatch(progressed, ended)
  private val renewal = new LeaseRenewal(() => here, leave)
  private val log = LoggerFactory.getLogger("io.kafkalyst.query")
  private val queries = new ConcurrentHashMap[String, ContinuousQuery]()
  private val statusEvery = 1000L
  private val statusAtLeastEvery = 5000L
  private val settling = 10000L
  // How often a query that is waited for is planned again for new columns, as for a producer of several new versions.
  private val evolutions = 20
  ApplicationEnd.then(() => queries.clear())
  // Incremented whenever the queries' catalog records change.
  private val changes = new AtomicLong

  /** All queries except terminated ones, by id. The catalog is read without the lock: it may be large or slow. */
  def all(session: SparkSession): Seq[ContinuousQuery] = {
    val store = new ObjectStore(session)
    def records = QueryRecord.all(session).map(r => r.id -> r).toMap
    val before = changes.get
    val read = records
    val leases = store.leases()
    val isSilent = store.silentCatalogs
    val known = synchronized(taken(session, if (changes.get == before) read else records, isSilent))
    known.foreach(query => query.lease = Leases.of(leases, query.record))
    known
  }

  /**
   * Merges the catalog's records with the queries running here.
   *
   * @param silent the catalogs whose records are not known now
   */
  private def taken(
      session: SparkSession,
      records: Map[String, QueryRecord],
      silent: Set[String]
  ): Seq[ContinuousQuery] = {
    def isSilent(query: ContinuousQuery) = Leases.place(query.record).exists(place => silent(place.database))
    records.values.foreach { record =>
      val known = queries.computeIfAbsent(record.id, _ => new ContinuousQuery(session, record))
      // Another application may have changed a query that does not run here.
      if (!isBusy(known)) known.record = record
    }
    queries.values.asScala.filter(q => !isBusy(q) && !records.contains(q.id) && !isSilent(q)).foreach { query =>
      queries.remove(query.id)
      QueryMetrics.hide(query.id)
    }
    queries.values.asScala.toSeq.sortBy(q => order(q.id))
  }

  /** Sorts ids as people do: CSAS_A_9 before CSAS_A_10. */
  private def order(id: String): (String, Int) = {
    val digits = id.reverse.takeWhile(_.isDigit).reverse.takeRight(9)
    (id.stripSuffix(digits), digits.toIntOption.getOrElse(-1))
  }

  /** Queries that run in this application or are about to start. */
  private def here: Seq[ContinuousQuery] =
    queries.values.asScala.filter(q => isBusy(q) && q.record.state == QueryRecord.running).toSeq

  /** Stops a query here that another application has taken over or ended. */
  private def leave(query: ContinuousQuery, why: String): Unit = QueryLogs.of(query.id) {
    log.warn(s"${query.id} stops in this application: $why")
    stopped(query)(())
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
    val settings = Settings.of(session.conf.getAll)
    val isLeased = Leases.take(session, record)
    val query = queries.computeIfAbsent(record.id, _ => new ContinuousQuery(session, record))
    query.changing.synchronized(synchronized {
      if (!query.isActive) {
        queries.put(query.id, query) // it may have been forgotten meanwhile
        query.record = record.copy(state = QueryRecord.running)
        query.attempts = 0
        query.pausedHere = false
        query.awaited = planned.availableNow(settings) || settle
        query.starter = session
        query.session = KeptSettings.in(session, query.record)
        launch(planned, query)
        if (!query.awaited) keep(session, query, QueryRecord.running, None)
      }
    })
    // Only now: renewals end when no query needs them.
    if (isLeased) renewal.begin(session)
    if (!query.awaited) query
    else
      try {
        val ends = planned.availableNow(settings)
        val run = query.streaming.get
        if (ends) run.awaitTermination() else settled(run)
        if (!query.halted.contains(run))
          keep(session, query, if (ends) QueryRecord.finished else QueryRecord.running, None)
        query
      } catch {
        case failed: StreamingQueryException if left > 0 && Failure.isEvolution(failed) =>
          start(session, ContinuousStatement.again(session, query.record), record, settle, left - 1)
        case failed: StreamingQueryException =>
          keep(session, query, QueryRecord.failed, Some(Failure.message(failed)))
          throw Failure.of(failed)
        case interrupted: InterruptedException =>
          query.awaited = false
          throw interrupted
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
          // A query that is restarted anyway is tried again when that is due.
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
    synchronized {
      query.record = query.record.copy(state = QueryRecord.terminated)
      // The query that created an object stays in the catalog: it defines the object's columns.
      try if (query.inserts) QueryRecord.remove(session, query.record) else QueryRecord.put(session, query.record)
      finally changes.incrementAndGet()
    }
    forget(session, query.id, query.checkpoint)
    Leases.release(session, query.record)
    query
  }

  /** Stops a query that is not in the catalog, and deletes its remains. */
  def forget(session: SparkSession, id: String, checkpoint: String): Unit = {
    Option(queries.remove(id)).foreach(query => stopped(query)(Leases.release(session, query.record)))
    QueryMetrics.hide(id)
    QueryStatus.delete(session, checkpoint)
  }

  /** Stops the query, if it runs, so that another can replace it. Returns an action that restores it. */
  def yielded(session: SparkSession, record: QueryRecord): () => Unit =
    Option(queries.get(record.id)).filter(isBusy) match {
      case Some(query) =>
        stopped(query)(())
        () => { start(session, ContinuousStatement.again(session, record), record); () }
      case None => () => all(session).find(_.id == record.id).foreach(QueryStatus.write(session, _))
    }

  private[query] def isBusy(query: ContinuousQuery) = query.isActive || query.isRestarting || query.awaited

  /** Stops the query, if it runs, and then changes what is kept of it. No restart or failure comes between. */
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

  private def keep(session: SparkSession, query: ContinuousQuery, state: String, error: Option[String]): Unit = {
    synchronized {
      query.awaited = false
      query.record = query.record.copy(state = state, error = error)
      if (state != QueryRecord.running) query.restart = None
      try QueryRecord.put(session, query.record)
      finally changes.incrementAndGet()
      QueryStatus.write(session, query)
    }
    if (state != QueryRecord.running) Leases.release(session, query.record)
  }

  /** @param planned to be started in the query's [[ContinuousQuery.starter]] */
  private def launch(planned: PlannedQuery, query: ContinuousQuery): Unit = {
    val session = query.starter
    val settings = Settings.of(query.session.conf.getAll)
    watch.in(session)
    // Spark makes the frame's encoder here.
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
    query.streaming.foreach(tell(query, _))
  }

  /** Writes the status while the run lasts, even within a long batch. */
  private def tell(query: ContinuousQuery, run: StreamingQuery): Unit = QueryTimer.after(statusAtLeastEvery) {
    if (run.isActive && query.streaming.contains(run)) {
      if (System.currentTimeMillis() - query.told >= statusAtLeastEvery) {
        query.told = System.currentTimeMillis()
        QueryStatus.write(query.session, query)
      }
      tell(query, run)
    }
  }

  /**
   * Waits until the first batch is done or there is nothing to do. A failure is thrown as a StreamingQueryException.
   */
  private def settled(streaming: StreamingQuery): Unit = {
    val deadline = System.currentTimeMillis() + settling
    def begun = streaming.lastProgress != null || streaming.status.message.startsWith("Waiting for")
    while (streaming.isActive && !begun && System.currentTimeMillis() < deadline) streaming.awaitTermination(50)
    streaming.exception.foreach(throw _)
  }

  private def byRun(run: UUID): Option[ContinuousQuery] =
    queries.values.asScala.find(_.streaming.exists(_.runId == run))

  private def progressed(progress: StreamingQueryProgress): Unit = byRun(progress.runId).foreach { query =>
    query.observed(progress)
    QueryMetrics.show(query)
    if (QueryCounts.isBatch(progress)) synchronized {
      query.attempts = 0
      GroupOffsets.commit(query)
      if (query.error.isDefined && !query.awaited && isKeptRunning(query))
        keep(query.session, query, query.record.state, None)
    }
    val now = System.currentTimeMillis()
    if (now - query.told >= statusEvery) {
      query.told = now
      QueryStatus.write(query.session, query)
    }
  }

  /** Called when a run has ended. If it failed, the query is restarted after a delay. */
  private def ended(run: UUID): Unit = synchronized {
    byRun(run).filterNot(q => q.awaited || q.record.state != QueryRecord.running).foreach { query =>
      query.streaming.flatMap(_.exception).filterNot(_ => isEnding(query)).foreach(failed(query, _))
    }
  }

  /** Whether no other application has paused or ended it since the last renewal of its lease; true if that is unknown. */
  private def isKeptRunning(query: ContinuousQuery): Boolean = Leases.place(query.record).forall { place =>
    try new ObjectStore(query.session).at(place).exists(QueryRecord.of(_).exists(r =>
        r.id == query.id && r.state == QueryRecord.running
      ))
    catch { case NonFatal(_) => true }
  }

  /** Queries that fail while the application shuts down are to run in the next one. */
  private def isEnding(query: ContinuousQuery) = query.session.sparkContext.isStopped

  private def failed(query: ContinuousQuery, failure: Throwable): Unit = QueryLogs.of(query.id)(synchronized {
    val session = query.session
    val message = Failure.message(failure)
    val backoff = Backoff.of(Settings.of(session.conf.getAll))
    // New columns are no fault, unless planning with them did not help.
    val evolves = Failure.isEvolution(failure) && !query.record.error.contains(message)
    if (!isKeptRunning(query))
      log.warn(s"${query.id} failed and is not started again, as another application ended it: $message")
    else if (query.attempts >= backoff.limit && !evolves) {
      log.error(s"${query.id} failed and is not started again after ${query.attempts} restarts: $message")
      query.restart = None
      keep(session, query, QueryRecord.failed, Some(message))
    } else {
      if (!evolves) query.attempts += 1
      query.allRestarts += 1
      val wait = if (evolves) 0 else backoff.wait(query.attempts)
      if (evolves) log.info(s"${query.id} is planned again: $message")
      else log.warn(s"${query.id} failed; restart ${query.attempts} of ${backoff.limit} in $wait ms: $message")
      val restart = Restart(Instant.now().plusMillis(wait))
      query.restart = Some(restart)
      query.record = query.record.copy(error = Some(message))
      QueryStatus.write(session, query)
      QueryTimer.after(wait)(restarted(query, restart))
    }
  })

  private def restarted(query: ContinuousQuery, due: Restart): Unit = query.changing.synchronized {
    if (isEnding(query)) query.restart = None
    else if (query.restart.contains(due)) {
      // Its own session: the settings, views and catalogs that it was started with.
      try {
        val planned = Frames.within(query.session)(ContinuousStatement.again(query.session, query.record))
        Frames.within(query.starter)(synchronized(launch(planned.in(query.starter), query)))
      } catch { case NonFatal(e) => if (!isEnding(query)) failed(query, e) }
    }
  }
}
