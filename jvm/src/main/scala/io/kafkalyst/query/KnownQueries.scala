package io.kafkalyst.query

import java.util.UUID
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import io.kafkalyst.catalog.ObjectStore
import io.kafkalyst.query.lease.Leases
import io.kafkalyst.query.report.QueryMetrics
import org.apache.spark.sql.SparkSession
import org.slf4j.LoggerFactory

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

/** The queries that this JVM knows: the catalogs' records and what runs here. No request runs under its lock. */
private[query] object KnownQueries {
  private val log = LoggerFactory.getLogger("io.kafkalyst.query")
  private val queries = new ConcurrentHashMap[String, ContinuousQuery]()
  // Numbers the changes of queries' records in the catalog; keeps the last number of each query.
  private val changes = new AtomicLong
  private val changedAt = new ConcurrentHashMap[String, Long]()

  /** Runs changes of a query's state atomically. */
  def locked[T](change: => T): T = synchronized(change)

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
   * @param silent  the catalogs whose records are not known now
   * @param isNewer whether a query's record has changed since it was read
   */
  private def taken(session: SparkSession, records: Map[String, QueryRecord], silent: Set[String])(
      isNewer: String => Boolean
  ): Seq[ContinuousQuery] = {
    def isSilent(query: ContinuousQuery) = Leases.place(query.record).exists(place => silent(place.database))
    records.values.filterNot(r => isNewer(r.id)).foreach { record =>
      val known = of(session, record)
      // Another application may have changed a query that does not run here.
      if (!known.isBusy) known.record = record
    }
    def isGone(q: ContinuousQuery) = !q.isBusy && !records.contains(q.id) && !isNewer(q.id) && !isSilent(q)
    queries.values.asScala.filter(isGone).foreach { query =>
      queries.remove(query.id)
      QueryMetrics.hide(query.id)
    }
    queries.values.asScala.toSeq.sortBy(q => ContinuousQuery.order(q.id))
  }

  /** The query of a record, known from now on. */
  def of(session: SparkSession, record: QueryRecord): ContinuousQuery =
    queries.computeIfAbsent(record.id, _ => new ContinuousQuery(session, record))

  def get(id: String): Option[ContinuousQuery] = Option(queries.get(id))

  /** Adds the query again if it was removed meanwhile. */
  def add(query: ContinuousQuery): Unit = queries.put(query.id, query): Unit

  /** Removes and returns the query. */
  def remove(id: String): Option[ContinuousQuery] = Option(queries.remove(id))

  /** Call when the catalog's record of a query has changed. */
  def changed(id: String): Unit = synchronized(changedAt.put(id, changes.incrementAndGet()): Unit)

  def byRun(run: UUID): Option[ContinuousQuery] =
    queries.values.asScala.find(_.streaming.exists(_.runId == run))

  /** Queries that run in this application or are about to start. */
  def here: Seq[ContinuousQuery] = {
    sweep()
    queries.values.asScala.filter(q => q.isBusy && q.record.state == QueryRecord.running).toSeq
  }

  /** Forgets the queries of an application that has ended, so that the JVM's next one can start them. */
  def sweep(): Unit =
    queries.values.asScala.filter(q => q.isOrphaned && queries.remove(q.id, q)).foreach { query =>
      query.restart = None
      query.streaming.foreach { run =>
        // Without a Spark context, stop() ends the stream, but then throws.
        try run.stop()
        catch { case NonFatal(e) => log.debug(s"The stream of ${query.id} ends by itself", e) }
        if (query.isWanted) Leases.release(query.session, query.record)
      }
    }
}
