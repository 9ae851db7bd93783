package io.kafkalyst.formats
package bytes

import org.apache.spark.unsafe.types.UTF8String

/**
 * A forward reader of an array range with bounds checks, shared by the readers of Avro, Protobuf and JSON. Errors:
 * [[BadBytes]] with the position.
 */
private[formats] abstract class BoundedReader {
  protected[this] var bytes: Array[Byte] = Array.emptyByteArray
  protected[this] var start = 0

  /** Index after the last byte in the array. */
  protected[this] var limit = 0

  /** Index of the next byte in the array. */
  protected[this] var position = 0

  private var values = 0L

  def reset(bytes: Array[Byte], offset: Int, length: Int): Unit = {
    values = 0
    this.bytes = bytes
    start = offset
    position = offset
    limit = offset + length
  }

  /** Moves on by `length` bytes; returns the index of the first. */
  protected[this] def take(length: Int, what: String): Int = {
    val p = position
    if (length > limit - p) truncated(what)
    position = p + length
    p
  }

  /** The next bytes as a string that points into them; an error if they are not UTF-8. */
  protected[this] def utf8(length: Int): UTF8String = {
    val p = take(length, "a string")
    val string = Utf8.string(bytes, p, length)
    if (string == null) bad("a string that is not UTF-8")
    string
  }

  /** Counts the values of a record; absent fields take space too, so there may be far more values than bytes. */
  def count(more: Int): Unit = {
    values += more
    if (values > BoundedReader.maxValues) bad(s"more than ${BoundedReader.maxValues} values in one record")
  }

  /** Begins to count anew: nothing holds the values so far. */
  def countAnew(): Unit = values = 0

  def bad(found: String): Nothing = throw new BadBytes(s"$found, at byte ${position - start}")

  protected[this] def truncated(what: String): Nothing =
    throw new BadBytes(s"the bytes end at byte ${limit - start} in the middle of $what: they are cut off")
}

private[formats] object BoundedReader {
  private val maxValues = 1 << 24
}

/** A reader of varints, as in Avro and Protobuf. */
private[formats] abstract class VarintReader extends BoundedReader {

  /** A number of up to 64 bits in groups of seven, lowest first. */
  def readVarint(): Long = {
    val p = position
    if (p < limit) {
      val b = bytes(p)
      if (b >= 0) {
        position = p + 1
        return b.toLong
      }
    }
    readLongVarint()
  }

  private def readLongVarint(): Long = {
    val p = position
    if (p <= limit - 8) {
      val word = Words.little(bytes, p)
      val ends = ~word & Words.Highs
      if (ends != 0) {
        // Up to the first byte without the high bit.
        val bits = java.lang.Long.numberOfTrailingZeros(ends) + 1
        position = p + (bits >>> 3)
        return Words.sevens(word & -1L >>> (64 - bits))
      }
    }
    readLongestVarint()
  }

  /** For nine or ten bytes, or near the end. */
  private def readLongestVarint(): Long = {
    var p = position
    var n = 0L
    var shift = 0
    var b = -1
    while (b < 0) {
      if (p >= limit) truncated("a number")
      // The tenth byte can only hold the last bit of 64.
      if (shift > 63 || (shift == 63 && (bytes(p) & 0xfe) != 0)) bad("a number of more than 64 bits")
      b = bytes(p)
      p += 1
      n |= (b & 0x7fL) << shift
      shift += 7
    }
    position = p
    n
  }

  protected[this] def littleEndian(p: Int): Int =
    (bytes(p) & 0xff) | (bytes(p + 1) & 0xff) << 8 | (bytes(p + 2) & 0xff) << 16 | bytes(p + 3) << 24
}
