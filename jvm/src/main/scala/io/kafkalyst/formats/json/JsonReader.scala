package io.kafkalyst.formats
package json

import org.apache.spark.sql.catalyst.InternalRow

/** Reads the non-null value at the input's position as one type; moves past it. */
private[formats] abstract class JsonReader {
  def read(p: JsonInput): Any

  /** Sets the value in a row, without boxing primitives. */
  def into(p: JsonInput, row: InternalRow, ordinal: Int): Unit = row.update(ordinal, read(p))
}

private[formats] object JsonReader {

  /** Skips a null; false if the value is not null. */
  def isNull(p: JsonInput): Boolean = {
    val none = p.head == 'n'
    if (none) p.skip()
    none
  }
}
