package io.kafkalyst.formats
package events

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * A format whose values are not rows but events on the rows of a database: each makes none, one or several changes,
 * and each change is a row. Only read. Source: the change data capture formats of Flink, whose key names are kept.
 */
private[kafkalyst] abstract class EventFormat extends Format {

  /** What is known of an event besides its row, read as `METADATA FROM 'value.…'`. */
  def ownKeys: Seq[EventKey]

  final def keys: Seq[EventKey] = ownKeys ++ EventKey.ofAll

  /** The format in which the rows of the events can be written: what a topic derived from them has. */
  def rowFormat: Format

  override def wrapping: Wrapping = Wrapping.Always

  /** KafkalystException EVENT_FORMAT_AS_KEY, or UNSUPPORTED_COLUMN_TYPE. */
  override def validate(side: Side, columns: Seq[TopicColumn], as: SideFormat): Unit = {
    if (side == Side.Key) throw KafkalystException("EVENT_FORMAT_AS_KEY", "format" -> name)
    FormatRules.requireTypes(name, side, columns)
  }

  override def decoder(request: DecodeRequest): EventDecoder

  /** Nothing writes it: what would, is refused by [[EventFormat.refuseWriting]] when it is planned. */
  override def encoder(request: EncodeRequest): Encoder = throw EventFormat.notWritten(request.topic, name)
}

private[kafkalyst] object EventFormat {

  /** The format of that name, where it is one of events. */
  def of(name: String): Option[EventFormat] = Formats.of(name).collect { case events: EventFormat => events }

  /** @throws io.kafkalyst.errors.KafkalystException EVENT_FORMAT_NOT_WRITTEN */
  def refuseWriting(user: String, format: String): Unit = of(format).foreach(f => throw notWritten(user, f.name))

  /**
   * An event makes any number of rows, which is no single value.
   *
   * @throws io.kafkalyst.errors.KafkalystException EVENT_FORMAT_AS_VALUE
   */
  def refuseAsValue(user: String, format: String): Unit = of(format).foreach { f =>
    throw KafkalystException("EVENT_FORMAT_AS_VALUE", "function" -> user, "format" -> f.name)
  }

  private def notWritten(user: String, format: String) =
    KafkalystException("EVENT_FORMAT_NOT_WRITTEN", "object" -> user, "format" -> format)
}

/**
 * One thing that is known of an event besides its row.
 *
 * @param name     as it follows `value.`; `tombstone`, which is asked for too, is whether the change takes its row away
 * @param dataType what it is; a column may have any type that this can be cast to, and BIGINT for a time's milliseconds
 * @param doc      one line for the reference page
 */
private[kafkalyst] final case class EventKey(name: String, dataType: DataType, doc: String)

private[kafkalyst] object EventKey {

  val op: EventKey = EventKey(
    "op",
    StringType,
    "What the change does: +I inserts the row, -U is an updated row as it was, +U as it is, -D deletes the row."
  )
  val change: EventKey = EventKey("change", IntegerType, "The change's place among those of its record, from 0.")

  /** Those of every format. */
  val ofAll: Seq[EventKey] = Seq(op, change)
}

/** What a change does to its row, under Flink's names. */
private[formats] final case class ChangeKind(name: String, gone: Boolean) {
  val text: UTF8String = UTF8String.fromString(name)
}

private[formats] object ChangeKind {
  val Insert: ChangeKind = ChangeKind("+I", gone = false)
  val UpdateBefore: ChangeKind = ChangeKind("-U", gone = true)
  val UpdateAfter: ChangeKind = ChangeKind("+U", gone = false)
  val Delete: ChangeKind = ChangeKind("-D", gone = true)
}
