package io.kafkalyst.formats
package events

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * A format whose values are change events of a database instead of rows: each yields zero or more changes, and each
 * change is a row. Source: the change data capture formats of Flink, whose key names are used.
 */
private[kafkalyst] abstract class EventFormat extends Format {

  /** Metadata of an event beside its row, read as `METADATA FROM 'value.…'`. */
  def ownKeys: Seq[EventKey]

  final def keys: Seq[EventKey] = ownKeys ++ EventKey.ofAll

  /** The format for writing the rows of the events: the value format of topics derived from them. */
  def rowFormat: Format

  override def wrapping: Wrapping = Wrapping.Always

  /** KafkalystException EVENT_FORMAT_AS_KEY, or UNSUPPORTED_COLUMN_TYPE. */
  override def validate(side: Side, columns: Seq[TopicColumn], as: SideFormat): Unit = {
    if (side == Side.Key) throw KafkalystException("EVENT_FORMAT_AS_KEY", "format" -> name)
    FormatRules.requireTypes(name, side, columns)
  }

  override def decoder(request: DecodeRequest): EventDecoder

  override def encoder(request: EncodeRequest): EventEncoder
}

private[kafkalyst] object EventFormat {

  /**
   * Rejects the format for single values, as an event yields any number of rows.
   *
   * @throws io.kafkalyst.errors.KafkalystException EVENT_FORMAT_AS_VALUE
   */
  def refuseAsValue(user: String, format: EventFormat): Nothing =
    throw KafkalystException("EVENT_FORMAT_AS_VALUE", "function" -> user, "format" -> format.name)
}

/** Writes a row as the event of its insert or its delete. */
private[kafkalyst] trait EventEncoder extends Encoder {

  /** The event of the row's insert. */
  override def encode(row: InternalRow): Array[Byte]

  /** The event of the row's delete. */
  def deleted(row: InternalRow): Array[Byte]
}

/**
 * A metadata key of an event.
 *
 * @param name     as written after `value.`; `tombstone` can also be required: whether the change deletes its row
 * @param dataType the key's type; a column may have any type that it can be cast to, or BIGINT for a time (epoch ms)
 * @param doc      one line for the reference page
 */
private[kafkalyst] final case class EventKey(name: String, dataType: DataType, doc: String)

private[kafkalyst] object EventKey {

  /** Only for values that are not events. */
  val rescued: EventKey = EventKey(
    "rescued",
    StringType,
    "JSON text of the value's fields that no other column takes; NULL where there are none."
  )

  val op: EventKey = EventKey(
    "op",
    StringType,
    "What the change does: +I inserts the row, -U is an updated row as it was, +U as it is, -D deletes the row."
  )
  val change: EventKey = EventKey("change", IntegerType, "The change's place among those of its record, from 0.")

  /** The keys that every format has. */
  val ofAll: Seq[EventKey] = Seq(op, change)
}

/** The kind of a change, under Flink's names. */
private[formats] final case class ChangeKind(name: String, gone: Boolean) {
  val text: UTF8String = UTF8String.fromString(name)
}

private[formats] object ChangeKind {
  val Insert: ChangeKind = ChangeKind("+I", gone = false)
  val UpdateBefore: ChangeKind = ChangeKind("-U", gone = true)
  val UpdateAfter: ChangeKind = ChangeKind("+U", gone = false)
  val Delete: ChangeKind = ChangeKind("-D", gone = true)
}
