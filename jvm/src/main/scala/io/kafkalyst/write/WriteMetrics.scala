package io.kafkalyst.write

import io.kafkalyst.metadata.{DeadLettersMetric, RegistryRequestsMetric, SumMetric, TaskMetric}
import io.kafkalyst.registry.RegistryCounts
import org.apache.kafka.clients.producer.ProducerRecord
import org.apache.spark.sql.connector.metric.{CustomMetric, CustomTaskMetric}

/** A task's write metrics, for the SQL tab. */
private[write] final class WriteCounts {
  private val requestsBefore = RegistryCounts.mine.requests
  private var sent = 0L
  private var bytes = 0L
  private var tombstones = 0L
  private var waited = 0L

  /** Records that went to the dead letter topic instead. */
  var deadLetters: Long = 0

  def add(record: ProducerRecord[Array[Byte], Array[Byte]]): Unit = {
    sent += 1
    if (record.key != null) bytes += record.key.length
    if (record.value != null) bytes += record.value.length else tombstones += 1
  }

  /** Counts the time spent waiting for the broker. */
  def waiting(work: => Unit): Unit = {
    val began = System.nanoTime()
    try work
    finally waited += System.nanoTime() - began
  }

  def metrics: Array[CustomTaskMetric] = Array(
    TaskMetric(SentRecordsMetric.metric, sent),
    TaskMetric(SentBytesMetric.metric, bytes),
    TaskMetric(TombstonesMetric.metric, tombstones),
    TaskMetric(DeadLettersMetric.metric, deadLetters),
    TaskMetric(WaitedMetric.metric, waited / 1000000L),
    TaskMetric(RegistryRequestsMetric.metric, RegistryCounts.mine.requests - requestsBefore)
  )
}

private[write] object WriteMetrics {
  def all: Array[CustomMetric] = Array(
    new SentRecordsMetric,
    new SentBytesMetric,
    new TombstonesMetric,
    new DeadLettersMetric,
    new WaitedMetric,
    new RegistryRequestsMetric
  )
}

/** Counts the records of rows, acknowledged or not; zero for a retried exactly-once batch, which sends no records. */
final class SentRecordsMetric extends SumMetric(SentRecordsMetric.metric, "number of records written")

object SentRecordsMetric {
  val metric = "recordsSent"
}

final class SentBytesMetric
    extends SumMetric(SentBytesMetric.metric, "bytes of their keys and values, before compression")

object SentBytesMetric {
  val metric = "bytesSent"
}

final class TombstonesMetric extends SumMetric(TombstonesMetric.metric, "number of tombstones among them")

object TombstonesMetric {
  val metric = "tombstonesSent"
}

final class WaitedMetric
    extends SumMetric(WaitedMetric.metric, "milliseconds for which tasks waited for the last acknowledgements")

object WaitedMetric {
  val metric = "millisWaited"
}
