package io.kafkalyst.formats
package protobuf

import io.kafkalyst.formats.avro.AvroPath

import java.util

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, GenericArrayData}

/** Reads one field of a message into its ordinal of a row. Holds the state of one message at a time. */
private[formats] abstract class ProtoFieldReader {

  /** Sets the value for an absent field. */
  def begin(row: InternalRow): Unit

  /** Reads an occurrence; false if its wire type is not the field's, so that it counts as an unknown field. */
  def read(in: ProtoInput, kind: Int, row: InternalRow): Boolean

  /** Called once after the message's last field. */
  def end(in: ProtoInput, row: InternalRow): Unit = ()
}

/**
 * Reads the fields of a message, in any order, into one row.
 *
 * @param readers one per field that is read or must be tracked; other fields are skipped
 */
private[formats] final class ProtoFields(numbers: Array[Int], names: Array[String], readers: Array[ProtoFieldReader]) {
  // Field numbers are usually small; larger ones are looked up by search.
  private val direct = new Array[ProtoFieldReader](256)
  private val others = new util.HashMap[Int, ProtoFieldReader]
  numbers.zip(readers).foreach { case (n, r) => if (n < direct.length) direct(n) = r else others.put(n, r) }

  private def of(number: Int): ProtoFieldReader =
    if (number < direct.length) direct(number) else if (others.isEmpty) null else others.get(number)

  def begin(row: InternalRow): Unit = {
    var i = 0
    while (i < readers.length) {
      readers(i).begin(row)
      i += 1
    }
  }

  def merge(in: ProtoInput, row: InternalRow): Unit = {
    var number = 0
    try {
      var tag = in.readTag()
      while (tag != 0) {
        number = tag >>> 3
        val reader = of(number)
        if (reader == null || !reader.read(in, tag & 7, row)) in.skip(tag)
        number = 0
        tag = in.readTag()
      }
    } catch { case bad: BadBytes => throw named(number, bad) }
  }

  def end(in: ProtoInput, row: InternalRow): Unit = {
    var i = 0
    try {
      while (i < readers.length) {
        readers(i).end(in, row)
        i += 1
      }
    } catch { case bad: BadBytes => throw named(numbers(i), bad) }
  }

  private def named(number: Int, bad: BadBytes): BadBytes = {
    val i = numbers.indexOf(number)
    if (i < 0) bad else AvroPath.within(names(i), bad)
  }
}

