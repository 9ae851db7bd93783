package io.kafkalyst.write

import java.time.Duration

import io.kafkalyst.clients.{Producers, SentOffsets, Uninterrupted}
import io.kafkalyst.model.Side
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata
import org.apache.kafka.clients.producer.{ProducerConfig, ProducerRecord}
import org.apache.kafka.common.KafkaException
import org.apache.spark.sql.catalyst.expressions.XXH64
import org.apache.spark.unsafe.Platform

import scala.jdk.CollectionConverters._

/** Why a batch cannot be written exactly once. */
private[write] final class NotRepeatable(val reason: String) extends RuntimeException(reason)

/**
 * One task's records of one batch in one transaction, which also stores the mark that the task has written this batch.
 * A task whose batch is already stored writes nothing; it fails if its records differ from the stored ones. A task
 * without records opens no transaction.
 *
 * @param attempt number of the task's attempt, from 0
 * @param streaming whether a continuous query writes
 * @param schemas ids of the schemas by which a side's bytes are encoded; empty without one
 * @param fail    throws the error that names what could not be written
 */
private[write] final class TransactionDelivery(
    write: ExactlyOnce,
    task: Int,
    attempt: Int,
    epoch: Long,
    streaming: Boolean,
    schemas: Side => Seq[Int],
    fail: Exception => Nothing
) extends Delivery {
  private val group = write.group(task)
  private val ids = write.ids(task)
  private val id = ids(attempt % ids.size)
  // A statement ends when its rows can be read. A query's next batch need not wait for that.
  private val offsets = Option.unless(streaming)(new SentOffsets)
  private val sent = new Sent(offsets)
  private var producer: Producers.Producer = _
  private var repeated: EpochMark = _
  private var isOpen = false
  private var rows = 0L
  private var digest = 0L
  private var digested = Set.empty[Side]

  override def partitions(topic: String): Int = told {
    begin()
    producer.partitionsFor(topic).size
  }

  override def send(record: ProducerRecord[Array[Byte], Array[Byte]]): Unit = told {
    begin()
    rows += 1
    val side = if (record.key == null) Side.Value else Side.Key
    if (!digested(side)) digested += side
    digest += TransactionDelivery.hash(if (side == Side.Key) record.key else record.value)
    if (repeated == null) {
      sent.check()
      producer.send(record, sent)
    }
    ()
  }

  /** Commits the transaction. */
  override def flush(): Unit = told(if (producer == null) compareNothing() else commit())

  private def commit(): Unit = {
    if (repeated == null) {
      producer.flush()
      sent.check()
      endOthers()
    }
    if (repeated != null) compare()
    else {
      producer.sendOffsetsToTransaction(Map(write.place -> mark.asOffset).asJava, new ConsumerGroupMetadata(group))
      UnansweredCommit(TransactionDelivery.patience(write.properties))(producer.commitTransaction())(isCommitted)
      isOpen = false
      offsets.foreach(_.awaitVisible(write.properties))
    }
  }

  private def mark: EpochMark = {
    val ids = Side.all.filter(digested).map(side => side -> schemas(side)).filter(_._2.nonEmpty)
    val shown = ids.map { case (side, all) => s"${side.name}:${all.sorted.mkString("+")}" }
    EpochMark(epoch, write.tasks, rows, digest, Option.when(shown.nonEmpty)(shown.mkString(",")))
  }

  /** Asks the broker whether it has committed the transaction; the answer is final, because the producer is fenced. */
  private def isCommitted: Boolean = {
    isOpen = false
    Producers.discard(producer)
    producer = Producers.transactional(write.properties, id)
    producer.initTransactions()
    readMark()
    if (repeated != null) compare()
    repeated != null
  }

  /**
   * The first attempt that is ready fences the attempts that run concurrently, unless one of these has already
   * committed.
   */
  private def endOthers(): Unit = if (ids.size > 1) {
    marks.fence(ids.filterNot(_ == id))
    readMark()
    if (repeated != null) abort()
  }

  override def abort(): Unit = if (isOpen) {
    isOpen = false
    // Open transactions block readers, so the abort must also run in a thread that Spark has interrupted.
    Uninterrupted {
      // If the abort fails, the next producer with this transactional id aborts the transaction.
      try producer.abortTransaction()
      catch { case _: KafkaException | _: IllegalStateException => () }
    }
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
    marks.of(Seq(group), write.topic).headOption.foreach { mark =>
      if (!mark.isOurs) {
        if (isBegun || write.isFirst) throw new NotRepeatable(
          s"another client has committed offsets to the group $group, which had the mark of what task $task wrote. If " +
            "the rows of the batch are not in the topic, delete the group and start again"
        )
      } else if (mark.epoch > epoch) throw new NotRepeatable(
        s"the topic has batch ${mark.epoch} already, so the checkpoint is older than the topic"
      )
      else if (mark.epoch == epoch) repeated = mark
    }

  /** Whether an earlier attempt or run may have written records of the batch. */
  private def isBegun = attempt > 0 || write.former.exists(_.epoch == epoch)

  /**
   * A retried batch must have the same records that were written; if a single task wrote the whole batch, the records
   * are not compared.
   */
  private def compare(): Unit =
    if (repeated.tasks != 1 && !repeated.isRepeatedBy(mark)) throw new NotRepeatable(
      s"task $task wrote ${repeated.rows} records before, and would now write $rows others"
    )

  /** Without records no transaction shows the task's mark: other tasks would write again what it wrote before. */
  private def compareNothing(): Unit =
    if (isBegun) {
      readMark()
      if (repeated != null) compare()
    }

  private def told[T](action: => T): T =
    try action
    catch { case error @ (_: KafkaException | _: NotRepeatable) => fail(error.asInstanceOf[Exception]) }
}

private object TransactionDelivery {
  private val closing = Duration.ofSeconds(5)

  /** How long a commit is repeated: as long as a record is. */
  private def patience(properties: Map[String, String]): Duration = {
    val name = ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG
    val default = ProducerConfig.configDef().defaultValues().get(name).toString
    Duration.ofMillis(properties.getOrElse(name, default).toLong)
  }

  private def hash(bytes: Array[Byte]): Long =
    if (bytes == null) 0L
    else XXH64.hashUnsafeBytes(bytes, Platform.BYTE_ARRAY_OFFSET.toLong, bytes.length, 42L)
}
