package io.kafkalyst.query

import java.util.UUID
import java.util.concurrent.ConcurrentHashMap
import java.util.concurrent.atomic.AtomicLong

import io.kafkalyst.catalog.ObjectStore
import io.kafkalyst.clients.Uninterrupted
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.query.lease.Leases
import io.kafkalyst.query.report.QueryMetrics
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.StreamingQuery
import org.slf4j.LoggerFactory

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

/** The queries that this JVM knows: the catalogs' records and what runs here. No request runs under its lock. */
private[query] object KnownQueries {
  private val log = LoggerFactory.getLogger("io.kafkalyst.query")
  // By their keys.
  private val queries = new ConcurrentHashMap[String, ContinuousQuery]()
  // Numbers the changes of queries' records in the catalog. The last number of each query is kept while a listing runs.
  private val changes = new AtomicLong
  private val changedAt = new ConcurrentHashMap[String, Long]()
  private var listings = 0

  /** Runs changes of a query's state atomically. */
  def locked[T](change: => T): T = synchronized(change)

  /**
   * All queries except terminated ones, by id. Reads the catalog without the lock, because the catalog may be large or
   * slow. A record that changed in the meantime is skipped, because this application already has the newer one.
   */
  def all(session: SparkSession): Seq[ContinuousQuery] = {
    sweep()
    synchronized(listings += 1)
    try listed(session)
    finally synchronized {
        listings -= 1
        // Later listings read the records as they are now.
        if (listings == 0) changedAt.clear()
      }
  }

  private def listed(session: SparkSession): Seq[ContinuousQuery] = {
    val store = new ObjectStore(session)
    val before = changes.get
    val records = QueryRecord.all(session).map(r => Leases.keyOf(session, r) -> r).toMap
    val (leases, silent) = (store.leases(), store.silentCatalogs)
    val added = records.filterNot(r => queries.containsKey(r._1)).map { case (key, record) =>
      key -> new ContinuousQuery(session, record)
    }
    val known = synchronized(taken(session, records, added, silent)(changedAt.getOrDefault(_, 0L) > before))
    known.foreach(query => query.lease = Leases.of(leases, query.record))
    known
  }

  /**
   * Merges the catalog's records with the queries running here.
   *
   * @param added   the queries of those records that were not known
   * @param silent  the catalogs whose records are not known now
   * @param isNewer whether a query's record has changed since it was read
   */
  private def taken(
      session: SparkSession,
      records: Map[String, QueryRecord],
      added: Map[String, ContinuousQuery],
      silent: Set[String]
  )(isNewer: String => Boolean): Seq[ContinuousQuery] = {
    def isSilent(query: ContinuousQuery) = Leases.place(query.record).exists(place => silent(place.database))
    for {
      (key, record) <- records if !isNewer(key)
      // Made here only if another listing has removed it since.
      known = queries.computeIfAbsent(key, added.getOrElse(_, new ContinuousQuery(session, record)))
      // Another application may have changed a query that does not run here.
      if !known.isBusy
    } known.record = record
    def isGone(q: ContinuousQuery) = !q.isBusy && !records.contains(q.key) && !isNewer(q.key) && !isSilent(q)
    queries.values.asScala.filter(isGone).foreach { query =>
      queries.remove(query.key)
      QueryMetrics.hide(query.key)
    }
    queries.values.asScala.toSeq.sortBy(q => (ContinuousQuery.order(q.id), q.fullId))
  }

  /** The query of a record, known from now on. */
  def of(session: SparkSession, record: QueryRecord): ContinuousQuery =
    get(Leases.keyOf(session, record)).getOrElse {
      // Made before the map is locked, as it reads the query's last status.
      val made = new ContinuousQuery(session, record)
      queries.computeIfAbsent(made.key, _ => made)
    }

  /**
   * The query with this id, alone or behind its catalog's name.
   *
   * @throws io.kafkalyst.errors.KafkalystException QUERY_NOT_FOUND, or QUERY_AMBIGUOUS if several catalogs have one
   */
  def find(session: SparkSession, id: String): ContinuousQuery = {
    val known = all(session)
    val found = known.filter(q => q.id.equalsIgnoreCase(id) || q.fullId.equalsIgnoreCase(id))
    if (found.size > 1) throw KafkalystException(
      "QUERY_AMBIGUOUS",
      "id" -> id,
      "queries" -> found.map(q => s"`${q.fullId}` (into ${q.sink}, ${q.state})").mkString(", "),
      "first" -> found.head.fullId
    )
    found.headOption.getOrElse {
      throw KafkalystException(
        "QUERY_NOT_FOUND",
        "id" -> id,
        "known" -> (if (known.isEmpty) "there are none" else s"there are ${known.map(_.id).mkString(", ")}")
      )
    }
  }

  def get(key: String): Option[ContinuousQuery] = Option(queries.get(key))

  /** Adds the query again if it was removed meanwhile. */
  def add(query: ContinuousQuery): Unit = queries.put(query.key, query): Unit

  /** Removes and returns the query. */
  def remove(key: String): Option[ContinuousQuery] = Option(queries.remove(key))

  /** Call when the catalog's record of a query has changed. */
  def changed(key: String): Unit = synchronized(if (listings > 0) changedAt.put(key, changes.incrementAndGet()): Unit)

  def byRun(run: UUID): Option[ContinuousQuery] =
    queries.values.asScala.find(_.streaming.exists(_.runId == run))

  /** Queries that run in this application or are about to start. */
  def here: Seq[ContinuousQuery] =
    queries.values.asScala.filter(q => q.isBusy && q.isWanted && !q.isOrphaned).toSeq

  /** Forgets the queries of an application that has ended, so that the JVM's next one can start them. */
  def sweep(): Unit =
    queries.values.asScala.filter(q => q.isOrphaned && queries.remove(q.key, q)).foreach { query =>
      query.restart = None
      // A statement that is cancelled meanwhile still forgets all of them.
      query.streaming.foreach(run => Uninterrupted.repeated(released(query, run)))
    }

  private def released(query: ContinuousQuery, run: StreamingQuery): Unit = {
    // Without a Spark context, stop() ends the stream, but then throws.
    try run.stop()
    catch { case NonFatal(e) => log.debug(s"The stream of ${query.id} ends by itself", e) }
    if (query.isWanted) Leases.release(query.session, query.record)
  }
}
