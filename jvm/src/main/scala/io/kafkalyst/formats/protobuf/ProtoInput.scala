package io.kafkalyst.formats
package protobuf

import io.kafkalyst.formats.bytes.{VarintReader, Words}

import org.apache.spark.unsafe.types.UTF8String

/**
 * Reads Protobuf's wire format from an array range with bounds checks. No claimed length is accepted beyond the
 * remaining bytes, and the values of one record are counted, so memory is bounded.
 *
 * Errors: [[BadBytes]]. One per decoder, reused for every record.
 */
private[formats] final class ProtoInput extends VarintReader {
  def hasMore: Boolean = position < limit

  /** The next field's tag; 0 at the message's end. */
  def readTag(): Int =
    if (position == limit) 0
    else {
      val tag = readVarint()
      if ((tag >>> 32) != 0 || (tag >>> 3) == 0) bad(s"$tag where a field's number and kind must be")
      tag.toInt
    }

  def readFixed32(): Int = littleEndian(take(4, "a number"))

  def readFixed64(): Long = Words.little(bytes, take(8, "a number"))

  /** A length, checked against the remaining bytes. */
  def readLength(): Int = {
    val n = readVarint()
    if (n < 0 || n > limit - position) bad(s"a length of ${java.lang.Long.toUnsignedString(n)} where " +
      s"${limit - position} bytes are left")
    n.toInt
  }

  def readBytes(): Array[Byte] = {
    val length = readLength()
    val p = take(length, "bytes")
    java.util.Arrays.copyOfRange(bytes, p, p + length)
  }

  /** The rest of the message. */
  def readRest(): Array[Byte] = {
    val length = limit - position
    val p = take(length, "bytes")
    java.util.Arrays.copyOfRange(bytes, p, p + length)
  }

  /** A string that points into the bytes. */
  def readString(): UTF8String = utf8(readLength())

  /** Enters a length-delimited value; the result is the argument of [[leave]]. */
  def enter(): Int = {
    val length = readLength()
    val outer = limit
    limit = position + length
    outer
  }

  /** Leaves a value that [[enter]] entered, after it has been read completely. */
  def leave(outer: Int): Unit = limit = outer

  /** Passes over a value that [[visit]] reads later. */
  def pass(): ProtoInput.Range = {
    val length = readLength()
    ProtoInput.Range(take(length, "a value"), length)
  }

  /** Reads a value that was passed over, and comes back. */
  def visit(value: ProtoInput.Range)(read: => Unit): Unit = {
    val (at, outer) = (position, limit)
    position = value.from
    limit = value.from + value.length
    read
    position = at
    limit = outer
  }

  /** Skips the value of a field that is not required. */
  def skip(tag: Int): Unit = skip(tag, 0)

  private def skip(tag: Int, depth: Int): Unit = (tag & 7) match {
    case ProtoInput.varint => readVarint()
    case ProtoInput.fixed64 => take(8, "a number")
    case ProtoInput.delimited => take(readLength(), "a value")
    case ProtoInput.groupStart =>
      if (depth >= ProtoInput.maxDepth) bad(s"groups nested deeper than ${ProtoInput.maxDepth}")
      var next = readTag()
      while (next != 0 && (next & 7) != ProtoInput.groupEnd) {
        skip(next, depth + 1)
        next = readTag()
      }
      if (next == 0) truncated("a group")
      if ((next >>> 3) != (tag >>> 3)) bad(s"group ${tag >>> 3} ends as group ${next >>> 3}")
    case ProtoInput.groupEnd => bad(s"the end of group ${tag >>> 3}, which was not begun")
    case ProtoInput.fixed32 => take(4, "a number")
    case other => bad(s"field ${tag >>> 3} of kind $other, which is none")
  }
}

private[formats] object ProtoInput {

  /** A value's place in the bytes. */
  final case class Range(from: Int, length: Int)

  final val varint = 0
  final val fixed64 = 1
  final val delimited = 2
  final val groupStart = 3
  final val groupEnd = 4
  final val fixed32 = 5

  private val maxDepth = 100
}
