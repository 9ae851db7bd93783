package io.kafkalyst.query
package lease

import java.net.InetAddress

import io.kafkalyst.catalog.{ObjectName, ObjectStore}
import io.kafkalyst.catalog.cluster.Lease
import io.kafkalyst.errors.{Conditions, KafkalystException}
import io.kafkalyst.model.settings.{QuerySettings, Settings}
import org.apache.spark.sql.SparkSession
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/**
 * Which application runs a query into a catalog's topic. All applications on the cluster share the catalog's
 * definitions, so each query has a lease in the catalog's topic: the application that starts the query takes the lease
 * and renews it while the query runs. Queries into the session catalog and into other catalogs' tables are known to
 * this application only.
 */
private[query] object Leases {
  private val log = LoggerFactory.getLogger("io.kafkalyst.query")
  private lazy val host = InetAddress.getLocalHost.getHostName

  /** The error condition for a query that another application runs. */
  val held: String = Conditions("QUERY_HELD").name

  /** How often leases are renewed, and leases of other applications are checked, in milliseconds. */
  def renewalMs(session: SparkSession): Long = math.max(1L, lengthMs(session) / 3)

  private def lengthMs(session: SparkSession): Long =
    Settings.of(session.conf.getAll).millis(QuerySettings.queryLease)

  /** This application's name, as other applications see it. */
  def owner(session: SparkSession): String = {
    val context = session.sparkContext
    s"${context.appName} (${context.applicationId} on $host)"
  }

  /** The lease of a query among those of all catalogs; None if no application holds one. */
  def of(leases: Map[String, Map[String, Lease]], record: QueryRecord): Option[Lease] =
    place(record).flatMap(name => leases.get(name.database)).flatMap(_.get(record.id))

  /**
   * Takes the lease of a query that is about to start here; false if its sink needs no lease.
   *
   * @throws io.kafkalyst.errors.KafkalystException QUERY_HELD while another application holds the lease
   */
  def take(session: SparkSession, record: QueryRecord): Boolean = place(record).exists { name =>
    new ObjectStore(session).lease(name) { leases =>
      val mine = begun(session)
      val before = leases.get(record.id)
      before.filter(l => l.owner != mine.owner && l.isHeld(mine.since)).foreach(held => throw heldBy(record, held))
      Map(record.id -> Some(before.filter(_.owner == mine.owner).getOrElse(mine)))
    }
    true
  }

  /** Whether this application holds the lease for its full length from now; true if the query needs none. */
  def holds(session: SparkSession, record: QueryRecord): Boolean =
    try {
      take(session, record)
      true
    } catch { case NonFatal(_) => false }

  /** Releases the lease, so that another application need not wait for it to expire. */
  def release(session: SparkSession, record: QueryRecord): Unit = place(record).foreach { name =>
    try new ObjectStore(session).lease(name) {
        _.get(record.id).filter(_.owner == owner(session)).map(_ => record.id -> None).toMap
      }
    catch {
      case e: KafkalystException => log.warn(s"The lease of ${record.id} ends by itself: ${e.getMessage}")
    }
  }

  /**
   * Whether no other application has paused or ended the query since its lease was last renewed; true if this is
   * unknown.
   */
  def isKeptRunning(session: SparkSession, record: QueryRecord): Boolean = place(record).forall { name =>
    try new ObjectStore(session).at(name).exists(QueryRecord.of(_).exists(r =>
        r.id == record.id && r.state == QueryRecord.running
      ))
    catch { case NonFatal(_) => true }
  }

  /** A lease of this application that begins now. */
  def begun(session: SparkSession): Lease = {
    val now = System.currentTimeMillis()
    Lease(owner(session), now, lengthMs(session), now)
  }

  private def heldBy(record: QueryRecord, held: Lease) = KafkalystException(
    "QUERY_HELD",
    "id" -> record.id,
    "owner" -> held.owner,
    "since" -> java.time.Instant.ofEpochMilli(held.since).toString,
    "seconds" -> (held.length / 1000).toString
  )

  /** The cluster topic that the query writes; None for other sinks, which applications do not share. */
  def place(record: QueryRecord): Option[ObjectName] = record.sink match {
    case SinkName.OfObject(name) if name.isOfCluster => Some(name)
    case _ => None
  }
}
