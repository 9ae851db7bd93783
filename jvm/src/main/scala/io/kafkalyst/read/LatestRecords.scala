package io.kafkalyst.read

import java.nio.ByteBuffer
import java.{util => ju}

import io.kafkalyst.model.{OnError, TopicObject}
import org.apache.kafka.clients.consumer.ConsumerRecord
import org.apache.kafka.common.header.Headers
import org.apache.kafka.common.header.internals.RecordHeaders
import org.apache.kafka.common.record.TimestampType
import org.apache.spark.sql.connector.metric.CustomSumMetric
import org.apache.spark.unsafe.types.UTF8String

/**
 * Of the records of one partition the last of each key, by the key's bytes, so that all others need not be decoded. What
 * it holds is bounded: once it is full it gives out what it has and begins anew, so a key can come several times, in
 * the order of its records.
 *
 * @param limit how many bytes it may hold, about
 */
private[read] final class LatestRecords(limit: Long) {
  import LatestRecords._

  private val held = new ju.HashMap[UTF8String, Held]
  private var bytes = 0L
  private var given: ju.Iterator[ju.Map.Entry[UTF8String, Held]] = ju.Collections.emptyIterator()
  private var passed = 0L

  /** Records that had a later one of their key. */
  def superseded: Long = passed

  /** Takes a record that has a key; whether there is room for more. */
  def add(record: Record): Boolean = {
    val key =
      UTF8String.fromBytes(record.key.array, record.key.arrayOffset + record.key.position(), record.key.remaining)
    var latest = held.get(key)
    if (latest == null) {
      latest = new Held
      bytes += key.numBytes + overhead
      held.put(key.copy(), latest)
    } else passed += 1
    bytes += latest.set(record)
    bytes < limit
  }

  /** Whether it gives out a record; if not, it takes records again. */
  def hasNext: Boolean = {
    if (!given.hasNext && !held.isEmpty) given = held.entrySet().iterator()
    given.hasNext
  }

  /** The next of what it has held, whose bytes are its own. */
  def next(topic: String, partition: Int): Record = {
    val entry = given.next()
    val record = entry.getValue.record(topic, partition, entry.getKey.getBytes)
    if (!given.hasNext) {
      held.clear()
      bytes = 0
    }
    record
  }
}

private[read] object LatestRecords {
  type Record = ConsumerRecord[ByteBuffer, ByteBuffer]

  /** Bytes that each task may hold. */
  val limit: Long = 64L << 20

  // Of a map's entry and the objects that it refers to.
  private val overhead = 200

  /**
   * Whether a table's rows are the same without the records that a later one of their key follows: a bad record that is
   * left out gives way to the one before it, and an event's rows have other keys than its record.
   */
  def suffice(topic: TopicObject): Boolean =
    (topic.onError == OnError.Fail || topic.onError == OnError.Null) && !topic.value.isEvent

  /** What of a record is kept, without the fetched batch that its bytes are a part of. */
  private final class Held {
    private var value: Array[Byte] = Array.emptyByteArray
    private var length = 0
    private var offset = 0L
    private var timestamp = 0L
    private var timestampType: TimestampType = _
    private var leaderEpoch: ju.Optional[Integer] = _
    private var headers: Headers = _

    /** How many bytes it has grown by. */
    def set(record: Record): Int = {
      offset = record.offset
      timestamp = record.timestamp
      timestampType = record.timestampType
      leaderEpoch = record.leaderEpoch
      headers = own(record.headers)
      length = if (record.value == null) -1 else record.value.remaining
      val before = value.length
      if (length > before) value = new Array[Byte](length)
      if (length > 0) record.value.duplicate().get(value, 0, length)
      math.max(0, length - before)
    }

    def record(topic: String, partition: Int, key: Array[Byte]): Record = new ConsumerRecord(
      topic,
      partition,
      offset,
      timestamp,
      timestampType,
      key.length,
      length,
      ByteBuffer.wrap(key),
      if (length < 0) null else ByteBuffer.wrap(value, 0, length),
      headers,
      leaderEpoch
    )

    private def own(given: Headers): Headers =
      if (given.iterator.hasNext) {
        val copies = new RecordHeaders
        given.forEach(header => copies.add(header.key, header.value))
        copies
      } else none
  }

  private val none = new RecordHeaders
}

/** Records of a table that need not be decoded, as a later one has their key. */
final class SupersededRecordsMetric extends CustomSumMetric {
  override def name(): String = SupersededRecordsMetric.metric
  override def description(): String = "number of records left out, as a later one has their key"
}

object SupersededRecordsMetric {
  val metric = "recordsSuperseded"
}
