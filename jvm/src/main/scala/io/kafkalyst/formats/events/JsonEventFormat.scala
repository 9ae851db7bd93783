package io.kafkalyst.formats
package events

import io.kafkalyst.formats.json.{
  FittedJson,
  JsonEncoder,
  JsonFields,
  JsonFormat,
  JsonInput,
  JsonReader,
  JsonReaders,
  JsonShape,
  JsonStrictness,
  JsonTexts
}

import io.kafkalyst.model.SideFormat

import com.fasterxml.jackson.databind.{JsonNode, ObjectMapper}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types.TimestampType

/**
 * Events that are JSON objects. Rows within are read as [[JsonFormat]] reads them; strings are also accepted as numbers
 * and booleans if the column has such a type, see [[FittedJson]].
 *
 * Like Flink, it writes each row as a separate event of its insert or its delete, without further fields. An update is
 * written as both.
 *
 * @param written the text around the row in the event of an inserted row, and of a deleted one
 * @param own the format's keys, each with a function that extracts it from an event
 */
private[formats] abstract class JsonEventFormat(
    override val name: String,
    written: WrittenEvent,
    own: (EventKey, JsonNode => JsonNode)*
) extends EventFormat {
  override def properties: Seq[String] =
    Seq(
      SideFormat.skipBad,
      SideFormat.nullBadFields,
      SideFormat.omitNulls,
      SideFormat.decimalForm,
      SideFormat.timestampStandard,
      SideFormat.coerce
    )

  /** Whether the options select the event; other events have no changes. */
  protected def included(as: SideFormat): JsonNode => Boolean = _ => true

  override def encoder(request: EncodeRequest): EventEncoder = new EventEncoder {
    private val row = new JsonEncoder(request, Array.emptyByteArray, wrapped = true, JsonShape.Free)
    private val event = if (request.format.isSet(SideFormat.omitNulls)) written.withoutNulls else written
    override def encode(r: InternalRow): Array[Byte] = event.inserted(row.encode(r))
    override def deleted(r: InternalRow): Array[Byte] = event.deleted(row.encode(r))
  }

  override def ownKeys: Seq[EventKey] = own.map(_._1)

  override def rowFormat: Format = JsonFormat

  /** Extracts the changes of an event. */
  protected def changes(event: JsonNode, rows: JsonRows): Seq[(ChangeKind, JsonNode)]

  override def decoder(request: DecodeRequest): EventDecoder =
    new ChangesDecoder[JsonNode](request, this) with JsonRows {
      private val columns = request.declared.map(_.name)
      private val types = request.declared.map(_.dataType)
      private val strictness = JsonStrictness.of(request, JsonShape.Free).copy(closed = false)
      private val isIncluded = included(request.format)
      private val fields = {
        val targets = request.declared.map(c => request.targets.find(_.name == c.name).orNull)
        val readers =
          targets.map(t => if (t == null) null else JsonReaders.of(t.dataType, JsonShape.Free, strictness))
        val ordinals = targets.map(t => if (t == null) -1 else t.ordinal)
        new JsonFields(columns, readers.toArray, ordinals.toArray, strictness)
      }
      private val key = {
        val places = columns.map(keyNames.indexOf(_))
        val readers = places.zip(types).map { case (place, t) =>
          if (place < 0) null else JsonReaders.of(t, strictness = strictness)
        }
        new JsonFields(columns, readers.toArray, places.toArray, strictness)
      }
      private val own = JsonEventFormat.this.own.toMap
      private val input = new JsonInput
      private var event: JsonNode = _

      override protected def changesOf(bytes: Array[Byte], offset: Int, length: Int): Seq[(ChangeKind, JsonNode)] = {
        if (length == 0 && strictness.coerce) Nil
        else {
          event = JsonEventFormat.parse(bytes, offset, length, strictness.coerce)
          if (isIncluded(event)) changes(event, this) else Nil
        }
      }

      override def inserted(row: JsonNode): Seq[(ChangeKind, JsonNode)] = insert(row)
      override def updated(before: JsonNode, after: JsonNode): Seq[(ChangeKind, JsonNode)] = update(before, after)
      override def deleted(row: JsonNode): Seq[(ChangeKind, JsonNode)] = delete(row)

      override protected def fill(change: JsonNode, row: InternalRow): Unit = into(fields, change, row)

      override protected def keyOf(change: JsonNode): InternalRow = {
        val row = new GenericInternalRow(keyNames.size)
        into(key, change, row)
        row
      }

      private def into(reader: JsonFields, change: JsonNode, row: InternalRow): Unit = {
        stand(FittedJson(change, columns, types))
        reader.into(input, row, 0)
        input.end()
      }

      private def stand(at: JsonNode): Unit = {
        val bytes = JsonEventFormat.mapper.writeValueAsBytes(at)
        input.reset(bytes, 0, bytes.length)
      }

      override protected def about(key: EventKey): Any = {
        val found = own(key)(event)
        if (found == null || found.isNull) null
        else {
          stand(FittedJson(found, key.dataType))
          if (JsonReader.isNull(input)) null else JsonReaders.of(key.dataType).read(input)
        }
      }
    }
}

/**
 * The JSON of an event, with `*` in place of the row.
 *
 * @param ofInserted for an inserted row
 * @param ofDeleted  for a deleted row
 */
private[formats] final class WrittenEvent(ofInserted: String, ofDeleted: String) extends Serializable {
  private def around(text: String): Array[Byte] => Array[Byte] = {
    val Array(before, after) = text.split('*').map(_.getBytes(java.nio.charset.StandardCharsets.UTF_8))
    row => before ++ row ++ after
  }

  val inserted: Array[Byte] => Array[Byte] = around(ofInserted)
  val deleted: Array[Byte] => Array[Byte] = around(ofDeleted)

  /** The same without the fields around the row that are null. */
  def withoutNulls: WrittenEvent = {
    def left(text: String) = text.replaceAll("\"\\w+\":null,|,\"\\w+\":null", "")
    new WrittenEvent(left(ofInserted), left(ofDeleted))
  }
}

/** Makes changes of an event's rows; throws BadBytes if the event lacks a row. */
private[formats] trait JsonRows {
  def inserted(row: JsonNode): Seq[(ChangeKind, JsonNode)]
  def updated(before: JsonNode, after: JsonNode): Seq[(ChangeKind, JsonNode)]
  def deleted(row: JsonNode): Seq[(ChangeKind, JsonNode)]
}

private[formats] object JsonEventFormat {
  val mapper: ObjectMapper = new ObjectMapper()

  def parse(bytes: Array[Byte], offset: Int, length: Int, likeFlink: Boolean): JsonNode = {
    val event = JsonTexts.tree(bytes, offset, length, likeFlink)
    if (!event.isObject) throw new BadBytes("an event is a JSON object")
    event
  }

  /** A key that is read from a field with epoch milliseconds or a text of a time. */
  def time(name: String, field: String, doc: String): (EventKey, JsonNode => JsonNode) =
    EventKey(name, TimestampType, doc) -> (_.get(field))

  /** An object within an event; null if absent. */
  def row(event: JsonNode, field: String): JsonNode = {
    val found = event.get(field)
    if (found == null || found.isNull) null
    else if (!found.isObject) throw new BadBytes(s"field $field: an object expected")
    else found
  }

  def text(event: JsonNode, field: String): String = {
    val found = event.get(field)
    if (found == null || !found.isTextual) throw new BadBytes(s"no such event: it has no string '$field'")
    found.textValue
  }
}
