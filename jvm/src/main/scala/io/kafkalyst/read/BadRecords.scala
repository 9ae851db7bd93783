package io.kafkalyst.read

import java.nio.ByteBuffer
import java.nio.charset.StandardCharsets.UTF_8

import io.kafkalyst.errors.{Clipped, KafkalystTaskException}
import io.kafkalyst.formats.{BadBytes, Formats}
import io.kafkalyst.metadata.{DeadLetterHeaders, DeadLettersMetric, PseudoColumns, TaskMetric}
import io.kafkalyst.model.{OnError, Side, SideFormat, TopicObject}
import io.kafkalyst.registry.WireFormat
import org.apache.kafka.clients.consumer.ConsumerRecord
import org.apache.kafka.common.header.Headers
import org.apache.kafka.common.header.internals.RecordHeaders
import org.apache.spark.sql.connector.metric.CustomTaskMetric

/** Opens a task's connection to the dead letter topic; implemented where producers are available. */
trait DeadLetterTopic extends Serializable {
  def open(): DeadLetters
}

/** A task's connection to the dead letter topic. */
trait DeadLetters {

  /** Sends a record asynchronously; [[flush]] waits for it. */
  def send(key: Array[Byte], value: Array[Byte], headers: Headers): Unit

  /**
   * Returns once the topic has stored all sent records.
   *
   * @throws io.kafkalyst.errors.KafkalystTaskException DEAD_LETTER_FAILED if one could not be written
   */
  def flush(): Unit

  def close(): Unit
}

/**
 * One side of a record that could not be decoded, and why.
 *
 * @param isTime whether only the column that ROWTIME is read from is invalid
 */
private[read] final case class BadSide(side: Side, bytes: ByteBuffer, fault: BadBytes, isTime: Boolean = false)

/** Handles the records that a task cannot decode, according to the object's ON_ERROR. */
private[read] final class BadRecords(topic: TopicObject, deadLetters: Option[DeadLetterTopic]) {
  import BadRecords._

  private var letters: DeadLetters = _
  private var bad = 0L
  private var sent = 0L
  private var added = 0L
  private var addedLetters = 0L

  /**
   * Records the fault of a record with one or two bad sides; true if the record still yields a row.
   *
   * @throws io.kafkalyst.errors.KafkalystTaskException RECORD_NOT_DECODABLE or ROWTIME_NOT_READABLE under ON_ERROR=fail
   */
  def keeps(record: ConsumerRecord[ByteBuffer, ByteBuffer], sides: Seq[BadSide]): Boolean = {
    if (topic.onError == OnError.Fail)
      sides.find(s => s.isTime || !topic.skipsBad(s.side)).foreach(bad => throw failure(record, bad))
    bad += 1
    if (topic.onError == OnError.DeadLetter) send(record, sides)
    topic.onError == OnError.Null
  }

  /** The text of the hidden error column for the record. */
  def explain(record: ConsumerRecord[ByteBuffer, ByteBuffer], sides: Seq[BadSide]): String = {
    val reasons = sides.map { s =>
      val what = if (s.isTime) PseudoColumns.rowTime.name else s"${s.side} is not ${topic.format(s.side).format}"
      s"$what: ${reason(s)}"
    }.mkString("; ")
    s"$reasons (partition ${record.partition}, offset ${record.offset})"
  }

  /** Waits until the dead letter topic has stored all records sent to it. */
  def flush(): Unit = if (letters != null) letters.flush()

  def close(): Unit = if (letters != null) {
    try letters.flush()
    finally {
      letters.close()
      letters = null
    }
  }

  def metrics: Array[CustomTaskMetric] =
    Array(TaskMetric(BadRecordsMetric.metric, bad), TaskMetric(DeadLettersMetric.metric, sent))

  /** Adds the counts since the last call. */
  def addTo(counts: SourceCounts): Unit = {
    counts.bad.add(bad - added)
    counts.deadLetters.add(sent - addedLetters)
    added = bad
    addedLetters = sent
  }

  private def send(record: ConsumerRecord[ByteBuffer, ByteBuffer], sides: Seq[BadSide]): Unit = {
    if (letters == null) letters = deadLetters.get.open()
    val headers = new RecordHeaders(record.headers)
    def add(name: String, text: String) = headers.add(DeadLetterHeaders.prefix + name, text.getBytes(UTF_8))
    add(DeadLetterHeaders.topic, record.topic)
    add(DeadLetterHeaders.partition, record.partition.toString)
    add(DeadLetterHeaders.offset, record.offset.toString)
    add(DeadLetterHeaders.timestamp, record.timestamp.toString)
    sides.foreach { s =>
      val format = topic.format(s.side).format
      add(DeadLetterHeaders.side, s.side.name)
      add(DeadLetterHeaders.format, format)
      schemaId(format, s.bytes).foreach(id => add(DeadLetterHeaders.schemaId, id.toString))
      add(DeadLetterHeaders.error, reason(s))
    }
    letters.send(bytesOf(record.key), bytesOf(record.value), headers)
    sent += 1
  }

  private def failure(record: ConsumerRecord[ByteBuffer, ByteBuffer], bad: BadSide) = {
    val where = Seq(
      "topic" -> record.topic,
      "partition" -> record.partition.toString,
      "offset" -> record.offset.toString,
      "reason" -> reason(bad)
    )
    if (bad.isTime) KafkalystTaskException(null, "ROWTIME_NOT_READABLE", where: _*)
    else KafkalystTaskException(
      bad.fault,
      "RECORD_NOT_DECODABLE",
      where.init ++ Seq(
        "reason" -> (reason(bad) + registered(topic.format(bad.side).format, bad.bytes)),
        "side" -> bad.side.name,
        "format" -> topic.format(bad.side).format,
        "length" -> bad.bytes.remaining.toString,
        "bytes" -> bytesOf(bad.bytes).take(16).map(b => f"${b & 0xff}%02x").mkString(" ")
      ): _*
    )
  }
}

private[read] object BadRecords {

  // In characters: a dead letter must not be much larger than its record, and a query's state has the message.
  private val longestReason = 1000

  private def reason(bad: BadSide): String = Clipped(bad.fault.reason, longestReason)

  private def bytesOf(buffer: ByteBuffer): Array[Byte] =
    if (buffer == null) null
    else {
      val bytes = new Array[Byte](buffer.remaining)
      buffer.duplicate().get(bytes)
      bytes
    }

  /** What bytes look like that begin with a schema id, though their format has none; empty for others. */
  private def registered(format: String, buffer: ByteBuffer): String = {
    val bytes = bytesOf(buffer)
    def hasId = WireFormat.fault(bytes, 0, bytes.length) == null && WireFormat.schemaId(bytes, 0) > 0
    // Kafka's numbers of up to eight bytes begin with zeros, too.
    def isNumber = format == SideFormat.bytes && bytes.length <= 8
    if (Formats(format).schemaType.isDefined || isNumber || !hasId) ""
    else s"; these bytes look like AVRO, JSON_SR or PROTOBUF with the schema id ${WireFormat.schemaId(bytes, 0)}"
  }

  /** The schema id at the head of the bytes, if the format has one and these bytes are intact. */
  private def schemaId(format: String, buffer: ByteBuffer): Option[Int] =
    Option(bytesOf(buffer)).filter { bytes =>
      Formats(format).schemaType.isDefined && WireFormat.fault(bytes, 0, bytes.length) == null
    }.map(WireFormat.schemaId(_, 0))
}
