package io.kafkalyst.read
package offsets

import java.util.concurrent.ConcurrentHashMap
import java.{util => ju}

import org.apache.spark.sql.catalyst.QueryPlanningTracker

/**
 * The offsets of topics at one moment. All batch scans of a statement have the same one, so that a self-join, a CTE
 * that is used twice, and a subquery read the same records although others write meanwhile.
 */
private[kafkalyst] final class StatementOffsets {
  // Spark plans subqueries in threads of their own: the second one waits for the first one's answer.
  private val known = new ConcurrentHashMap[(AnyRef, String), Map[Int, (Long, Long)]]

  /** Earliest and end offset of each partition, as the statement's first request found them. */
  def of(topic: String, bounds: TopicBounds): Map[Int, (Long, Long)] =
    known.computeIfAbsent((bounds.client, topic), _ => bounds.offsets())
}

private[kafkalyst] object StatementOffsets {
  // Spark has one tracker for each execution of a query, subqueries included.
  private val ofStatements =
    ju.Collections.synchronizedMap(new ju.WeakHashMap[QueryPlanningTracker, StatementOffsets])

  /** Those of the statement that this thread optimizes; new ones outside of an optimizer. */
  def current(): StatementOffsets =
    QueryPlanningTracker.get.fold(new StatementOffsets)(ofStatements.computeIfAbsent(_, _ => new StatementOffsets))
}
