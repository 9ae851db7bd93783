package io.kafkalyst.read

import io.kafkalyst.metadata.DeadLettersMetric
import org.apache.spark.SparkContext
import org.apache.spark.util.LongAccumulator

import scala.jdk.CollectionConverters._

/**
 * Counts of the tasks of a stream's source since the stream began. Spark adds the counts of each successful task once.
 */
final case class SourceCounts(
    read: LongAccumulator,
    bad: LongAccumulator,
    deadLetters: LongAccumulator,
    superseded: LongAccumulator
) {

  /** @param left how many of the records were not decoded, because a later one has the same key */
  def add(records: Long, left: Long): Unit = {
    read.add(records)
    superseded.add(left)
  }

  /** By their names in StreamingQueryProgress. */
  def metrics: java.util.Map[String, String] = Map(
    SourceCounts.read -> read.sum.toString,
    SourceCounts.decoded -> (read.sum - bad.sum - superseded.sum).toString,
    SourceCounts.bad -> bad.sum.toString,
    SourceCounts.deadLetters -> deadLetters.sum.toString,
    SourceCounts.superseded -> superseded.sum.toString
  ).asJava
}

object SourceCounts {
  val read = "recordsRead"
  val decoded = "recordsDecoded"
  val bad = BadRecordsMetric.metric
  val deadLetters = DeadLettersMetric.metric
  val superseded = SupersededRecordsMetric.metric

  /** The number of records after the last one read, per partition, as JSON by topic and partition. */
  val lag = "lagByPartition"

  def of(context: SparkContext): SourceCounts = {
    def counter() = {
      val made = new LongAccumulator
      context.register(made)
      made
    }
    SourceCounts(counter(), counter(), counter(), counter())
  }
}
