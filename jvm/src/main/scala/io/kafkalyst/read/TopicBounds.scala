package io.kafkalyst.read

import io.kafkalyst.metadata.Ranges

/** What the broker knows of a topic that turns [[Ranges]] into offsets; asked on the driver while a scan is planned. */
trait TopicBounds {

  /** Of each partition the earliest offset and the one behind the last record. */
  def offsets(): Map[Int, (Long, Long)]

  /** Of each partition the first offset whose record is of this time (milliseconds) or later; absent where none is. */
  def at(time: Long): Map[Int, Long]

  /** Whether timestamps never fall within a partition. */
  def isMonotonic: Boolean

  /** The topic's id, which no other topic has, also none that is made later under its name; None where it has none. */
  def id(): Option[String] = None

  /** The bytes of its records on the brokers' disks; None where that is not to be known. */
  def bytes(): Option[Long] = None

  /** Whether a read fails rather than lose records. */
  def failsOnLoss: Boolean = true
}

/** What planned offset ranges of one topic are as of now, and the parts of them in which a predicate keeps records. */
private[read] final class Narrowing(ranges: Ranges, bounds: TopicBounds) {
  // The ends come first: what is written later than they are read is outside whatever the times say.
  private val offsets = bounds.offsets()
  private lazy val monotonic = bounds.isMonotonic
  private lazy val times = ranges.lookups(monotonic).map(t => t -> bounds.at(t)).toMap

  /**
   * @param from  an offset, or -2 for the earliest and -1 for the latest
   * @param until likewise
   * @return ranges of offsets, in order; none where no record can be kept
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
  // As Spark's Kafka source plans them.
  private val Earliest = -2L
  private val Latest = -1L

  /** Offsets from the first until the second, left out; whole where it begins with the partition, wherever that is. */
  final case class Part(from: Long, until: Long, isWhole: Boolean)

  // Reading so many records for nothing is cheaper than another task.
  private val gap = 1000L
  private val most = 16
}
