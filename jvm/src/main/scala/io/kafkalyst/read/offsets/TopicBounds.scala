package io.kafkalyst.read
package offsets

import io.kafkalyst.metadata.Ranges
import org.apache.kafka.common.errors.ApiException

/**
 * What the broker reports about a topic, to turn [[Ranges]] into offsets; called on the driver while a scan is planned.
 */
trait TopicBounds {

  /** The client's properties: cluster, login, isolation level. Equal for two clients that see the same records. */
  def client: AnyRef

  /** Earliest offset and end offset of each partition. */
  def offsets(): Map[Int, (Long, Long)]

  /**
   * Per partition, the first offset whose record has this time (epoch milliseconds) or a later one; absent if there is
   * none.
   */
  def at(time: Long): Map[Int, Long]

  /** Whether timestamps never fall within a partition. */
  def isMonotonic: Boolean

  /** The topic's id, unique even among topics that are later created under the same name; None if it has none. */
  def id(): Option[String] = None

  /** Size of the topic's records on the brokers' disks, in bytes; None if unknown. */
  def bytes(): Option[Long] = None

  /** Maps an error of Kafka's clients to a condition. */
  def named(cause: ApiException): Throwable = cause

  /** Whether a read fails on data loss. */
  def failsOnLoss: Boolean = true
}

/**
 * Resolves planned offset ranges of one topic to current offsets, and narrows them to where a predicate can keep
 * records.
 *
 * @param offsets earliest and end offset of each partition, read before any timestamp is looked up: later records are out
 *                of range
 */
private[read] final class Narrowing(ranges: Ranges, bounds: TopicBounds, offsets: Map[Int, (Long, Long)]) {
  private lazy val monotonic = bounds.isMonotonic
  private lazy val times = ranges.lookups(monotonic).map(t => t -> bounds.at(t)).toMap

  /**
   * @param from  an offset, or -2 for the earliest and -1 for the latest
   * @param until an offset, or -2 for the earliest and -1 for the latest
   * @return ranges of offsets, in order; empty if no record can be kept
   */
  def apply(partition: Int, from: Long, until: Long): Seq[Narrowing.Part] = offsets.get(partition).toSeq.flatMap {
    case (earliest, latest) =>
      def offset(of: Long) = of match {
        case Narrowing.Earliest => earliest
        case Narrowing.Latest => latest
        case known => known
      }
      val first = offset(from)
      val end = offset(until)
      val parts =
        if (ranges.isAll) Seq(first -> end)
        else {
          ranges.offsetsOf(partition, latest, t => times(t).get(partition), monotonic)
            .coalesced(Narrowing.gap, Narrowing.most)
            .parts
            .map { case (low, high) => (math.max(low, first), math.min(high, end - 1) + 1) }
        }
      parts.collect {
        case (low, high) if low < high =>
          Narrowing.Part(low, high, isWhole = low == earliest && from == Narrowing.Earliest)
      }
  }
}

private[read] object Narrowing {
  // As planned by Spark's Kafka source.
  private val Earliest = -2L
  private val Latest = -1L

  /**
   * Offsets from `from` until `until` (exclusive); whole if it starts at the partition's beginning, whatever offset
   * that is.
   */
  final case class Part(from: Long, until: Long, isWhole: Boolean)

  // Reading this many unneeded records is cheaper than another task.
  private val gap = 1000L
  private val most = 16
}
