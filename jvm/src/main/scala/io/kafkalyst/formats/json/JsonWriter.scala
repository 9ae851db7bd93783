package io.kafkalyst.formats
package json

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters

/** Writes one value from a row or an array. */
private[formats] abstract class JsonWriter {

  /** @param row must not be null at the ordinal */
  def write(g: JsonOutput, row: SpecializedGetters, ordinal: Int): Unit

  def orNull(g: JsonOutput, row: SpecializedGetters, ordinal: Int): Unit =
    if (row.isNullAt(ordinal)) g.writeNull() else write(g, row, ordinal)
}
