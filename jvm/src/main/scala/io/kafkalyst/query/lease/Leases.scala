package io.kafkalyst.query
package lease

import io.kafkalyst.catalog.{ObjectName, ObjectStore, StoredObject}
import io.kafkalyst.catalog.cluster.Lease
import io.kafkalyst.errors.{Conditions, KafkalystException}
import org.apache.spark.sql.SparkSession
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/**
 * Which application runs a query into a catalog's topic. All applications on the cluster share the catalog's
 * definitions, so each query has a lease in the catalog's topic: the application that starts the query takes the lease
 * and renews it while the query runs. Queries into the session catalog and into other catalogs' tables have no lease:
 * an application that starts one looks whether another one runs it ([[Runner]]).
 */
private[query] object Leases {
  private val log = LoggerFactory.getLogger("io.kafkalyst.query")

  private lazy val held = Set(Conditions("QUERY_HELD").name, Runner.elsewhere)

  /** Whether the error means that another application runs the query. */
  def isHeld(failed: KafkalystException): Boolean = held(failed.getCondition)

  /** How often leases are renewed, and leases of other applications are checked, in milliseconds. */
  def renewalMs(session: SparkSession): Long = math.max(1L, Runner.lengthMs(session) / 3)

  /** The lease of a query among those of all catalogs; None if no application holds one. */
  def of(leases: Map[String, Map[String, Lease]], record: QueryRecord): Option[Lease] =
    place(record).flatMap(name => leases.get(name.database)).flatMap(_.get(record.id))

  /**
   * Takes the lease of a query that is about to start here; false if its sink has no place for one.
   *
   * @throws io.kafkalyst.errors.KafkalystException QUERY_HELD while another application holds the lease,
   *         QUERY_ELSEWHERE while another one runs a query without a lease
   */
  def take(session: SparkSession, record: QueryRecord): Boolean = {
    if (place(record).isEmpty) Runner.require(session, record)
    place(record).exists(taken(session, record, _))
  }

  private def taken(session: SparkSession, record: QueryRecord, name: ObjectName): Boolean = {
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
    } catch {
      case NonFatal(e) =>
        log.debug(s"The lease of ${record.id} is not held", e)
        false
    }

  /** Releases the lease, so that another application need not wait for it to expire. */
  def release(session: SparkSession, record: QueryRecord): Unit = place(record).foreach { name =>
    try new ObjectStore(session).lease(name) {
        _.get(record.id).filter(_.owner == Runner.owner(session)).map(_ => record.id -> None).toMap
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
    val store = new ObjectStore(session)
    try !isOver(store, name, store.at(name), record)
    catch { case NonFatal(_) => true }
  }

  /**
   * Whether the catalog says that the query is not to run. A catalog that may not be read, or whose topic the brokers
   * do not know, says nothing.
   *
   * @param sink the entry of the query's sink, as `store` has found it
   */
  def isOver(store: ObjectStore, name: ObjectName, sink: Option[StoredObject], record: QueryRecord): Boolean =
    sink match {
      case Some(found) => !QueryRecord.of(found).exists(r => r.id == record.id && r.state == QueryRecord.running)
      case None => store.isGone(name)
    }

  /** A lease of this application that begins now. */
  def begun(session: SparkSession): Lease = {
    val now = System.currentTimeMillis()
    Lease(Runner.owner(session), now, Runner.lengthMs(session), now)
  }

  /**
   * What tells queries with equal ids apart: the catalog that stores them. Applications with other checkpoints choose
   * ids by themselves, and two catalogs of a session may be the same, also under two lists of brokers.
   */
  def keyOf(session: SparkSession, record: QueryRecord): String = Leases.place(record).fold(record.id) { name =>
    s"${record.id}@${new ObjectStore(session).placeOf(name).getOrElse(name.database)}"
  }

  private def heldBy(record: QueryRecord, held: Lease) = KafkalystException(
    "QUERY_HELD",
    "id" -> record.word,
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
