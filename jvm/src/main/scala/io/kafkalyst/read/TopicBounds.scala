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
}

/** The parts of planned offset ranges in which records can be that a predicate keeps. */
private[read] final class Narrowing(ranges: Ranges, bounds: TopicBounds) {
  // The ends come first: what is written later than they are read is outside whatever the times say.
  private val offsets = bounds.offsets()
  private val monotonic = bounds.isMonotonic
  private val times = ranges.lookups(monotonic).map(t => t -> bounds.at(t)).toMap

  /**
   * @param from  negative for the earliest
   * @param until negative for the latest
   * @return of the same meaning as what was given; nothing where no record can be kept
   */
  def apply(partition: Int, from: Long, until: Long): Seq[(Long, Long)] = offsets.get(partition) match {
    case None => Seq(from -> until)
    case Some((earliest, latest)) =>
      val first = if (from < 0) earliest else from
      val end = if (until < 0) latest else until
      ranges.offsetsOf(partition, latest, t => times(t).get(partition), monotonic)
        .coalesced(Narrowing.gap, Narrowing.most)
        .parts
        .map { case (low, high) => (math.max(low, first), math.min(high, end - 1)) }
        .collect {
          case (low, high) if low <= high => (if (low == first) from else low, if (high == end - 1) until else high + 1)
        }
  }
}

private object Narrowing {
  // Reading so many records for nothing is cheaper than another task.
  private val gap = 1000L
  private val most = 16
}
