package io.kafkalyst.read
package offsets

import java.util.concurrent.ConcurrentHashMap
import java.{util => ju}

import org.apache.kafka.common.errors.ApiException
import org.apache.spark.sql.catalyst.QueryPlanningTracker

/**
 * The offsets of topics at one moment. All batch scans of a statement have the same one, so that a self-join, a CTE
 * that is used twice, and a subquery read the same records although others write meanwhile.
 */
private[kafkalyst] final class StatementOffsets {
  private val known = new ConcurrentHashMap[(AnyRef, String), Map[Int, (Long, Long)]]

  /** The topic as the broker reports it, with the offsets of the statement's first request. */
  def of(topic: String, bounds: TopicBounds): TopicBounds = new TopicBounds {
    override def client: AnyRef = bounds.client
    override def offsets(): Map[Int, (Long, Long)] =
      known.computeIfAbsent((bounds.client, topic), _ => bounds.offsets())
    override def at(time: Long): Map[Int, Long] = bounds.at(time)
    override def isMonotonic: Boolean = bounds.isMonotonic
    override def id(): Option[String] = bounds.id()
    override def bytes(): Option[Long] = bounds.bytes()
    override def named(cause: ApiException): Throwable = bounds.named(cause)
    override def failsOnLoss: Boolean = bounds.failsOnLoss
  }
}

private[kafkalyst] object StatementOffsets {
  // Spark has one tracker for each execution of a query, subqueries included.
  private val ofStatements =
    ju.Collections.synchronizedMap(new ju.WeakHashMap[QueryPlanningTracker, StatementOffsets])

  /** Those of the statement that this thread optimizes; new ones outside of an optimizer. */
  def current(): StatementOffsets =
    QueryPlanningTracker.get.fold(new StatementOffsets)(ofStatements.computeIfAbsent(_, _ => new StatementOffsets))
}
