package io.kafkalyst.query

import java.time.Instant

import com.fasterxml.jackson.databind.ObjectMapper
import io.kafkalyst.read.{AtomicFile, SourceCounts}
import io.kafkalyst.read.offsets.PartitionOffsets
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.streaming.StreamingQueryProgress
import org.slf4j.LoggerFactory

import scala.util.control.NonFatal

/** Record counts of a query over all its runs. `written` counts the rows passed to its sink. */
final case class Counts(
    read: Long = 0,
    decoded: Long = 0,
    bad: Long = 0,
    deadLetters: Long = 0,
    written: Long = 0
) {
  def +(other: Counts): Counts = Counts(
    read + other.read,
    decoded + other.decoded,
    bad + other.bad,
    deadLetters + other.deadLetters,
    written + other.written
  )

  override def toString: String =
    s"$read read, $decoded decoded, $bad bad, $deadLetters dead-lettered, $written written"
}

/**
 * Sums up the progress reports of a query's batches. The same progress may be reported more than once.
 *
 * @param before the counts of earlier runs
 */
final class QueryCounts(before: Counts) {
  private var earlier = before
  private var current = Counts()
  private var lastBatch = -1L
  private var newest: Option[StreamingQueryProgress] = None
  private var done: Option[StreamingQueryProgress] = None
  private var past = Vector.empty[(Instant, Long)]

  /** Begins another run, whose sources count from zero. */
  def again(): Unit = synchronized {
    earlier = total
    current = Counts()
    lastBatch = -1L
  }

  /** @param written the rows that a batch wrote */
  def observe(progress: StreamingQueryProgress, written: StreamingQueryProgress => Long): Unit = synchronized {
    // A trigger without a batch reports the number of the next batch.
    if (QueryCounts.isBatch(progress) && progress.batchId > lastBatch) {
      lastBatch = progress.batchId
      done = Some(progress)
      // The sources' metrics count from the start of the run.
      def sum(metric: String) = progress.sources.flatMap(s => Option(s.metrics.get(metric)).map(_.toLong)).sum
      current = Counts(
        sum(SourceCounts.read),
        sum(SourceCounts.decoded),
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

  /** Records between the last one read and each partition's end as of the last batch; empty if unknown. */
  def lags: PartitionOffsets.Offsets = synchronized {
    PartitionOffsets.merged(newest.toSeq.flatMap(_.sources).map { s =>
      // In real-time mode, the latest offset is that of the batch's start; only the source itself knows a newer one.
      Option(s.metrics.get(SourceCounts.lag)).map(PartitionOffsets.of).getOrElse(
        PartitionOffsets.behind(PartitionOffsets.of(s.latestOffset), PartitionOffsets.of(s.endOffset))
      )
    })(math.max(_, _))
  }

  /** The total lag of all partitions; None if unknown. */
  def lag: Option[Long] = PartitionOffsets.total(lags)

  /** The next offset of each partition; empty if unknown. */
  def offsets: PartitionOffsets.Offsets = synchronized {
    PartitionOffsets.merged(newest.toSeq.flatMap(_.sources).map(s => PartitionOffsets.of(s.endOffset)))(math.min(_, _))
  }

  /** Rows per second of the last trigger. */
  def rate: Option[Double] = synchronized(newest.map(_.processedRowsPerSecond).filterNot(_.isNaN))

  /** The duration in milliseconds of a part of the last batch, by Spark's name for it; -1 if unknown. */
  def duration(part: String): Long =
    synchronized(done.flatMap(p => Option(p.durationMs.get(part))).fold(-1L)(_.longValue))

  /** When the last batch completed, in epoch milliseconds; -1 if none has completed. */
  def lastSuccess: Long = synchronized {
    done.fold(-1L)(p => Instant.parse(p.timestamp).toEpochMilli + math.max(0L, duration("triggerExecution")))
  }

  /** The newest lags, each with the time of its observation. */
  def history: Seq[(Instant, Long)] = synchronized(past)
}

private[query] object QueryCounts {

  /** The status file in a checkpoint, which keeps the counts. */
  val file = "status.json"
  private val log = LoggerFactory.getLogger("io.kafkalyst.query")
  private val mapper = new ObjectMapper()

  /** The counts of earlier runs; zeros if there is no file, or none that may be read. */
  def before(session: SparkSession, checkpoint: String): Counts =
    if (RecordFiles.isOutside(session, checkpoint)) Counts()
    else
      try {
        AtomicFile.read(new Path(checkpoint, file), session.sessionState.newHadoopConf()).fold(Counts()) { text =>
          val json = mapper.readTree(text)
          def of(name: String) = Option(json.get(name)).fold(0L)(_.asLong)
          Counts(of("read"), of("decoded"), of("bad"), of("dead_lettered"), of("written"))
        }
      } catch {
        case NonFatal(e) =>
          log.warn(s"Could not read $checkpoint/$file: counts begin with zero", e)
          Counts()
      }

  /** Whether the progress reports a batch, not a trigger without data, for which some sinks report 0 rows. */
  def isBatch(progress: StreamingQueryProgress): Boolean =
    progress.numInputRows > 0 || progress.durationMs.containsKey("addBatch")

  /** The number of lags that are kept, enough for a chart of the recent past. */
  private val longest = 500
}
