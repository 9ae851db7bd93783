package io.kafkalyst.formats

import com.fasterxml.jackson.core.{JsonParser, JsonToken}
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

  override def read(p: JsonParser): Any = throw new IllegalStateException("fields belong to a row")

  override def into(p: JsonParser, row: InternalRow, unused: Int): Unit = {
    if (p.currentToken != JsonToken.START_OBJECT) JsonReaders.mismatch(p, "an object")
    clear(row)
    exactly.clear()
    if (there != null) there.clear()
    while (p.nextToken() != JsonToken.END_OBJECT) {
      val name = p.currentName
      val token = p.nextToken()
      val exact = index.exact(name)
      val column = if (exact >= 0) exact else index.inOtherCase(name)
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
