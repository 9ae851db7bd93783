package io.kafkalyst.read

import io.kafkalyst.metadata.Ranges
import org.apache.spark.sql.kafka010.KafkaPlanBridge

/** What the broker knows of a topic that turns [[Ranges]] into offsets; asked on the driver while a scan is planned. */
trait TopicBounds {

  /** Of each partition the earliest offset and the one behind the last record. */
  def offsets(): Map[Int, (Long, Long)]

  /** Of each partition the first offset whose record is of this time (milliseconds) or later; absent where none is. */
  def at(time: Long): Map[Int, Long]

  /** Whether timestamps never fall within a partition. */
  def isMonotonic: Boolean
}

/** What planned offset ranges of one topic are as of now, and the parts of them in which a predicate keeps records. */
private[read] final class Narrowing(ranges: Ranges, bounds: TopicBounds) {
  // The ends come first: what is written later than they are read is outside whatever the times say.
  private val offsets = bounds.offsets()
  private lazy val monotonic = bounds.isMonotonic
  private lazy val times = ranges.lookups(monotonic).map(t => t -> bounds.at(t)).toMap

  /**
   * @param from  `KafkaPlanBridge.earliest` or `latest`, or an offset
   * @param until likewise
   * @return ranges of offsets, in order; none where no record can be kept
   */
  def apply(partition: Int, from: Long, until: Long): Seq[Narrowing.Part] = offsets.get(partition).toSeq.flatMap {
    case (earliest, latest) =>
      def offset(of: Long) = of match {
        case KafkaPlanBridge.earliest => earliest
        case KafkaPlanBridge.latest => latest
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
          Narrowing.Part(low, high, isWhole = low == earliest && from == KafkaPlanBridge.earliest)
      }
  }
}

private[read] object Narrowing {

  /** Offsets from the first until the second, left out; whole where it begins with the partition, wherever that is. */
  final case class Part(from: Long, until: Long, isWhole: Boolean)

  // Reading so many records for nothing is cheaper than another task.
  private val gap = 1000L
  private val most = 16
}
