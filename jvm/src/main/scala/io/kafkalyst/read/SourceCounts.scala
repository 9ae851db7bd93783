package io.kafkalyst.read

import io.kafkalyst.metadata.DeadLettersMetric
import org.apache.spark.SparkContext
import org.apache.spark.util.LongAccumulator

import scala.jdk.CollectionConverters._

/**
 * What the tasks of a stream's source have counted since the stream began. Spark adds what a task that was done has
 * counted, once.
 */
final case class SourceCounts(read: LongAccumulator, bad: LongAccumulator, deadLetters: LongAccumulator) {

  /** By the names that StreamingQueryProgress has them under. */
  def metrics: java.util.Map[String, String] = Map(
    SourceCounts.read -> read.sum.toString,
    SourceCounts.decoded -> (read.sum - bad.sum).toString,
    SourceCounts.bad -> bad.sum.toString,
    SourceCounts.deadLetters -> deadLetters.sum.toString
  ).asJava
}

object SourceCounts {
  val read = "recordsRead"
  val decoded = "recordsDecoded"
  val bad = BadRecordsMetric.metric
  val deadLetters = DeadLettersMetric.metric

  /** The records behind the last one read of each partition, as JSON by topic and partition. */
  val lag = "lagByPartition"

  def of(context: SparkContext): SourceCounts = {
    def counter() = {
      val made = new LongAccumulator
      context.register(made)
      made
    }
    SourceCounts(counter(), counter(), counter())
  }
}
