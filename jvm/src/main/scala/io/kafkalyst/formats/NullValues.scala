package io.kafkalyst.formats

import java.nio.ByteBuffer
import java.util.{Iterator => Records}

import io.kafkalyst.formats.json.JsonFormat
import io.kafkalyst.model.{SideFormat, TopicObject}
import org.apache.kafka.clients.consumer.ConsumerRecord

/** Values that are the JSON text `null`: ksqlDB reads them as records without a value, which delete a table's rows. */
private[kafkalyst] object NullValues {
  private type Bytes = ConsumerRecord[ByteBuffer, ByteBuffer]

  /** The records; for ksqlDB's dialect, without values that are the JSON text `null`. */
  def absent(topic: TopicObject, records: Records[Bytes]): Records[Bytes] =
    if (topic.value.format != JsonFormat.name || !topic.value.isSet(SideFormat.likeKsqldb)) records
    else new Records[Bytes] {
      override def hasNext: Boolean = records.hasNext
      override def next(): Bytes = {
        val record = records.next()
        if (isNull(record.value)) without(record) else record
      }
    }

  private def isNull(value: ByteBuffer): Boolean = value != null && {
    var (from, until) = (value.position, value.limit)
    while (from < until && isBlank(value.get(from))) from += 1
    while (from < until && isBlank(value.get(until - 1))) until -= 1
    until - from == 4 && "null".indices.forall(i => value.get(from + i) == "null".charAt(i))
  }

  private def isBlank(b: Byte) = b == ' ' || b == '\n' || b == '\r' || b == '\t'

  private def without(record: Bytes): Bytes = new ConsumerRecord(
    record.topic,
    record.partition,
    record.offset,
    record.timestamp,
    record.timestampType,
    record.serializedKeySize,
    ConsumerRecord.NULL_SIZE,
    record.key,
    null,
    record.headers,
    record.leaderEpoch
  )
}
