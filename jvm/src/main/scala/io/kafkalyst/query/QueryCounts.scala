package io.kafkalyst.query

import java.time.Instant

import io.kafkalyst.read.{PartitionOffsets, SourceCounts}
import org.apache.spark.sql.streaming.StreamingQueryProgress

/** How many records a query has read, and so on, over all its runs. Written are the rows that its sink was given. */
final case class Counts(read: Long = 0, bad: Long = 0, deadLetters: Long = 0, written: Long = 0) {
  def decoded: Long = read - bad

  def +(other: Counts): Counts =
    Counts(read + other.read, bad + other.bad, deadLetters + other.deadLetters, written + other.written)

  override def toString: String =
    s"$read read, $decoded decoded, $bad bad, $deadLetters dead-lettered, $written written"
}

/**
 * What the progress of a query's batches adds up to. Each progress may be told more than once.
 *
 * @param before of earlier runs
 */
final class QueryCounts(before: Counts) {
  private var earlier = before
  private var current = Counts()
  private var lastBatch = -1L
  private var newest: Option[StreamingQueryProgress] = None
  private var done: Option[StreamingQueryProgress] = None
  private var past = Vector.empty[(Instant, Long)]

  /** Begins another run: its sources count from zero. */
  def again(): Unit = synchronized {
    earlier = total
    current = Counts()
    lastBatch = -1L
  }

  /** @param written the rows that a batch wrote */
  def observe(progress: StreamingQueryProgress, written: StreamingQueryProgress => Long): Unit = synchronized {
    // A trigger without a batch has the number of the batch that comes.
    if (QueryCounts.isBatch(progress) && progress.batchId > lastBatch) {
      lastBatch = progress.batchId
      done = Some(progress)
      // The sources' metrics count since the run's start.
      def sum(metric: String) = progress.sources.flatMap(s => Option(s.metrics.get(metric)).map(_.toLong)).sum
      current = Counts(
        sum(SourceCounts.read),
        sum(SourceCounts.bad),
        sum(SourceCounts.deadLetters),
        current.written + math.max(0, written(progress))
      )
    }
    val time = Instant.parse(progress.timestamp)
    if (newest.forall(p => time.isAfter(Instant.parse(p.timestamp)))) {
      newest = Some(progress)
      lag.foreach(behind => past = (past :+ (time -> behind)).takeRight(QueryCounts.longest))
    }
  }

  def total: Counts = synchronized(earlier + current)

  /** The records between the last one read and each partition's end as of the last batch; none while not known. */
  def lags: PartitionOffsets.Offsets = synchronized {
    PartitionOffsets.merged(newest.toSeq.flatMap(_.sources).map { s =>
      // In real time the latest offset is that of the batch's beginning, and the source alone knows more.
      Option(s.metrics.get(SourceCounts.lag)).map(PartitionOffsets.of).getOrElse(
        PartitionOffsets.behind(PartitionOffsets.of(s.latestOffset), PartitionOffsets.of(s.endOffset))
      )
    })(math.max(_, _))
  }

  /** All partitions' lags together; None while not known. */
  def lag: Option[Long] = if (lags.isEmpty) None else Some(lags.values.flatMap(_.values).sum)

  /** The next offset of each partition; none while not known. */
  def offsets: PartitionOffsets.Offsets = synchronized {
    PartitionOffsets.merged(newest.toSeq.flatMap(_.sources).map(s => PartitionOffsets.of(s.endOffset)))(math.min(_, _))
  }

  /** Rows per second of the last trigger. */
  def rate: Option[Double] = synchronized(newest.map(_.processedRowsPerSecond).filterNot(_.isNaN))

  /** Milliseconds that a part of the last batch took, by Spark's name of the part; -1 while not known. */
  def duration(part: String): Long =
    synchronized(done.flatMap(p => Option(p.durationMs.get(part))).fold(-1L)(_.longValue))

  /** When the last batch was done, in milliseconds since 1970; -1 where none was. */
  def lastSuccess: Long = synchronized {
    done.fold(-1L)(p => Instant.parse(p.timestamp).toEpochMilli + math.max(0L, duration("triggerExecution")))
  }

  /** The newest lags with the time at which they were seen. */
  def history: Seq[(Instant, Long)] = synchronized(past)
}

private[query] object QueryCounts {

  /** Whether it tells of a batch; of a trigger that found nothing to do otherwise. */
  def isBatch(progress: StreamingQueryProgress): Boolean =
    progress.sink.numOutputRows >= 0 || progress.durationMs.containsKey("addBatch")

  /** Enough for a picture of the last while. */
  private val longest = 500
}
