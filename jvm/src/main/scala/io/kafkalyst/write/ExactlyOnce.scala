package io.kafkalyst.write

import java.util.Optional

import org.apache.kafka.clients.consumer.{ConsumerGroupMetadata, OffsetAndMetadata}
import org.apache.kafka.clients.producer.ProducerRecord
import org.apache.kafka.common.{KafkaException, TopicPartition}
import org.apache.spark.sql.catalyst.expressions.XXH64
import org.apache.spark.unsafe.Platform

import scala.jdk.CollectionConverters._

/**
 * How the tasks of a write are known to Kafka beyond their own lives.
 *
 * @param query      id of the streaming query, which its checkpoint keeps, or of the batch statement
 * @param tasks      how many tasks write the batch
 * @param former     the last batch that a former run of the query wrote; None where there is none
 * @param properties properties of the clients
 */
final case class ExactlyOnce(
    query: String,
    topic: String,
    tasks: Int,
    former: Option[EpochMark],
    properties: Map[String, String]
) {

  /** Transactional id of a task, and the consumer group in which it stores its marks. */
  def id(task: Int): String = ExactlyOnce.prefix(query, topic) + task

  /** The partition that stands for the mark in that group. */
  def place: TopicPartition = ExactlyOnce.place(topic)

  // The properties hold secrets.
  override def toString: String = s"ExactlyOnce($query, $topic, $tasks tasks)"
}

object ExactlyOnce {
  private[write] def prefix(query: String, topic: String): String = s"kafkalyst-$query-$topic-"

  private[write] def place(topic: String): TopicPartition = new TopicPartition(topic, 0)
}

/**
 * What a task stores of a batch in the transaction of its rows: the batch's number as the offset, the rest as text.
 *
 * @param tasks  how many tasks wrote the batch
 * @param rows   how many records the task wrote
 * @param digest sum of the hashes of their keys, or of their values where they have no key
 */
final case class EpochMark(epoch: Long, tasks: Int, rows: Long, digest: Long) {

  /** Whether it was stored with rows, and not by a tool that moves offsets. */
  private[write] def isOurs: Boolean = tasks > 0

  private[write] def asOffset: OffsetAndMetadata =
    new OffsetAndMetadata(epoch, Optional.empty[Integer], s"tasks=$tasks rows=$rows digest=${digest.toHexString}")
}

object EpochMark {
  private val text = """tasks=(\d+) rows=(\d+) digest=([0-9a-f]+)""".r

  private[write] def of(offset: OffsetAndMetadata): Option[EpochMark] = Option(offset).map { o =>
    o.metadata match {
      case text(tasks, rows, digest) =>
        EpochMark(o.offset, tasks.toInt, rows.toLong, java.lang.Long.parseUnsignedLong(digest, 16))
      case _ => EpochMark(o.offset, 0, 0L, 0L)
    }
  }
}

/** Why a batch cannot be written exactly once. */
private[write] final class NotRepeatable(val reason: String) extends RuntimeException(reason)

/**
 * One task's records of one batch in one transaction, which also stores that the task wrote this batch. A task that
 * finds its batch stored already writes nothing; records that differ from those stored are an error. A task without
 * records takes no part.
 *
 * @param fail throws the error that tells what could not be written
 */
private[write] final class TransactionDelivery(
    write: ExactlyOnce,
    task: Int,
    epoch: Long,
    fail: Exception => Nothing
) extends Delivery {
  private val id = write.id(task)
  private val sent = new Sent
  private var producer: Producers.Producer = _
  private var repeated: EpochMark = _
  private var isOpen = false
  private var rows = 0L
  private var digest = 0L

  override def partitions(topic: String): Int = told {
    begin()
    producer.partitionsFor(topic).size
  }

  override def send(record: ProducerRecord[Array[Byte], Array[Byte]]): Unit = told {
    begin()
    rows += 1
    digest += TransactionDelivery.hash(if (record.key == null) record.value else record.key)
    if (repeated == null) {
      sent.check()
      producer.send(record, sent)
    }
    ()
  }

  /** Commits the transaction. */
  override def flush(): Unit = if (producer != null) told {
    if (repeated != null) compare()
    else {
      producer.flush()
      sent.check()
      val mark = EpochMark(epoch, write.tasks, rows, digest).asOffset
      producer.sendOffsetsToTransaction(Map(write.place -> mark).asJava, new ConsumerGroupMetadata(id))
      producer.commitTransaction()
      isOpen = false
    }
  }

  override def abort(): Unit = if (isOpen) {
    isOpen = false
    // A producer that cannot even do this is replaced by the next one with its id, which aborts for it.
    try producer.abortTransaction()
    catch { case _: KafkaException | _: IllegalStateException => () }
  }

  override def close(): Unit = if (producer != null) {
    abort()
    producer.close(TransactionDelivery.closing)
  }

  /** Fences every other producer of this task, and looks at what they left. */
  private def begin(): Unit = if (producer == null) {
    producer = Producers.transactional(write.properties, id)
    producer.initTransactions()
    val stored = Marks.of(write.properties).of(Seq(id), write.topic).headOption
    stored.filter(_.epoch >= epoch).foreach { mark =>
      if (mark.epoch > epoch) throw new NotRepeatable(
        s"the topic has batch ${mark.epoch} already, so the checkpoint is older than the topic"
      )
      repeated = mark
    }
    write.former.filter(_.epoch == epoch).foreach { mark =>
      if (mark.tasks == 1) repeated = mark // that one task wrote all of it
      else if (mark.tasks != write.tasks) throw new NotRepeatable(
        s"${mark.tasks} tasks began to write it, and now there are ${write.tasks}"
      )
    }
    if (repeated == null) {
      producer.beginTransaction()
      isOpen = true
    }
  }

  /** What was written must be what would be written now; one task alone wrote all of the batch, whatever that was. */
  private def compare(): Unit =
    if (repeated.tasks != 1 && (repeated.rows != rows || repeated.digest != digest)) throw new NotRepeatable(
      s"task $task wrote ${repeated.rows} records before, and would now write $rows others"
    )

  private def told[T](action: => T): T =
    try action
    catch { case error @ (_: KafkaException | _: NotRepeatable) => fail(error.asInstanceOf[Exception]) }
}

private object TransactionDelivery {
  private val closing = java.time.Duration.ofSeconds(5)

  private def hash(bytes: Array[Byte]): Long =
    if (bytes == null) 0L
    else XXH64.hashUnsafeBytes(bytes, Platform.BYTE_ARRAY_OFFSET.toLong, bytes.length, 42L)
}
