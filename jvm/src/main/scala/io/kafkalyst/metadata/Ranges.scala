package io.kafkalyst.metadata

import java.time.Instant

/** A set of whole numbers: sorted closed intervals that neither overlap nor touch. */
final case class Intervals private (parts: Seq[(Long, Long)]) {
  def isEmpty: Boolean = parts.isEmpty
  def isAll: Boolean = parts == Intervals.all.parts
  def contains(n: Long): Boolean = parts.exists { case (low, high) => low <= n && n <= high }

  def &(other: Intervals): Intervals = Intervals.of(for {
    (a, b) <- parts
    (c, d) <- other.parts
    if math.max(a, c) <= math.min(b, d)
  } yield (math.max(a, c), math.min(b, d)))

  def |(other: Intervals): Intervals = Intervals.of(parts ++ other.parts)

  /** The complement. */
  def unary_! : Intervals = {
    val lows = Long.MinValue +: parts.filter(_._2 < Long.MaxValue).map(_._2 + 1)
    val highs = parts.filter(_._1 > Long.MinValue).map(_._1 - 1) :+ Long.MaxValue
    // An interval from the minimum has no gap before it, one up to the maximum none after it.
    val from = if (parts.headOption.exists(_._1 == Long.MinValue)) lows.tail else lows
    val until = if (parts.lastOption.exists(_._2 == Long.MaxValue)) highs.init else highs
    Intervals.of(from.zip(until))
  }

  /**
   * Fewer and larger intervals: fills gaps of up to `gap`, then the smallest gaps until at most `most` intervals are
   * left.
   */
  def coalesced(gap: Long, most: Int): Intervals = {
    def gaps = parts.zip(parts.drop(1)).map { case ((_, end), (start, _)) => start - end }
    val allowed = if (parts.size <= most) gap else math.max(gap, gaps.sorted.apply(parts.size - most - 1))
    Intervals(parts.foldLeft(Vector.empty[(Long, Long)]) {
      case (done :+ ((low, high)), (start, end)) if start - high <= allowed => done :+ (low -> end)
      case (done, part) => done :+ part
    })
  }
}

object Intervals {
  val none: Intervals = Intervals(Nil)
  val all: Intervals = Intervals(Seq(Long.MinValue -> Long.MaxValue))

  def from(low: Long, high: Long): Intervals = if (low <= high) Intervals(Seq(low -> high)) else none

  private def of(parts: Seq[(Long, Long)]): Intervals =
    Intervals(parts.sorted.foldLeft(Vector.empty[(Long, Long)]) {
      case (done :+ ((low, high)), (start, end)) if high == Long.MaxValue || start <= high + 1 =>
        done :+ (low -> math.max(high, end))
      case (done, part) => done :+ part
    })
}

/** Records of these partitions, offsets and timestamps (milliseconds). */
final case class Box(
    partitions: Intervals = Intervals.all,
    offsets: Intervals = Intervals.all,
    times: Intervals = Intervals.all
) {
  def isEmpty: Boolean = partitions.isEmpty || offsets.isEmpty || times.isEmpty
  def &(other: Box): Box = Box(partitions & other.partitions, offsets & other.offsets, times & other.times)

  /** Both boxes as one, if they differ in one dimension only. */
  def joined(other: Box): Option[Box] =
    if (offsets == other.offsets && times == other.times) Some(copy(partitions = partitions | other.partitions))
    else if (partitions == other.partitions && times == other.times) Some(copy(offsets = offsets | other.offsets))
    else if (partitions == other.partitions && offsets == other.offsets) Some(copy(times = times | other.times))
    else None

  def cover(other: Box): Box = Box(partitions | other.partitions, offsets | other.offsets, times | other.times)
}

/**
 * A superset of the records that a predicate keeps: the records of any of the boxes. Pure algebra; only [[offsetsOf]]
 * uses data of a topic.
 */
final case class Ranges private (boxes: Seq[Box]) {
  def isAll: Boolean = boxes.contains(Box())

  def &(other: Ranges): Ranges = Ranges.of(for (a <- boxes; b <- other.boxes) yield a & b)
  def |(other: Ranges): Ranges = Ranges.of(boxes ++ other.boxes)

  /** The timestamps whose offsets [[offsetsOf]] looks up. */
  def lookups(monotonic: Boolean): Set[Long] = boxes.flatMap(_.times.parts).flatMap { case (low, high) =>
    Seq(low).filter(_ > Ranges.noTime) ++ Seq(high).filter(h => monotonic && h < Long.MaxValue).map(_ + 1)
  }.toSet

  /**
   * The offsets of a partition at which matching records can be.
   *
   * @param end       the end offset
   * @param at        the first offset whose record has this time or a later one; None if there is none
   * @param monotonic whether timestamps never decrease, so that no early record follows a late one
   */
  def offsetsOf(partition: Int, end: Long, at: Long => Option[Long], monotonic: Boolean): Intervals =
    boxes.filter(_.partitions.contains(partition)).map { box =>
      box.offsets & box.times.parts.map { case (low, high) =>
        val first = if (low <= Ranges.noTime) Long.MinValue else at(low).getOrElse(end)
        val last = if (!monotonic || high == Long.MaxValue) Long.MaxValue else at(high + 1).getOrElse(end) - 1
        Intervals.from(first, last)
      }.foldLeft(Intervals.none)(_ | _)
    }.foldLeft(Intervals.none)(_ | _)

  override def toString: String =
    if (boxes.isEmpty) "nothing"
    else boxes.map { box =>
      Seq(
        "partition" -> (box.partitions, (n: Long) => n.toString),
        "offset" -> (box.offsets, (n: Long) => n.toString),
        "timestamp" -> (box.times, Ranges.time _)
      ).collect { case (name, (set, show)) if !set.isAll => s"$name ${Ranges.show(set, show)}" }.mkString(" and ")
    }.mkString(" or ")
}

object Ranges {
  val all: Ranges = Ranges(Seq(Box()))
  val none: Ranges = Ranges(Nil)

  /** The timestamp of a record without one, which is the lowest; brokers look up only timestamps from 0 on. */
  private val noTime = -1L

  /** Maximum number of boxes; a predicate with more is covered by fewer and larger ones. */
  private val most = 16

  def of(box: Box): Ranges = of(Seq(box))

  private def of(boxes: Seq[Box]): Ranges = {
    val joined = boxes.filterNot(_.isEmpty).distinct.foldLeft(Vector.empty[Box]) { (done, box) =>
      done.indexWhere(_.joined(box).isDefined) match {
        case -1 => done :+ box
        case i => done.updated(i, done(i).joined(box).get)
      }
    }
    val few = if (joined.size <= most) joined else joined.take(most - 1) :+ joined.drop(most - 1).reduce(_ cover _)
    if (few.contains(Box())) all else Ranges(few)
  }

  private val shown = 8

  private def show(set: Intervals, number: Long => String): String = {
    val parts = set.parts.take(shown).map {
      case (low, high) if low == high => s"= ${number(low)}"
      case (low, Long.MaxValue) => s"from ${number(low)}"
      case (Long.MinValue, high) => s"to ${number(high)}"
      case (low, high) => s"${number(low)} to ${number(high)}"
    }
    (parts ++ (if (set.parts.size > shown) Seq("…") else Nil)).mkString("(", ", ", ")")
  }

  private def time(millis: Long): String = Instant.ofEpochMilli(millis).toString
}
