package io.kafkalyst.formats
package json

import io.kafkalyst.formats.bytes.KnownText

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.unsafe.types.UTF8String

/**
 * Finds the column for each field of an object. Writers usually emit fields in the same order, so the next name is
 * predicted from the previous one and compared as bytes, without a string or a lookup.
 *
 * @param isUpper see [[FieldIndex]]
 */
private[formats] final class JsonNames(columns: Seq[String], isUpper: Boolean) {
  import JsonNames._

  private val index = new FieldIndex(columns, isUpper)
  private val known = new java.util.HashMap[UTF8String, Name]

  /** Precedes an object's first field. */
  val start: Name = new Name(null, -1, false)

  /** The field whose name is at the position, after `last`; moves to its value. */
  def next(p: JsonInput, last: Name): Name = {
    val foretold = last.next
    if (foretold != null && p.skipName(foretold.written)) foretold
    else {
      val found = find(p.readName())
      if (found.written != null) last.next = found
      found
    }
  }

  private def find(written: UTF8String): Name = {
    val met = known.get(written)
    if (met != null) met
    else {
      val quoted = written.getBytes
      val name = new String(JsonStrings.unescaped(quoted, 1, quoted.length - 2), UTF_8)
      val exact = index.exact(name)
      val column =
        if (exact >= 0) exact else index.inOtherCase(name)
      // Objects used as maps have an unlimited number of names.
      val isKept = known.size < most
      val found = new Name(if (isKept) new KnownText(quoted) else null, column, exact >= 0)
      if (isKept) known.put(UTF8String.fromBytes(quoted), found)
      found
    }
  }
}

private[formats] object JsonNames {
  private val most = 2048

  /**
   * A name as written.
   *
   * @param written null if it is not cached
   * @param column  the column for the field, -1 for none
   * @param exact   whether it is exactly the column's name
   */
  final class Name(val written: KnownText, val column: Int, val exact: Boolean) {
    private[JsonNames] var next: Name = _
  }
}
