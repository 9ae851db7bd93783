package io.kafkalyst.query

import io.kafkalyst.catalog.ObjectStore
import io.kafkalyst.catalog.cluster.KafkaCluster
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.query.lease.Leases
import org.apache.spark.sql.SparkSession
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** Starts an application's continuous queries again. */
object ResumeAll {
  private val log = LoggerFactory.getLogger("io.kafkalyst.query")

  /**
   * Resumes all queries that ran when their application ended, that failed, or that were paused in this application.
   * Queries paused earlier stay paused. A query that cannot be started reports this in its state and error. Queries of
   * catalogs whose brokers do not answer are resumed once these answer. A query that another application runs is taken
   * over once that application releases it or its lease expires.
   */
  def apply(session: SparkSession): Seq[ContinuousQuery] = {
    val found = ContinuousQueries.all(session)
    val silent = new ObjectStore(session).silentCatalogs
    if (silent.nonEmpty) later(session, silent)
    found.filter { q =>
      !q.isActive && (q.record.state match {
        case QueryRecord.running | QueryRecord.failed => true
        case QueryRecord.paused => q.pausedHere
        case _ => false
      })
    }.map(resumed(session, _))
  }

  private def later(session: SparkSession, catalogs: Set[String]): Unit = {
    log.warn(s"Queries of the catalogs ${catalogs.mkString(", ")} are resumed when their brokers answer")
    QueryTimer.within(session, KafkaCluster.silenceMs)(if (!session.sparkContext.isStopped) {
      try answering(session, catalogs)
      catch {
        case NonFatal(e) =>
          log.warn("The queries that wait for a catalog could not be read", e)
          later(session, catalogs)
      }
    })
  }

  /** Resumes the queries of those of the catalogs whose brokers answer again. */
  private def answering(session: SparkSession, catalogs: Set[String]): Unit = {
    val found = ContinuousQueries.all(session)
    val silent = new ObjectStore(session).silentCatalogs.intersect(catalogs)
    if (silent.nonEmpty) later(session, silent)
    def isBack(q: ContinuousQuery) = Leases.place(q.record).map(_.database).exists((catalogs -- silent).contains)
    found.filter(q => isWaiting(q) && isBack(q)).foreach(resumed(session, _))
  }

  private def isWaiting(query: ContinuousQuery) = query.isWanted && !query.isBusy

  /** @param isFirst whether nothing has been logged of another application that runs it */
  private def resumed(session: SparkSession, query: ContinuousQuery, isFirst: Boolean = true): ContinuousQuery = {
    val seen = query.record.state
    // Skips queries that another application has paused since.
    try {
      val resumed = ContinuousQueries.resume(session, query, _.state == seen)
      query.standsBy = false
      resumed
    } catch {
      case held: KafkalystException if Leases.isHeld(held) =>
        if (isFirst) log.info(s"${query.id} is taken over when it ends elsewhere. ${held.getMessage}")
        standBy(session, query)
        query
      case NonFatal(e) =>
        if (isFirst) log.error(s"${query.id} cannot be resumed", e)
        // The lease or the checkpoint folder is not available now, but may be later.
        query.standsBy = query.isWanted && Leases.place(query.record).isDefined
        if (query.standsBy) standBy(session, query)
        query
    }
  }

  private def standBy(session: SparkSession, query: ContinuousQuery): Unit = {
    query.standsBy = true
    QueryTimer.within(session, Leases.renewalMs(session))(if (!session.sparkContext.isStopped) {
      try
        ContinuousQueries.all(session).find(q => q.key == query.key && isWaiting(q)) match {
          case Some(waiting) => resumed(session, waiting, isFirst = false)
          case None => query.standsBy = false
        }
      catch {
        case NonFatal(e) =>
          log.warn(s"Whether ${query.id} can be taken over is not known now: ${e.getMessage}")
          standBy(session, query)
      }
    })
  }
}
