package io.kafkalyst.read

import java.nio.ByteBuffer
import java.{util => ju}

import io.kafkalyst.metadata.SumMetric
import io.kafkalyst.model.{OnError, Side, TopicObject}
import org.apache.kafka.clients.consumer.ConsumerRecord
import org.apache.kafka.common.header.Headers
import org.apache.kafka.common.header.internals.RecordHeaders
import org.apache.kafka.common.record.TimestampType
import org.apache.spark.unsafe.types.UTF8String

/**
 * The last record of each key of one partition, by the key's bytes, so that superseded records need not be decoded. Its
 * memory is bounded: once full, it returns what it holds and starts again, so a key can occur several times, in record
 * order.
 *
 * @param limit approximate limit, in bytes
 */
private[read] final class LatestRecords(limit: Long) {
  import LatestRecords._

  private val held = new ju.HashMap[UTF8String, Held]
  private var bytes = 0L
  private var given: ju.Iterator[ju.Map.Entry[UTF8String, Held]] = ju.Collections.emptyIterator()
  private var passed = 0L

  /** Number of records that a later one of the same key replaced. */
  def superseded: Long = passed

  /** Adds a record that has a key; false once it is full. */
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

  /** Whether a record is left to return; if not, it accepts records again. */
  def hasNext: Boolean = {
    if (!given.hasNext && !held.isEmpty) given = held.entrySet().iterator()
    given.hasNext
  }

  /** The next of the held records, with its own copy of the bytes. */
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

  /** Memory limit per task, in bytes. */
  val limit: Long = 64L << 20

  // For a map entry and the objects that it refers to.
  private val overhead = 200

  // For a header's objects.
  private val headerOverhead = 80

  /**
   * Whether a table has the same rows without superseded records. It does not if bad records are skipped (the record
   * before a bad one then counts) or if the value is an event (whose rows have other keys than its record).
   */
  def suffice(topic: TopicObject): Boolean =
    (topic.onError == OnError.Fail && !topic.skipsBad(
      Side.Value
    ) || topic.onError == OnError.Null) && !topic.value.isEvent

  /** The parts of a record that are kept, copied out of the fetched batch. */
  private final class Held {
    private var value: Array[Byte] = Array.emptyByteArray
    private var length = 0
    private var offset = 0L
    private var timestamp = 0L
    private var timestampType: TimestampType = _
    private var leaderEpoch: ju.Optional[Integer] = _
    private var headers: Headers = none
    private var headerBytes = 0

    /** Copies the record. Returns the growth in bytes; negative if its headers are shorter than the last record's. */
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
      val headersBefore = headerBytes
      headerBytes = sizeOf(headers)
      math.max(0, length - before) + headerBytes - headersBefore
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

    private def sizeOf(given: Headers): Int = {
      var all = 0
      given.forEach(h => all += headerOverhead + 2 * h.key.length + (if (h.value == null) 0 else h.value.length))
      all
    }

    private def own(given: Headers): Headers =
      if (given.iterator.hasNext) {
        val copies = new RecordHeaders
        given.forEach(header => copies.add(header.key, header.value))
        copies
      } else none
  }

  private val none = new RecordHeaders
}

/** Records of a table that were not decoded because a later one has the same key. */
final class SupersededRecordsMetric
    extends SumMetric(SupersededRecordsMetric.metric, "number of records left out, as a later one has their key")

object SupersededRecordsMetric {
  val metric = "recordsSuperseded"
}
