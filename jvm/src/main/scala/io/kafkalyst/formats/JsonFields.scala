package io.kafkalyst.formats

import com.fasterxml.jackson.core.{JsonParser, JsonToken}
import org.apache.spark.sql.catalyst.InternalRow

/**
 * The fields of an object into the places of one row; all others are passed over.
 *
 * @param readers  per column; null for one that is not asked for
 * @param ordinals per column; not used where it is not asked for
 */
private[formats] final class JsonFields(columns: Seq[String], readers: Array[JsonReader], ordinals: Array[Int])
    extends JsonReader {
  private val index = new FieldIndex(columns)
  // Columns that have met a field of exactly their name: fields of another case no longer count.
  private val exactly = new java.util.BitSet(columns.size)

  override def read(p: JsonParser): Any = throw new IllegalStateException("fields belong to a row")

  override def into(p: JsonParser, row: InternalRow, unused: Int): Unit = {
    if (p.currentToken != JsonToken.START_OBJECT) JsonReaders.mismatch(p, "an object")
    clear(row)
    exactly.clear()
    while (p.nextToken() != JsonToken.END_OBJECT) {
      val name = p.currentName
      val token = p.nextToken()
      val exact = index.exact(name)
      val column = if (exact >= 0) exact else index.inOtherCase(name)
      if (column < 0 || readers(column) == null || exact < 0 && exactly.get(column)) p.skipChildren()
      else {
        if (exact >= 0) exactly.set(column)
        if (token == JsonToken.VALUE_NULL) row.setNullAt(ordinals(column))
        else readers(column).into(p, row, ordinals(column))
      }
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
