package io.kafkalyst.query
package lease

import java.util.concurrent.ConcurrentHashMap

import org.apache.spark.sql.SparkSession
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/**
 * Renews leases while there are any, those of each cluster by themselves: one that does not answer delays no other. The
 * session with the shortest lease sets how often, until no query needs a lease.
 *
 * @param leased    the queries that need a lease now
 * @param clusterOf what is the same for queries into one cluster
 * @param renew     renews the leases of queries into one cluster
 */
private[query] final class LeaseRenewal(
    leased: () => Seq[ContinuousQuery],
    clusterOf: ContinuousQuery => Option[AnyRef],
    renew: Seq[ContinuousQuery] => Unit
) {
  private final class Turns(val every: Long)

  private val log = LoggerFactory.getLogger("io.kafkalyst.query")
  private val renewing = ConcurrentHashMap.newKeySet[Option[AnyRef]]()
  private var current = Option.empty[Turns]

  /** Call when a query with a lease has started. */
  def begin(session: SparkSession): Unit = {
    // Read once: a wrong setting of the session must not end the renewals.
    val every = Leases.renewalMs(session)
    synchronized(if (!current.exists(_.every <= every)) {
      current = Some(new Turns(every))
      current.foreach(next)
    })
  }

  private def next(turns: Turns): Unit = QueryTimer.after(turns.every)(if (isCurrent(turns)) turn(turns))

  /** False once turns with a shorter period have replaced these. */
  private def isCurrent(turns: Turns): Boolean = synchronized(current.contains(turns))

  private def turn(turns: Turns): Unit =
    try orWarn(leased().groupBy(clusterOf).foreach { case (cluster, queries) => apart(cluster, queries) })
    finally synchronized(if (isCurrent(turns)) {
        // Asked again: a query that has started meanwhile relies on this renewal.
        val isOn =
          try leased().nonEmpty
          catch { case NonFatal(_) => true }
        if (isOn) next(turns) else current = None
      })

  private def apart(cluster: Option[AnyRef], queries: Seq[ContinuousQuery]): Unit =
    if (renewing.add(cluster)) QueryTimer.within(queries.head.session) {
      try orWarn(renew(queries))
      finally renewing.remove(cluster)
    }

  private def orWarn(work: => Unit): Unit =
    try work
    catch { case NonFatal(e) => log.warn(s"Leases could not be renewed, and are tried again: ${e.getMessage}") }
}
