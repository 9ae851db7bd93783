package io.kafkalyst.query

import java.util.concurrent.ConcurrentHashMap

import io.kafkalyst.catalog.ObjectStore
import io.kafkalyst.catalog.cluster.Lease
import org.apache.spark.sql.SparkSession
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/**
 * Renews the leases of the queries that run here.
 *
 * @param here  returns the queries that run in this application or are about to start
 * @param leave stops a query that another application has taken over or ended, with the reason
 */
private[query] final class LeaseRenewal(here: () => Seq[ContinuousQuery], leave: (ContinuousQuery, String) => Unit) {
  private val log = LoggerFactory.getLogger("io.kafkalyst.query")
  private val leaving = ConcurrentHashMap.newKeySet[String]()
  private var isRenewing = false

  def begin(session: SparkSession): Unit = synchronized {
    if (!isRenewing) {
      // Read once: an invalid setting of the session must not end the renewals.
      val every = Leases.renewalMs(session)
      isRenewing = true
      QueryTimer.after(every)(renew(every))
    }
  }

  private def leased = here().filter(q => Leases.place(q.record).isDefined && !leaving.contains(q.id))

  private def renew(every: Long): Unit = {
    def clusterOf(q: ContinuousQuery) = Leases.place(q.record).flatMap(new ObjectStore(q.session).clusterOf)
    leased.groupBy(clusterOf).values.foreach { queries =>
      try renew(queries)
      catch { case NonFatal(e) => log.warn(s"Leases could not be renewed, and are tried again: ${e.getMessage}") }
    }
    synchronized {
      // Checked again, because a query that has started since relies on this renewal.
      isRenewing = leased.nonEmpty
      if (isRenewing) QueryTimer.after(every)(renew(every))
    }
  }

  /**
   * Renews the leases of queries into one cluster. Queries that another application has taken over or ended stop here.
   */
  private def renew(queries: Seq[ContinuousQuery]): Unit = {
    val session = queries.head.session
    val store = new ObjectStore(session)
    val kept =
      queries.flatMap(q => Leases.place(q.record).flatMap(store.at)).flatMap(QueryRecord.of).map(r => r.id -> r).toMap
    val (ended, wanted) = queries.partition(q => !kept.get(q.id).exists(_.state == QueryRecord.running))
    var lost = Seq.empty[(ContinuousQuery, Lease)]
    store.lease(Leases.place(queries.head.record).get) { leases =>
      lost = wanted.flatMap(q => leases.get(q.id).filter(_.owner != Leases.owner(session)).map(q -> _))
      wanted.diff(lost.map(_._1)).map(q => q.id -> Some(leases.getOrElse(q.id, Leases.begun(session)))).toMap
    }
    lost.foreach { case (query, to) => stop(query, s"${to.owner} has taken it over")(()) }
    ended.foreach { query =>
      stop(query, "another application has paused or ended it")(Leases.release(session, query.record))
    }
  }

  /** Does not wait: Spark's stop may take long, and the other leases must be renewed in time. */
  private def stop(query: ContinuousQuery, why: String)(after: => Unit): Unit = {
    leaving.add(query.id)
    QueryTimer.after(0) {
      try {
        leave(query, why)
        after
      } finally leaving.remove(query.id)
    }
  }
}
