package io.kafkalyst.metadata

import org.apache.kafka.clients.consumer.ConsumerRecord
import org.apache.kafka.common.header.internals.RecordHeaders
import org.apache.kafka.common.record.{TimestampType => ClockType}
import org.apache.spark.sql.catalyst.expressions.Cast
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** The parts of a written record besides key and value; null for those that the producer chooses. */
final class RecordParts {
  var topic: String = _
  var partition: Integer = _
  var timestamp: java.lang.Long = _
  var tombstone: Boolean = false

  /** Why the timestamp's column yields no timestamp; null on success. */
  var timeFault: String = _

  /** The bounds of a windowed key, in milliseconds; the end is only written for a session. */
  var windowStart: java.lang.Long = _
  var windowEnd: java.lang.Long = _
  val headers = new RecordHeaders()
}

/**
 * One type in which a key's values are available.
 *
 * @param read  the value in Spark's internal form; null if the record has none
 * @param write sets a value, which is never null; None if it cannot be written
 */
final case class MetadataForm(
    dataType: DataType,
    read: ConsumerRecord[_, _] => Any,
    write: Option[(RecordParts, Any) => Unit] = None
)

/**
 * A metadata key: one property of a record besides its key and value.
 *
 * @param doc   one line for the reference page
 * @param forms its types; the first is the default
 */
final case class MetadataKey(name: String, doc: String, forms: Seq[MetadataForm]) {
  def isWritable: Boolean = forms.exists(_.write.isDefined)

  /**
   * The form that a column of this type is read from: of the same type, else the first of a kind that can be cast to
   * it.
   */
  def readAs(declared: DataType): Option[MetadataForm] =
    same(declared).orElse(castable(declared)(form => Cast.canAnsiCast(form.dataType, declared)))

  /** The form that a column of this type is written as. */
  def writtenAs(declared: DataType): Option[MetadataForm] =
    same(declared).orElse(castable(declared)(form => Cast.canAnsiCast(declared, form.dataType))).filter(
      _.write.isDefined
    )

  private def same(declared: DataType) = forms.find(f => DataType.equalsIgnoreNullability(f.dataType, declared))

  /** No implicit TIMESTAMP ↔ BIGINT: the unit is ambiguous. A BIGINT of milliseconds is a separate form. */
  private def isOfKind(form: DataType, declared: DataType): Boolean = {
    def isNumber(t: DataType) = t.isInstanceOf[NumericType] || t == BooleanType
    def isTime(t: DataType) = Seq(TimestampType, TimestampNTZType, DateType).contains(t)
    val ofTime = forms.exists(f => isTime(f.dataType))
    !(isNumber(form) && isTime(declared)) && !(isTime(form) && isNumber(declared)) && !(ofTime && isNumber(form) &&
      !Seq[DataType](LongType, DoubleType, StringType).contains(declared) && !declared.isInstanceOf[DecimalType])
  }

  /** If the key has a numeric form, a number uses it: the BIGINT of a timestamp is milliseconds, not seconds. */
  private def castable(declared: DataType)(fits: MetadataForm => Boolean) = {
    val (numeric, other) =
      forms.filter(f => fits(f) && isOfKind(f.dataType, declared)).partition(_.dataType.isInstanceOf[NumericType])
    (if (declared.isInstanceOf[NumericType]) numeric ++ other else other ++ numeric).headOption
  }
}

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
        r => millis(r).map[Any](_ * 1000).orNull,
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
      "name. A header without a value has NULL. Written: NULL is no headers.",
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
    "All headers in order, with all of one name. Written: NULL is no headers, and a header that is NULL or has no name " +
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
