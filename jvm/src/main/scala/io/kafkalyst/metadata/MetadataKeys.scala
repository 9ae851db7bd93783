package io.kafkalyst.metadata

import org.apache.kafka.clients.consumer.ConsumerRecord
import org.apache.kafka.common.record.{TimestampType => ClockType}
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** All metadata keys. Names are case-sensitive. Source: Flink's Kafka connector, FLIP-107. */
object MetadataKeys {
  private def text(value: String): UTF8String = UTF8String.fromString(value)

  val topic: MetadataKey = MetadataKey(
    "topic",
    "The record's topic. Written only where the property SINK.TOPICS.ALLOWED lists it; NULL is the object's own.",
    Seq(MetadataForm(StringType, r => text(r.topic), Some((parts, value) => parts.topic = value.toString)))
  )
  val partition: MetadataKey = MetadataKey(
    "partition",
    "The record's partition. Written: NULL leaves it to the producer.",
    Seq(MetadataForm(
      IntegerType,
      r => r.partition,
      Some((parts, value) => parts.partition = value.asInstanceOf[Int])
    ))
  )
  val offset: MetadataKey =
    MetadataKey("offset", "The record's offset in its partition.", Seq(MetadataForm(LongType, r => r.offset)))
  val leaderEpoch: MetadataKey = MetadataKey(
    "leader-epoch",
    "Epoch of the partition's leader; NULL where the broker does not tell.",
    Seq(MetadataForm(IntegerType, r => r.leaderEpoch.map[Any](e => e).orElse(null)))
  )
  val timestamp: MetadataKey = MetadataKey(
    "timestamp",
    "The record's timestamp; as BIGINT in milliseconds. Written: NULL is now, parts of a millisecond are lost.",
    Seq(
      MetadataForm(
        TimestampType,
        r => millis(r).map[Any](Math.multiplyExact(_, 1000L)).orNull,
        Some((parts, value) => parts.timestamp = Math.floorDiv(value.asInstanceOf[Long], 1000L))
      ),
      MetadataForm(
        LongType,
        r => millis(r).map[Any](t => t).orNull,
        Some((parts, value) => parts.timestamp = value.asInstanceOf[Long])
      )
    )
  )
  val timestampType: MetadataKey = MetadataKey(
    "timestamp-type",
    "Whose clock the timestamp is: NoTimestampType, CreateTime or LogAppendTime.",
    Seq(MetadataForm(StringType, r => text(r.timestampType.name)))
  )
  val headers: MetadataKey = MetadataKey(
    "headers",
    "All headers. As ARRAY<STRUCT<key STRING, value BINARY>> in order, with all of one name; as MAP the last of each " +
      "name. A header without a value has NULL. Written: NULL means no headers.",
    Seq(
      MetadataForm(
        Headers.mapType,
        r => Headers.toMap(r.headers),
        Some((parts, value) => Headers.ofMap(value.asInstanceOf[MapData], parts.headers))
      ),
      MetadataForm(
        Headers.arrayType,
        r => Headers.toArray(r.headers),
        Some((parts, value) => Headers.ofArray(value.asInstanceOf[ArrayData], parts.headers))
      )
    )
  )

  val headerList: MetadataKey = MetadataKey(
    "header-list",
    "All headers in order, with all of one name. Written: NULL means no headers, and a header that is NULL or has no name " +
      "is passed over.",
    Seq(MetadataForm(
      Headers.arrayType,
      r => Headers.toArray(r.headers),
      Some((parts, value) => Headers.ofList(value.asInstanceOf[ArrayData], parts.headers))
    ))
  )

  val tombstone: MetadataKey = MetadataKey(
    "tombstone",
    "Whether the record has no value at all, as one that deletes its key has. Written: the value's columns are left out.",
    Seq(MetadataForm(
      BooleanType,
      r => r.value == null,
      Some((parts, value) => parts.tombstone = value.asInstanceOf[Boolean])
    ))
  )

  val all: Seq[MetadataKey] =
    Seq(topic, partition, headers, headerList, leaderEpoch, offset, timestamp, timestampType, tombstone)

  /** Prefix of the key of a single header. */
  val headerPrefix = "headers."

  /** Whether a column of that key sets a written record's headers, all of them or one. */
  def areHeaders(key: String): Boolean =
    key == headers.name || key == headerList.name || key.startsWith(headerPrefix)

  /** The value of the last header of that name. */
  private def header(name: String) = MetadataKey(
    headerPrefix + name,
    "Value of the last header of that name; NULL where there is none. Written: NULL adds none.",
    Seq(MetadataForm(
      BinaryType,
      r => Headers.last(r.headers, name),
      Some((parts, value) => { parts.headers.add(name, value.asInstanceOf[Array[Byte]]); () })
    ))
  )

  /** The key of that name, or of a single header for `headers.` followed by the header's name. */
  def of(name: String): Option[MetadataKey] =
    if (name.length > headerPrefix.length && name.startsWith(headerPrefix)) Some(header(name.stripPrefix(headerPrefix)))
    else all.find(_.name == name).orElse(WindowedKey.of(name))

  /** Milliseconds; None for records of Kafka's oldest message format, which have no timestamp. */
  private def millis(r: ConsumerRecord[_, _]): Option[Long] =
    if (r.timestampType == ClockType.NO_TIMESTAMP_TYPE) None else Some(r.timestamp)
}
