package io.kafkalyst.read

import io.kafkalyst.clients.TopicAdmin
import io.kafkalyst.read.offsets.{TopicBounds, TopicIds}
import io.kafkalyst.read.offsets.PartitionOffsets.Offsets

import scala.collection.immutable.SortedMap

/**
 * Reads the part of a stream's batches that the brokers have deleted from [[OlderRecords]]. Both sides use the topic's
 * own offsets, so a checkpoint does not contain the side that a record came from, and a batch that is repeated later
 * may read more of its records from the store.
 *
 * @param older looked up only when the brokers have deleted records that the stream needs
 * @param start where the stream begins
 * @param ends  offsets at which reading ends, by topic and partition
 */
private[read] final class OlderBatches(
    reading: TopicReading,
    older: () => Option[OlderRecords],
    start: StreamStart,
    ends: Map[(String, Int), Long],
    bounds: TopicBounds
) {
  private val topic = reading.topic.topic
  private var known = Option.empty[OlderRecords]

  /** The store; looked up again unless what is known of it is enough, because the store grows while the stream runs. */
  private def store(isEnough: OlderRecords => Boolean): Option[OlderRecords] = {
    if (!known.exists(isEnough)) known = older()
    known
  }

  /** The brokers' offsets; retries, as the brokers may be restarting while the stream runs. */
  private def kept(): Map[Int, (Long, Long)] = TopicAdmin.retryUntil(TopicIds.patience)(bounds.offsets())

  /** Where the stream begins: at the given offsets of the brokers, or earlier if the store has older records. */
  def begun(given: Offsets): Offsets = {
    def earlier(at: OlderRecords => Map[Int, Long]) = {
      val found = if (kept().exists(_._2._1 > 0)) store(_ => false) else None
      found.fold(given) { records =>
        val from = at(records)
        given.map { case (name, offsets) =>
          name -> offsets.map { case (p, offset) => p -> math.min(offset, from.getOrElse(p, offset)) }
        }
      }
    }
    start match {
      case StreamStart.First => earlier(_.border.map { case (p, _) => p -> 0L })
      case StreamStart.At(time) => earlier(_.at(time))
      case StreamStart.Elsewhere => given
    }
  }

  /** The part of a batch that the store has, and where the brokers' part of it begins. */
  def split(from: Offsets, until: Offsets): (Seq[OlderInputPartition], Offsets) = {
    val starts = from.getOrElse(topic, SortedMap.empty[Int, Long])
    val first = kept().map { case (p, (offset, _)) => p -> offset }
    def end(p: Int, at: Long) = until.get(topic).flatMap(_.get(p)).getOrElse(at)
    // Per partition, the first offset that the brokers have, or the batch's end if they have none of its records.
    val lost = starts.collect { case (p, at) if first.get(p).exists(_ > at) => p -> math.min(first(p), end(p, at)) }
    def reaches(records: OlderRecords) = lost.forall { case (p, to) => records.border.getOrElse(p, 0L) >= to }
    (if (lost.isEmpty) None else store(reaches)).fold((Seq.empty[OlderInputPartition], from)) { records =>
      val parts = starts.toSeq.map { case (p, at) =>
        val held = math.max(at, math.min(end(p, at), records.border.getOrElse(p, 0L)))
        if (held < end(p, at) && bounds.failsOnLoss) first.get(p).filter(_ > held).foreach(records.gap(p, _))
        (p, at, held)
      }
      val ranges = parts.map { case (p, at, held) => (p, at, ends.get((topic, p)).fold(held)(math.min(held, _))) }
      val rest = from.updated(topic, SortedMap.from(parts.map { case (p, _, held) => p -> held }))
      (OlderInputPartition.of(records.rows(ranges.filter(r => r._2 < r._3), reading.asked)), rest)
    }
  }
}
