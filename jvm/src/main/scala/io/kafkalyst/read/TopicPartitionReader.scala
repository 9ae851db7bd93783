package io.kafkalyst.read

import java.nio.ByteBuffer
import java.time.Duration
import java.{util => ju}

import io.kafkalyst.errors.{KafkalystException, KafkalystTaskException}
import io.kafkalyst.formats.{BadBytes, Decoder, DecodeRequest, Formats, Target}
import io.kafkalyst.model.{OnError, Side, TopicColumn, TopicObject}
import io.kafkalyst.registry.{HttpRegistry, RegistryClient, RegistryConfig}
import org.apache.kafka.clients.consumer.{ConsumerConfig, ConsumerRecord, KafkaConsumer, OffsetOutOfRangeException}
import org.apache.kafka.common.TopicPartition
import org.apache.kafka.common.serialization.ByteBufferDeserializer
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.kafka010.KafkaPlanBridge
import org.apache.spark.sql.types.StructType

/** One task's range of one partition. */
final case class TopicInputPartition(range: KafkaPlanBridge.Range) extends InputPartition {
  override def preferredLocations(): Array[String] = range.preferredLocations
}

/**
 * Carries to the tasks what they need to decode: the object, the columns asked for, the registry's address.
 *
 * @param zone the session's time zone
 */
final case class TopicReaderFactory(
    topic: TopicObject,
    asked: StructType,
    registry: Option[RegistryConfig],
    zone: String
) extends PartitionReaderFactory {
  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    new TopicPartitionReader(this, partition.asInstanceOf[TopicInputPartition].range)
}

/**
 * The record loop: polls the consumer's own bytes and decodes the asked columns of both sides into one reused row.
 * Rows of the range come in offset order; gaps of compaction and transactions are passed over.
 *
 * Errors (KafkalystTaskException): RECORD_NOT_DECODABLE under ON_ERROR=fail, DATA_LOSS where offsets of the range
 * are gone and failOnDataLoss holds, READ_TIMEOUT where the broker is silent for longer than the poll's limit.
 */
