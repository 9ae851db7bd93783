package io.kafkalyst.read

import java.nio.ByteBuffer
import java.time.Duration
import java.{util => ju}

import io.kafkalyst.errors.{ClientErrors, KafkalystException, KafkalystTaskException}
import io.kafkalyst.formats.{BadBytes, Decoder, DecodeRequest, Formats, Target}
import io.kafkalyst.model.{Side, TopicObject}
import io.kafkalyst.names.InternalSchema
import io.kafkalyst.registry.{HttpRegistry, RegistryClient, RegistryConfig, RegistryCounts}
import org.apache.kafka.clients.consumer.{ConsumerConfig, ConsumerRecord, KafkaConsumer, OffsetOutOfRangeException}
import org.apache.kafka.common.{KafkaException, TopicPartition}
import org.apache.kafka.common.serialization.ByteBufferDeserializer
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow
import org.apache.spark.sql.connector.metric.CustomTaskMetric
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.kafka010.KafkaPlanBridge
import org.apache.spark.sql.types.{StructField, StructType}
import org.apache.spark.unsafe.types.UTF8String

import scala.jdk.CollectionConverters._

/** One task's range of one partition. */
final case class TopicInputPartition(range: KafkaPlanBridge.Range) extends InputPartition {
  override def preferredLocations(): Array[String] = range.preferredLocations
}

/** Carries to the tasks what they need to decode: the object, the columns asked for, the registry's address. */
final case class TopicReaderFactory(
    topic: TopicObject,
    asked: StructType,
    registry: Option[RegistryConfig],
    deadLetters: Option[DeadLetterTopic]
) extends PartitionReaderFactory {
  override def createReader(partition: InputPartition): PartitionReader[InternalRow] =
    new TopicPartitionReader(this, partition.asInstanceOf[TopicInputPartition].range)

  override def toString: String = s"TopicReaderFactory(${topic.topic})"
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
  private val requestsBefore = RegistryCounts.mine.requests
  private val consumer = TopicPartitionReader.consumer(range)
  private val errorAt = factory.asked.fields.indexWhere(f => factory.topic.hidden.exists(_.name == f.name))
  private val columns = TopicPartitionReader.columns(factory.topic, factory.asked, errorAt)
  private val row = new SpecificInternalRow(columns.map(_.dataType))
  private val bad = new BadRecords(factory.topic, factory.deadLetters)
  private val key = decoder(Side.Key)
  private val value = decoder(Side.Value)

  private var records: ju.Iterator[ConsumerRecord[ByteBuffer, ByteBuffer]] = ju.Collections.emptyIterator()
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
      } else if (decoded(record)) return true
    }
    // The range is done only when its bad records are safe.
    bad.flush()
    false
  }

  override def get(): InternalRow = row

  // Nothing is to be left in order: without a group, a graceful close would only wait for the fetch under way.
  override def close(): Unit =
    try consumer.close(Duration.ZERO)
    finally bad.close()

  override def currentMetricsValues(): Array[CustomTaskMetric] = bad.metrics :+
    TopicPartitionReader.metric(RegistryRequestsMetric.metric, RegistryCounts.mine.requests - requestsBefore)

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

  /** False where the record is passed over. */
  private def decoded(record: ConsumerRecord[ByteBuffer, ByteBuffer]): Boolean = {
    val badKey = read(Side.Key, key, record.key)
    val badValue = read(Side.Value, value, record.value)
    if (badKey == null && badValue == null) {
      if (errorAt >= 0) row.setNullAt(errorAt)
      true
    } else {
      val sides = Seq(badKey, badValue).filter(_ != null)
      val kept = bad.keeps(record, sides)
      if (kept && errorAt >= 0) row.update(errorAt, UTF8String.fromString(bad.explain(record, sides)))
      kept
    }
  }

  /** Null where the side is well, else why its columns are null now. */
  private def read(side: Side, reader: TopicPartitionReader.SideReader, bytes: ByteBuffer): BadSide = {
    if (reader == null) return null
    if (bytes == null) {
      reader.clear(row)
      return null
    }
    try {
      reader.decoder.decode(bytes.array, bytes.arrayOffset + bytes.position(), bytes.remaining, row)
      null
    } catch {
      case fault: BadBytes =>
        reader.clear(row)
        BadSide(side, bytes, fault)
    }
  }

  private def decoder(side: Side): TopicPartitionReader.SideReader = {
    val internal = InternalSchema.of(factory.topic.columns)
    val targets = columns.zipWithIndex.filter(_._2 != errorAt).flatMap { case (field, ordinal) =>
      val at = internal.fieldIndex(field.name)
      val column = factory.topic.columns(at)
      val asked = InternalSchema.external(field.dataType, internal(at).dataType, column.dataType)
      if (column.side == side) Some(Target(column.name, asked, ordinal)) else None
    }.toArray
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

  /** The decoder of one side with the places it fills. */
  final class SideReader(val decoder: Decoder, ordinals: Array[Int]) {
    def clear(row: InternalRow): Unit = ordinals.foreach(row.setNullAt)
  }

  /** The row's fields: those asked for, and with the error column, which is about all of the record, the rest too. */
  private def columns(topic: TopicObject, asked: StructType, errorAt: Int): Seq[StructField] = {
    val rest =
      if (errorAt < 0) Nil else InternalSchema.of(topic.columns).filterNot(field => asked.exists(_.name == field.name))
    asked ++ rest
  }

  private def registry(factory: TopicReaderFactory): () => RegistryClient = () =>
    HttpRegistry(factory.registry.getOrElse(throw KafkalystException("NO_REGISTRY")))

  private def metric(named: String, counted: Long): CustomTaskMetric = new CustomTaskMetric {
    override def name(): String = named
    override def value(): Long = counted
  }

  private def consumer(range: KafkaPlanBridge.Range): KafkaConsumer[ByteBuffer, ByteBuffer] = {
    val properties = consumerProperties(range)
    try new KafkaConsumer(properties)
    catch { case e: KafkaException => throw ClientErrors.notMade(e, properties.asScala.toMap) }
  }

  private def consumerProperties(range: KafkaPlanBridge.Range): ju.Map[String, Object] = {
    val properties = new ju.HashMap[String, Object](range.consumer)
    properties.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, classOf[ByteBufferDeserializer].getName)
    properties.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, classOf[ByteBufferDeserializer].getName)
    properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false")
    properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none")
    // A task reads what is there, so its fetches have nothing to wait for.
    properties.putIfAbsent(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, "20")
    properties
  }
}
