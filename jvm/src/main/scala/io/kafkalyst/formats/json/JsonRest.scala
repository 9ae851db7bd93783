package io.kafkalyst.formats
package json

import io.kafkalyst.model.SideFormat
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StringType, StructType}
import org.apache.spark.unsafe.types.UTF8String

/**
 * Copies the fields of a JSON value that have no column, as written, within the objects and arrays that contain them.
 * Null fields are left out; an array's item without such fields becomes null.
 */
private[formats] abstract class JsonRest {

  /** Copies such fields of a non-null value, and moves past it; false, with nothing written, if it has none. */
  def write(p: JsonInput, out: JsonOutput): Boolean

  protected def isLeft(p: JsonInput, out: JsonOutput): Boolean = !JsonReader.isNull(p) && write(p, out)
}

private[formats] object JsonRest {

  /**
   * For values of this type; null if the type has no fields.
   *
   * @param isUpper which columns fields in another case feed, see [[FieldIndex]]
   */
  def of(t: DataType, isUpper: Boolean): JsonRest = t match {
    case s: StructType => new Fields(s.fieldNames.toSeq, s.map(_.dataType), isUpper)
    case a: ArrayType => Option(of(a.elementType, isUpper)).map(new Items(_)).orNull
    case m: MapType => Option(of(m.valueType, isUpper)).map(new Entries(_, m.valueType)).orNull
    case _ => null
  }

  /** An object whose known fields are columns. */
  final class Fields(columns: Seq[String], types: Seq[DataType], isUpper: Boolean) extends JsonRest {
    private val names = new JsonNames(columns, isUpper)
    private val rests = types.map(of(_, isUpper)).toArray

    override def write(p: JsonInput, out: JsonOutput): Boolean =
      if (p.head != '{') nothing(p)
      else {
        val from = out.size
        out.startObject()
        val empty = out.size
        var name = names.start
        p.enter()
        while (p.nextField()) {
          val at = p.at
          name = names.next(p, name)
          if (name.column >= 0) within(rests(name.column), p, at, out)
          else if (!JsonReader.isNull(p)) {
            p.skip()
            out.field(p.since(at))
          }
        }
        ended(out, from, out.size > empty)(out.endObject())
      }
  }

  private final class Items(item: JsonRest) extends JsonRest {
    override def write(p: JsonInput, out: JsonOutput): Boolean =
      if (p.head != '[') nothing(p)
      else {
        val from = out.size
        var any = false
        out.startArray()
        p.enter()
        while (p.nextItem()) {
          out.item()
          if (item.isLeft(p, out)) any = true else out.writeNull()
        }
        ended(out, from, any)(out.endArray())
      }
  }

  /** A map: an object or, by its schema, an array of objects with key and value. */
  private final class Entries(value: JsonRest, valueType: DataType) extends JsonRest {
    private val listed = new Items(new Fields(Seq("key", "value"), Seq(StringType, valueType), isUpper = false))

    override def write(p: JsonInput, out: JsonOutput): Boolean =
      if (p.head != '{') listed.write(p, out)
      else {
        val from = out.size
        out.startObject()
        val empty = out.size
        p.enter()
        while (p.nextField()) {
          val at = p.at
          p.readName()
          within(value, p, at, out)
        }
        ended(out, from, out.size > empty)(out.endObject())
      }
  }

  /** Copies the rest of a field's value, after the field's name; `at` is the name's position. */
  private def within(rest: JsonRest, p: JsonInput, at: Int, out: JsonOutput): Unit =
    if (rest == null) p.skip()
    else {
      val before = out.size
      out.field(p.since(at))
      if (!rest.isLeft(p, out)) out.backTo(before)
    }

  private def ended(out: JsonOutput, from: Int, any: Boolean)(end: => Unit): Boolean = {
    if (any) end else out.backTo(from)
    any
  }

  /** A value that does not fit its column has no unknown fields. */
  private def nothing(p: JsonInput): Boolean = {
    p.skip()
    false
  }
}

/**
 * Sets the rescued column from a JSON value.
 *
 * @param wrapped whether the value is an object of the columns
 *
 * Errors: [[BadBytes]] as in [[JsonDecoder]].
 */
private[formats] final class JsonRestDecoder(request: DecodeRequest, wrapped: Boolean) extends Decoder {
  private val isUpper = request.format.isSet(SideFormat.likeKsqldb)
  private val rest =
    if (wrapped) new JsonRest.Fields(request.declared.map(_.name), request.declared.map(_.dataType), isUpper)
    else JsonRest.of(request.declared.head.dataType, isUpper)
  private val input = new JsonInput(request.format.isSet(SideFormat.coerce))
  private val out = new JsonOutput

  override def decode(bytes: Array[Byte], offset: Int, length: Int, row: InternalRow): Unit = {
    input.begin(bytes, offset, length)
    out.clear()
    if (rest == null) input.skip() else if (!JsonReader.isNull(input)) rest.write(input, out)
    input.end()
    if (out.size == 0) row.setNullAt(request.rescuedAt)
    else row.update(request.rescuedAt, UTF8String.fromBytes(out.toArray))
  }
}