final class TopicPartitionReader(factory: TopicReaderFactory, range: KafkaPlanBridge.Range)
    extends PartitionReader[InternalRow] {
  private val partition = new TopicPartition(range.topic, range.partition)
  private val consumer = new KafkaConsumer[ByteBuffer, ByteBuffer](TopicPartitionReader.consumerProperties(range))
  private val around = new RecordMetadata(factory)
  private val row = new SpecificInternalRow(around.fields.map(_.dataType))
  private val key = decoder(Side.Key)
  private val value = decoder(Side.Value)

  private var records: ju.Iterator[ConsumerRecord[ByteBuffer, ByteBuffer]] = ju.Collections.emptyIterator()
  private var badRecords = 0L
  private var fetched = 0L
  private var position = 0L

  consumer.assign(ju.Collections.singletonList(partition))
  private val until: Long =
    if (range.until >= 0) range.until else consumer.endOffsets(ju.List.of(partition)).get(partition).longValue
  if (range.from >= 0) consumer.seek(partition, range.from)
  else consumer.seekToBeginning(ju.List.of(partition))
  position = consumer.position(partition)

  override def next(): Boolean = {
    while (hasRecord) {
      val record = records.next()
      if (record.offset >= until) {
        position = until
        records = ju.Collections.emptyIterator()
        return false
      }
      if (decoded(record)) return true
    }
    false
  }

  override def get(): InternalRow = row

  // Nothing is to be left in order: without a group, a graceful close would only wait for the fetch under way.
  override def close(): Unit = consumer.close(Duration.ZERO)

  override def currentMetricsValues(): Array[CustomTaskMetric] = Array(
    TopicPartitionReader.metric(BadRecordsMetric.metric, badRecords),
    TopicPartitionReader.metric(FetchedRecordsMetric.metric, fetched)
  )

  /** Polls until there is a record or the range's end is reached. */
  private def hasRecord: Boolean = {
    if (records.hasNext) return true
    val deadline = System.nanoTime() + range.pollTimeoutMs * 1000000L
    while (position < until) {
      val polled =
        try consumer.poll(Duration.ofMillis(math.min(range.pollTimeoutMs, 1000L)))
        catch { case lost: OffsetOutOfRangeException => lose(lost) }
      if (polled != null) {
        records = polled.records(partition).iterator()
        fetched += polled.count()
        // The position also moves over offsets without records, so it alone tells the end.
        position = consumer.position(partition)
        if (records.hasNext) return true
      }
      if (position < until && System.nanoTime() > deadline) {
        throw KafkalystTaskException(
          null,
          "READ_TIMEOUT",
          "topic" -> range.topic,
          "partition" -> range.partition.toString,
          "offset" -> position.toString,
          "until" -> until.toString,
          "timeout" -> s"${range.pollTimeoutMs} ms"
        )
      }
    }
    false
  }

  private def lose(lost: OffsetOutOfRangeException): Null = {
    val earliest = consumer.beginningOffsets(ju.List.of(partition)).get(partition).longValue
    if (range.failOnDataLoss) {
      throw KafkalystTaskException(
        lost,
        "DATA_LOSS",
        "topic" -> range.topic,
        "partition" -> range.partition.toString,
        "offset" -> position.toString,
        "earliest" -> earliest.toString
      )
    }
    position = math.min(math.max(earliest, position), until)
    consumer.seek(partition, position)
    null
  }

  private def decoded(record: ConsumerRecord[ByteBuffer, ByteBuffer]): Boolean = {
    val good = read(Side.Key, key, record.key, record) & read(Side.Value, value, record.value, record) &&
      around.fill(record, row)
    if (!good) badRecords += 1
    good
  }

  /** False where the bytes are bad and the object's policy is to skip. */
  private def read(
      side: Side,
      reader: TopicPartitionReader.SideReader,
      bytes: ByteBuffer,
      record: ConsumerRecord[ByteBuffer, ByteBuffer]
  ): Boolean = {
    if (reader == null) return true
    if (bytes == null) {
      reader.clear(row)
      return true
    }
    val offset = bytes.arrayOffset + bytes.position()
    try {
      reader.decoder.decode(bytes.array, offset, bytes.remaining, row)
      true
    } catch {
      case bad: BadBytes =>
        if (factory.topic.onError == OnError.Skip) false
        else
          throw KafkalystTaskException(
            bad,
            "RECORD_NOT_DECODABLE",
            "topic" -> record.topic,
            "partition" -> record.partition.toString,
            "offset" -> record.offset.toString,
            "side" -> side.name,
            "format" -> factory.topic.format(side).format,
            "length" -> bytes.remaining.toString,
            "bytes" -> TopicPartitionReader.hex(bytes.array, offset, math.min(16, bytes.remaining)),
            "reason" -> bad.reason
          )
    }
  }

  private def decoder(side: Side): TopicPartitionReader.SideReader = {
    val targets = around.fields.toArray.zipWithIndex.collect {
      case (field, ordinal) if factory.topic.isIn(TopicColumn.of(field), side) =>
        Target(field.name, field.dataType, ordinal)
    }
    if (targets.isEmpty) null
    else {
      val format = factory.topic.format(side)
      val declared = factory.topic.columns(side)
      val request = DecodeRequest(side, range.topic, format, declared, targets, TopicPartitionReader.registry(factory))
      new TopicPartitionReader.SideReader(Formats(format.format).decoder(request), targets.map(_.ordinal))
    }
  }
}

object TopicPartitionReader {
  private def metric(of: String, count: Long): CustomTaskMetric = new CustomTaskMetric {
    override def name(): String = of
    override def value(): Long = count
  }

  /** The decoder of one side with the places it fills. */
  final class SideReader(val decoder: Decoder, ordinals: Array[Int]) {
    def clear(row: InternalRow): Unit = ordinals.foreach(row.setNullAt)
  }

  private def registry(factory: TopicReaderFactory): () => RegistryClient = () =>
    HttpRegistry(factory.registry.getOrElse(throw KafkalystException("NO_REGISTRY")))

  private def consumerProperties(range: KafkaPlanBridge.Range): ju.Map[String, Object] = {
    val properties = new ju.HashMap[String, Object](range.consumer)
    properties.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, classOf[ByteBufferDeserializer].getName)
    properties.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, classOf[ByteBufferDeserializer].getName)
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false")
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none")
    // A task reads what is there, so its fetches have nothing to wait for.
    properties.putIfAbsent(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, "20")
    // A short range asks for no more records than it has.
    val atMost = range.until - math.max(range.from, 0L)
    if (atMost > 0 && atMost < defaultPollRecords) {
      properties.putIfAbsent(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, atMost.toString)
    }
    properties
  }

  private val defaultPollRecords = ConsumerConfig.DEFAULT_MAX_POLL_RECORDS

  private[read] def hex(bytes: Array[Byte], offset: Int, length: Int): String =
    bytes.slice(offset, offset + length).map(b => f"${b & 0xff}%02x").mkString(" ")
}
