package io.kafkalyst.write

import java.util.Optional

import io.kafkalyst.clients.Producers
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
 * @param speculates whether Spark runs two attempts of one task at a time
 * @param former     the last batch that a former run of the query wrote; None where there is none
 * @param properties properties of the clients
 */
final case class ExactlyOnce(
    query: String,
    topic: String,
    tasks: Int,
    speculates: Boolean,
    former: Option[EpochMark],
    properties: Map[String, String]
) {

  /** The consumer group in which a task stores its marks. */
  def group(task: Int): String = ExactlyOnce.group(query, topic, task)

  /**
   * Transactional ids of a task's attempts, the n-th attempt's at n modulo their number. One fences all that had its
   * id before as soon as it has a row. Attempts that race each other have several, or one that is slow for good would
   * be fenced by the next again and again.
   */
  def ids(task: Int): Seq[String] = {
    val all = ExactlyOnce.everyId(query, topic, task)
    if (speculates) all else all.take(1)
  }

  /** The partition that stands for the mark in that group. */
  def place: TopicPartition = ExactlyOnce.place(topic)

  // The properties hold secrets.
  override def toString: String = s"ExactlyOnce($query, $topic, $tasks tasks)"
}

object ExactlyOnce {
  // As often as Spark by default tries a task; two run at a time.
  private val racing = 4

  private def prefix(query: String, topic: String): String = s"kafkalyst-$query-$topic-"

  private[write] def group(query: String, topic: String, task: Int): String = prefix(query, topic) + task

  /** The group whose offset is the greatest number of tasks that a query has had. */
  private[write] def tasksGroup(query: String, topic: String): String = prefix(query, topic) + "tasks"

  /** The transactional ids that a task may have had, whether attempts raced or not. */
  private[write] def everyId(query: String, topic: String, task: Int): Seq[String] = {
    val first = group(query, topic, task)
    first +: (1 until racing).map(n => s"$first.$n")
  }

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
 * @param attempt number of the task's attempt, from 0
 * @param fail    throws the error that tells what could not be written
 */
private[write] final class TransactionDelivery(
    write: ExactlyOnce,
    task: Int,
    attempt: Int,
    epoch: Long,
    fail: Exception => Nothing
) extends Delivery {
  private val group = write.group(task)
  private val ids = write.ids(task)
  private val id = ids(attempt % ids.size)
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
    if (repeated == null) {
      producer.flush()
      sent.check()
      endOthers()
    }
    if (repeated != null) compare()
    else {
      val mark = EpochMark(epoch, write.tasks, rows, digest).asOffset
      producer.sendOffsetsToTransaction(Map(write.place -> mark).asJava, new ConsumerGroupMetadata(group))
      producer.commitTransaction()
      isOpen = false
    }
  }

  /** The attempt that is ready first ends those that race it, unless one of them has committed before. */
  private def endOthers(): Unit = if (ids.size > 1) {
    marks.fence(ids.filterNot(_ == id))
    readMark()
    if (repeated != null) abort()
  }

  override def abort(): Unit = if (isOpen) {
    isOpen = false
    // Readers wait for what is left open: a thread that Spark interrupted, to end the task, does this still.
    val interrupted = Thread.interrupted()
    // A producer that cannot even do this is replaced by the next one with its id, which aborts for it.
    try producer.abortTransaction()
    catch { case _: KafkaException | _: IllegalStateException => () }
    finally if (interrupted) Thread.currentThread().interrupt()
  }

  override def close(): Unit = if (producer != null) {
    abort()
    producer.close(TransactionDelivery.closing)
  }

  /** Fences every other producer with this id, and looks at what the task's attempts left. */
  private def begin(): Unit = if (producer == null) {
    producer = Producers.transactional(write.properties, id)
    producer.initTransactions()
    readMark()
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

  private def marks: Marks = Marks.of(write.properties)

  private def readMark(): Unit =
    marks.of(Seq(group), write.topic).headOption.filter(_.epoch >= epoch).foreach { mark =>
      if (mark.epoch > epoch) throw new NotRepeatable(
        s"the topic has batch ${mark.epoch} already, so the checkpoint is older than the topic"
      )
      repeated = mark
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
