package io.kafkalyst.clients

import java.time.Duration
import java.util.concurrent.ConcurrentHashMap

import org.apache.kafka.clients.producer.{Callback, RecordMetadata}
import org.apache.kafka.common.TopicPartition
import org.slf4j.LoggerFactory

import scala.jdk.CollectionConverters._
import scala.util.control.NonFatal

/**
 * The last offset that a producer has written in each partition. After a commit, the next statement must find the
 * records: brokers confirm a commit before they write its markers, and reading ends at the first open transaction.
 */
private[kafkalyst] final class SentOffsets extends Callback {
  private val last = new ConcurrentHashMap[TopicPartition, Long]()

  override def onCompletion(metadata: RecordMetadata, error: Exception): Unit = if (error == null) {
    last.merge(new TopicPartition(metadata.topic, metadata.partition), metadata.offset, math.max(_, _))
    ()
  }

  /**
   * Waits until readers of committed records see the records. Warns and returns if this takes longer than
   * [[SentOffsets.patience]], as it does while another producer has an older transaction open, and if the brokers do
   * not answer: the records are committed.
   *
   * @param client the producer's properties
   */
  def awaitVisible(client: Map[String, String]): Unit = if (!last.isEmpty) {
    lazy val admin = TopicAdmin(client + ("isolation.level" -> "read_committed"))
    awaitVisible(partitions => admin.ends(partitions))
  }

  /** @param ends the last stable offsets of partitions */
  private[clients] def awaitVisible(
      ends: Seq[TopicPartition] => Map[TopicPartition, Long],
      patience: Duration = SentOffsets.patience
  ): Unit = {
    val written = last.asScala.toMap
    def isVisible = {
      val stable = ends(written.keys.toSeq)
      written.forall { case (partition, offset) => stable.get(partition).exists(_ > offset) }
    }
    val where = written.keys.map(_.topic).toSeq.distinct.sorted.mkString(", ")
    try
      if (!SentOffsets.await(patience)(isVisible)) SentOffsets.log.warn(
        s"The rows in $where are committed, but not yet visible after ${patience.toMillis} ms: another transaction may be open"
      )
    catch {
      // A task that is cancelled now has committed its rows.
      case _: InterruptedException => Thread.currentThread.interrupt()
      case NonFatal(e) =>
        SentOffsets.log.warn(s"The rows in $where are committed, but perhaps not yet visible: ${e.getMessage}")
    }
  }
}

private[kafkalyst] object SentOffsets {
  private val log = LoggerFactory.getLogger("io.kafkalyst.write")
  private val patience = Duration.ofSeconds(10)

  /** Asks `isVisible` until it is true or `patience` is over; returns whether it was true. */
  def await(patience: Duration)(isVisible: => Boolean): Boolean = {
    val until = System.nanoTime() + patience.toNanos
    var is = isVisible
    while (!is && System.nanoTime() < until) {
      Thread.sleep(20)
      is = isVisible
    }
    is
  }
}
