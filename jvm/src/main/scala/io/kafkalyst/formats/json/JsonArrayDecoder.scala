package io.kafkalyst.formats
package json

import io.kafkalyst.formats.events.EventDecoder
import io.kafkalyst.model.SideFormat
import io.kafkalyst.registry.WireFormat
import org.apache.spark.sql.catalyst.InternalRow

/**
 * Reads the values of a stream as Flink does: an array gives a row for each of its objects; another decoder reads other
 * values. A null in the array gives no row, and neither do bytes without a value. A value is good or bad as a whole,
 * unless the side skips bad records: then only the bad objects are left out.
 *
 * @param single reads a value that is not an array
 * @param fields reads an object
 */
private[formats] final class JsonArrayDecoder(request: DecodeRequest, single: Decoder, fields: JsonReader)
    extends EventDecoder {
  private val input = new JsonInput(likeFlink = true)
  private val skipsBad = request.format.isSet(SideFormat.skipBad)

  // Offsets of the objects in the last array; empty after any other value. A missing value counts as an empty array.
  private var starts = Array.emptyIntArray
  private var at = 0
  private var isArray = false

  override def isEmpty: Boolean = isArray && starts.isEmpty

  override def decode(bytes: Array[Byte], offset: Int, length: Int, row: InternalRow): Unit = {
    clear()
    val head = JsonArrayDecoder.headerOf(bytes, offset, length)
    input.reset(bytes, offset + head, length - head)
    isArray = input.isAtEnd || input.head == '['
    if (input.isAtEnd) ()
    else if (JsonReader.isNull(input)) throw new BadBytes("an object expected, null found")
    else if (!isArray) single.decode(bytes, offset + head, length - head, row)
    else {
      val found = Array.newBuilder[Int]
      input.enter()
      while (input.nextItem()) if (!JsonReader.isNull(input)) {
        val start = input.at
        if (fits(row)) found += start
      }
      input.end()
      starts = found.result()
      next(row)
    }
  }

  /** Whether the object at the input's position is a row; moves past it. */
  private def fits(row: InternalRow): Boolean = {
    val (start, level) = (input.at, input.level)
    try {
      fields.into(input, row, 0)
      input.count(0)
      true
    } catch {
      case BadBytes(_) if skipsBad =>
        input.backTo(start, level)
        input.skip()
        false
    } finally input.countAnew()
  }

  override def hasNext: Boolean = at < starts.length

  override def next(row: InternalRow): Boolean = hasNext && {
    input.backTo(starts(at), 1)
    input.countAnew()
    fields.into(input, row, 0)
    at += 1
    true
  }

  override def restart(): Unit = at = 0

  override def clear(): Unit = {
    starts = Array.emptyIntArray
    at = 0
  }
}

private[formats] object JsonArrayDecoder {

  /** Whether a side's value may be an array of rows: in a stream that reads JSON as Flink does. */
  def areIn(request: DecodeRequest): Boolean =
    request.hasRows && request.rescuedAt < 0

  /** The length of a schema id before a record of JSON_SR: no JSON begins with a zero byte. */
  def headerOf(bytes: Array[Byte], offset: Int, length: Int): Int =
    if (length > WireFormat.headerLength && bytes(offset) == WireFormat.magic) WireFormat.headerLength else 0
}