private[formats] object ProtoFields {

  final class ScalarField(reader: ProtoScalarReader, absent: Any, ordinal: Int) extends ProtoFieldReader {
    override def begin(row: InternalRow): Unit =
      if (absent == null) row.setNullAt(ordinal) else row.update(ordinal, absent)

    override def read(in: ProtoInput, kind: Int, row: InternalRow): Boolean = kind == reader.kind && {
      reader.into(in, row, ordinal)
      true
    }
  }

  final class MessageField(reader: ProtoMessageReader, ordinal: Int) extends ProtoFieldReader {
    private var isThere = false

    override def begin(row: InternalRow): Unit = {
      isThere = false
      row.setNullAt(ordinal)
    }

    override def read(in: ProtoInput, kind: Int, row: InternalRow): Boolean = kind == ProtoInput.delimited && {
      if (!isThere) {
        isThere = true
        reader.begin(in)
      }
      val outer = in.enter()
      reader.merge(in)
      in.leave(outer)
      true
    }

    override def end(in: ProtoInput, row: InternalRow): Unit = if (isThere) row.update(ordinal, reader.end(in))
  }

  /** Repeated scalars: one by one, packed, or both. */
  final class ScalarsField(reader: ProtoScalarReader, ordinal: Int) extends ProtoFieldReader {
    private val items = new util.ArrayList[Any]

    override def begin(row: InternalRow): Unit = items.clear()

    override def read(in: ProtoInput, kind: Int, row: InternalRow): Boolean =
      if (kind == reader.kind) {
        add(in)
        true
      } else kind == ProtoInput.delimited && {
        val outer = in.enter()
        while (in.hasMore) add(in)
        in.leave(outer)
        true
      }

    private def add(in: ProtoInput): Unit = {
      in.count(1)
      items.add(reader.read(in))
    }

    override def end(in: ProtoInput, row: InternalRow): Unit =
      row.update(ordinal, new GenericArrayData(items.toArray.asInstanceOf[Array[Any]]))
  }

  final class MessagesField(reader: ProtoMessageReader, ordinal: Int) extends ProtoFieldReader {
    private val items = new util.ArrayList[Any]

    override def begin(row: InternalRow): Unit = items.clear()

    override def read(in: ProtoInput, kind: Int, row: InternalRow): Boolean = kind == ProtoInput.delimited && {
      val outer = in.enter()
      reader.begin(in)
      reader.merge(in)
      items.add(reader.end(in))
      in.leave(outer)
      true
    }

    override def end(in: ProtoInput, row: InternalRow): Unit =
      row.update(ordinal, new GenericArrayData(items.toArray.asInstanceOf[Array[Any]]))
  }

  /**
   * A map: messages of a key and a value. The last of several entries with the same key wins; a missing key or value is
   * its type's default, or null if the type is a message that represents a single value.
   *
   * @param entry reads an entry as a row of key and value
   */
  final class MapField(entry: ProtoFields, ordinal: Int) extends ProtoFieldReader {
    private val entries = new util.LinkedHashMap[Any, Any]
    private val pair = new Array[Any](2)
    private val pairRow = new GenericInternalRow(pair)

    override def begin(row: InternalRow): Unit = entries.clear()

    override def read(in: ProtoInput, kind: Int, row: InternalRow): Boolean = kind == ProtoInput.delimited && {
      in.count(2)
      val outer = in.enter()
      entry.begin(pairRow)
      entry.merge(in, pairRow)
      entry.end(in, pairRow)
      entries.put(pair(0), pair(1))
      in.leave(outer)
      true
    }

    override def end(in: ProtoInput, row: InternalRow): Unit = {
      val keys = new GenericArrayData(entries.keySet.toArray.asInstanceOf[Array[Any]])
      val values = new GenericArrayData(entries.values.toArray.asInstanceOf[Array[Any]])
      row.update(ordinal, new ArrayBasedMapData(keys, values))
    }
  }

  /** A map's value that is a message of fields: set even if its entry lacks it. */
  final class EntryValue(reader: ProtoMessageReader, ordinal: Int) extends ProtoFieldReader {
    private var isBegun = false

    override def begin(row: InternalRow): Unit = isBegun = false

    override def read(in: ProtoInput, kind: Int, row: InternalRow): Boolean = kind == ProtoInput.delimited && {
      open(in)
      val outer = in.enter()
      reader.merge(in)
      in.leave(outer)
      true
    }

    private def open(in: ProtoInput): Unit = if (!isBegun) {
      isBegun = true
      reader.begin(in)
    }

    override def end(in: ProtoInput, row: InternalRow): Unit = {
      open(in)
      row.update(ordinal, reader.end(in))
    }
  }

  /** A member of a oneof: the last member wins. `field` is null if it is not required. */
  final class MemberField(field: ProtoFieldReader, ofKind: Int, siblings: Array[ProtoFieldReader])
      extends ProtoFieldReader {

    override def begin(row: InternalRow): Unit = if (field != null) field.begin(row)

    override def read(in: ProtoInput, kind: Int, row: InternalRow): Boolean = kind == ofKind && {
      var i = 0
      while (i < siblings.length) {
        siblings(i).begin(row)
        i += 1
      }
      field != null && field.read(in, kind, row)
    }

    override def end(in: ProtoInput, row: InternalRow): Unit = if (field != null) field.end(in, row)
  }

  /** The row of a oneof that is one column, for the readers of its members. */
  final class OneofRow(val width: Int, val ordinal: Int) {
    var member: OneofMember = _
    var values: InternalRow = _
  }

  /** A member of a oneof that is one column: the last member alone is set. `field` is null if no column needs it. */
  final class OneofMember(oneof: OneofRow, field: ProtoFieldReader, ofKind: Int) extends ProtoFieldReader {

    override def begin(row: InternalRow): Unit = {
      oneof.member = null
      row.setNullAt(oneof.ordinal)
    }

    override def read(in: ProtoInput, kind: Int, row: InternalRow): Boolean = kind == ofKind && {
      if (oneof.member ne this) {
        in.count(oneof.width + 1)
        oneof.member = this
        oneof.values = new GenericInternalRow(oneof.width)
        if (field != null) field.begin(oneof.values)
      }
      field != null && field.read(in, kind, oneof.values)
    }

    override def end(in: ProtoInput, row: InternalRow): Unit = if (oneof.member eq this) {
      if (field != null) field.end(in, oneof.values)
      row.update(oneof.ordinal, oneof.values)
    }
  }

  /** A required field in Protobuf's sense; `field` is null if no column needs it. */
  final class RequiredField(field: ProtoFieldReader, ofKind: Int) extends ProtoFieldReader {
    private var isThere = false

    override def begin(row: InternalRow): Unit = {
      isThere = false
      if (field != null) field.begin(row)
    }

    override def read(in: ProtoInput, kind: Int, row: InternalRow): Boolean = {
      isThere |= kind == ofKind
      field != null && field.read(in, kind, row)
    }

    override def end(in: ProtoInput, row: InternalRow): Unit = {
      if (!isThere) throw new BadBytes("it is not there, but the writer's schema requires it")
      if (field != null) field.end(in, row)
    }
  }
}
