package io.kafkalyst.formats

import com.fasterxml.jackson.core.{JsonParser, JsonToken}
import com.fasterxml.jackson.core.io.SerializedString
import io.kafkalyst.model.SideFormat
import org.apache.spark.sql.catalyst.InternalRow

/**
 * What becomes of fields that are not as a column wants them; without any, they make the value bad.
 *
 * @param nullBad whether a field that does not fit is null
 * @param require whether a field must be there
 */
private[formats] final case class JsonStrictness(nullBad: Boolean = false, require: Boolean = false)

private[formats] object JsonStrictness {
  def of(format: SideFormat): JsonStrictness = {
    def isSet(option: String) = format.options.get(option).exists(_.equalsIgnoreCase("true"))
    JsonStrictness(isSet(SideFormat.nullBadFields), isSet(SideFormat.requireFields))
  }
}

/**
 * The fields of an object into the places of one row; all others are passed over.
 *
 * @param readers  per column; null for one that is not asked for
 * @param ordinals per column; not used where it is not asked for
 */
private[formats] final class JsonFields(
    columns: Seq[String],
    readers: Array[JsonReader],
    ordinals: Array[Int],
    strictness: JsonStrictness = JsonStrictness()
) extends JsonReader {
  private val index = new FieldIndex(columns)
  // Columns that have met a field of exactly their name: fields of another case no longer count.
  private val exactly = new java.util.BitSet(columns.size)
  private val there = if (strictness.require) new java.util.BitSet(columns.size) else null

  // Writers give the fields of all their objects in one order, so that the name at each place can be foretold: it is
  // compared as bytes then, and needs neither text nor look-up.
  private val names = new Array[SerializedString](JsonFields.foretold)
  private val order = new Array[Int](JsonFields.foretold)
  private var expected = false

  /** Goes to the next field's name; false at the object's end. */
  private def next(p: JsonParser, place: Int): Boolean = {
    val name = if (place < names.length) names(place) else null
    expected = name != null && p.nextFieldName(name)
    if (expected) true
    else if (name == null && p.nextToken() == JsonToken.END_OBJECT || p.currentToken == JsonToken.END_OBJECT) false
    else {
      if (name == null && place < names.length) {
        val exact = index.exact(p.currentName)
        if (exact >= 0) {
          names(place) = new SerializedString(p.currentName)
          order(place) = exact
        }
      }
      true
    }
  }

  override def read(p: JsonParser): Any = throw new IllegalStateException("fields belong to a row")

  override def into(p: JsonParser, row: InternalRow, unused: Int): Unit = {
    if (p.currentToken != JsonToken.START_OBJECT) JsonReaders.mismatch(p, "an object")
    clear(row)
    exactly.clear()
    if (there != null) there.clear()
    var place = 0
    while (next(p, place)) {
      val exact = if (expected) order(place) else index.exact(p.currentName)
      val column = if (exact >= 0) exact else index.inOtherCase(p.currentName)
      place += 1
      val token = p.nextToken()
      if (column < 0 || readers(column) == null || exact < 0 && exactly.get(column)) p.skipChildren()
      else {
        if (exact >= 0) exactly.set(column)
        if (there != null) there.set(column)
        if (token == JsonToken.VALUE_NULL) row.setNullAt(ordinals(column))
        else if (strictness.nullBad) fitting(p, row, column)
        else readers(column).into(p, row, ordinals(column))
      }
    }
    if (there != null) requireAll(p)
  }

  /** The field, or null where it does not fit; the parser stands at its last token all the same. */
  private def fitting(p: JsonParser, row: InternalRow, column: Int): Unit = {
    val within = p.getParsingContext
    val here = if (p.currentToken.isStructStart) within.getParent else within
    try readers(column).into(p, row, ordinals(column))
    catch {
      case _: BadBytes =>
        while (p.getParsingContext ne here) p.nextToken()
        row.setNullAt(ordinals(column))
    }
  }

  private def requireAll(p: JsonParser): Unit = {
    var i = 0
    while (i < readers.length) {
      if (readers(i) != null && !there.get(i)) throw new BadBytes(s"no field ${columns(i)}, ${JsonPath.place(p)}")
      i += 1
    }
  }

  private def clear(row: InternalRow): Unit = {
    var i = 0
    while (i < readers.length) {
      if (readers(i) != null) row.setNullAt(ordinals(i))
      i += 1
    }
  }
}

private object JsonFields {

  /** How many places have a name that is foretold. */
  private val foretold = 256
}
