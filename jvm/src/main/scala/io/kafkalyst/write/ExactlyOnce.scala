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
 * Identifies the tasks of a write to Kafka across task attempts and runs.
 *
 * @param query      id of the streaming query, from its checkpoint, or of the batch statement
 * @param tasks      how many tasks write the batch
 * @param speculates whether Spark runs two attempts of one task at the same time
 * @param former     mark of the last batch that an earlier run of the query wrote; None if there is none
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
   * Transactional ids of a task's attempts; attempt n uses the id at n modulo their number. An attempt fences all
   * earlier users of its id as soon as it has a row. Speculative attempts use several ids; otherwise a slow attempt
   * would be fenced by the next one again and again.
   */
  def ids(task: Int): Seq[String] = {
    val all = ExactlyOnce.everyId(query, topic, task)
    if (speculates) all else all.take(1)
  }

  /** The partition under which that group stores the mark. */
  def place: TopicPartition = ExactlyOnce.place(topic)

  // The properties contain secrets.
  override def toString: String = s"ExactlyOnce($query, $topic, $tasks tasks)"
}

object ExactlyOnce {
  // Spark's default number of attempts per task; two run at the same time.
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
 * The mark that a task stores in the transaction of its rows: the batch number as the offset, the rest as metadata
 * text.
 *
 * @param tasks  how many tasks wrote the batch
 * @param rows   how many records the task wrote
 * @param digest sum of the hashes of their keys, or of their values for records without a key
 */
final case class EpochMark(epoch: Long, tasks: Int, rows: Long, digest: Long) {

  /** Whether a write stored it, rather than a tool that moves offsets. */
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
 * One task's records of one batch in one transaction, which also stores that the task wrote this batch. A task whose
 * batch is already stored writes nothing; it fails if its records differ from the stored ones. A task without records
 * opens no transaction.
 *
 * @param attempt number of the task's attempt, from 0
 * @param fail    throws the error that names what could not be written
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

  /** The first attempt that is ready fences the attempts that race it, unless one of them has already committed. */
  private def endOthers(): Unit = if (ids.size > 1) {
    marks.fence(ids.filterNot(_ == id))
    readMark()
    if (repeated != null) abort()
  }

  override def abort(): Unit = if (isOpen) {
    isOpen = false
    // Open transactions block readers, so the abort must also run in a thread that Spark has interrupted.
    val interrupted = Thread.interrupted()
    // If the abort fails, the next producer with this transactional id aborts the transaction.
    try producer.abortTransaction()
    catch { case _: KafkaException | _: IllegalStateException => () }
    finally if (interrupted) Thread.currentThread().interrupt()
  }

  override def close(): Unit = if (producer != null) {
    abort()
    producer.close(TransactionDelivery.closing)
  }

  /** Fences all other producers with this id and reads the marks of the task's attempts. */
  private def begin(): Unit = if (producer == null) {
    producer = Producers.transactional(write.properties, id)
    producer.initTransactions()
    readMark()
    write.former.filter(_.epoch == epoch).foreach { mark =>
      if (mark.tasks == 1) repeated = mark // one task wrote the whole batch
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

  /**
   * A repeated batch must have the records that were written; if a single task wrote all of the batch, its content is
   * not compared.
   */
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
