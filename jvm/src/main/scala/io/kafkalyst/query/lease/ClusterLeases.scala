package io.kafkalyst.query
package lease

import java.util.concurrent.ConcurrentHashMap

import io.kafkalyst.catalog.ObjectStore
import io.kafkalyst.catalog.cluster.Lease

/**
 * The leases of the queries that run here, by cluster.
 *
 * @param leave stops a query that another application has taken over or ended, and says why
 */
private[query] final class ClusterLeases(leave: (ContinuousQuery, String) => Unit) {
  private val leaving = ConcurrentHashMap.newKeySet[String]()

  /** Whether the query needs a lease and is to keep running. */
  def isNeeded(query: ContinuousQuery): Boolean =
    Leases.place(query.record).isDefined && !leaving.contains(query.key)

  def clusterOf(query: ContinuousQuery): Option[AnyRef] =
    Leases.place(query.record).flatMap(new ObjectStore(query.session).clusterOf)

  /**
   * Renews the leases of queries into one cluster. Queries that another application has taken over or ended stop here.
   */
  def renew(queries: Seq[ContinuousQuery]): Unit = {
    val session = queries.head.session
    val store = new ObjectStore(session)
    val sinks = queries.flatMap(q => Leases.place(q.record)).distinct.map(name => name -> store.at(name)).toMap
    val (ended, wanted) = queries.partition { query =>
      Leases.place(query.record).exists(name => Leases.isOver(store, name, sinks(name), query.record))
    }
    var lost = Seq.empty[(ContinuousQuery, Lease)]
    store.lease(Leases.place(queries.head.record).get) { leases =>
      lost = wanted.flatMap(q => leases.get(q.id).filter(_.owner != Runner.owner(session)).map(q -> _))
      wanted.diff(lost.map(_._1)).map(q => q.id -> Some(leases.getOrElse(q.id, Leases.begun(session)))).toMap
    }
    lost.foreach { case (query, to) => stop(query, s"${to.owner} has taken it over")(()) }
    ended.foreach { query =>
      stop(query, "another application has paused or ended it")(Leases.release(session, query.record))
    }
  }

  /** Does not wait: Spark's stop may take long, and the other leases must be renewed in time. */
  private def stop(query: ContinuousQuery, why: String)(after: => Unit): Unit = {
    leaving.add(query.key)
    QueryTimer.within(query.session) {
      try {
        leave(query, why)
        after
      } finally leaving.remove(query.key)
    }
  }
}
