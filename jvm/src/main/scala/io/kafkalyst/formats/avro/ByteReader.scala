package io.kafkalyst.formats
package avro

import io.kafkalyst.formats.bytes.{VarintReader, Words}

import scala.annotation.switch

import org.apache.spark.unsafe.types.UTF8String

/**
 * Reads Avro's binary primitives from an array range with bounds checks. No claimed length is accepted beyond the
 * remaining bytes, and the values of records within a record are counted, so memory is bounded.
 *
 * Errors: [[BadBytes]]. One per decoder, reused for every record.
 */
private[formats] final class ByteReader extends VarintReader {
  private var emptyItems = 0L
  private var depth = 0

  override def reset(bytes: Array[Byte], offset: Int, length: Int): Unit = {
    super.reset(bytes, offset, length)
    emptyItems = 0
    depth = 0
  }

  def remaining: Int = limit - position

  def readLong(): Long = {
    val n = readVarint()
    (n >>> 1) ^ -(n & 1)
  }

  def readInt(): Int = {
    val n = readLong()
    if (n.toInt != n) bad(s"$n where a number of 32 bits must be")
    n.toInt
  }

  def skipVarint(): Unit = {
    readVarint()
    ()
  }

  def readBoolean(): Boolean = {
    if (position >= limit) truncated("a boolean")
    val b = bytes(position)
    if ((b & 0xfe) != 0) bad(f"0x${b & 0xff}%02x where a boolean must be")
    position += 1
    b == 1
  }

  def readFloat(): Float = java.lang.Float.intBitsToFloat(littleEndian(take(4, "a float")))

  def readDouble(): Double = java.lang.Double.longBitsToDouble(Words.little(bytes, take(8, "a double")))

  /** Four bytes, little-endian. */
  def readFixedInt(): Int = littleEndian(take(4, "a duration"))

  /** A length, checked against the remaining bytes. */
  def readLength(): Int = {
    val n = readLong()
    if (n < 0 || n > limit - position) bad(s"a length of $n where ${limit - position} bytes are left")
    n.toInt
  }

  /** A string that points into the bytes. */
  def readString(length: Int): UTF8String = utf8(length)

  def readBytes(length: Int): Array[Byte] = {
    val p = take(length, "bytes")
    java.util.Arrays.copyOfRange(bytes, p, p + length)
  }

  /** A big-endian two's-complement number of 1 to 8 bytes. */
  def readBigEndian(length: Int): Long = {
    val p = take(length, "a number")
    val first = p + length - 8
    // Bytes before the number are shifted out.
    if (first >= 0) {
      val others = 64 - 8 * length
      Words.big(bytes, first) << others >> others
    } else {
      var n = bytes(p).toLong
      var i = 1
      while (i < length) {
        n = n << 8 | (bytes(p + i) & 0xff)
        i += 1
      }
      n
    }
  }

  def skip(length: Int): Unit = take(length, "a value")

  /** The index of a union's branch. */
  def readBranch(branches: Int): Int = {
    val n = readLong()
    if (n < 0 || n >= branches) bad(s"branch $n of a union of $branches")
    n.toInt
  }

  /**
   * The number of items in the next block of an array or map; 0 at its end.
   *
   * @param itemSize minimum size of an item, in bytes; empty items count towards a limit per record
   */
  def readBlock(itemSize: Int): Int = {
    var count = readLong()
    if (count < 0) {
      count = -count
      readLength()
    }
    checkBlock(count, itemSize)
  }

  /** As [[readBlock]], but skips blocks that carry their size. */
  def skipToBlock(itemSize: Int): Int = {
    var count = readLong()
    while (count < 0) {
      skip(readLength())
      count = readLong()
    }
    checkBlock(count, itemSize)
  }

  private def checkBlock(count: Long, itemSize: Int): Int = {
    if (itemSize == 0) {
      emptyItems += math.min(count & Long.MaxValue, Int.MaxValue)
      if (count < 0 || emptyItems > ByteReader.maxEmptyItems) bad(s"$count items that take no bytes")
    } else if (count < 0 || count > (limit - position) / itemSize) {
      bad(s"$count items where ${limit - position} bytes are left")
    }
    count.toInt
  }

  /** Skips the fields of `run`, with the compiled form if there is one. */
  def pass(run: AvroPass, compiled: CompiledPass): Unit =
    position = if (compiled == null) passed(run) else compiled.run(this, bytes, position, limit)

  private def passed(run: AvroPass): Int = {
    val codes = run.codes
    val operands = run.operands
    val data = bytes
    val end = limit
    // A local variable stays in a register.
    var p = position
    var i = 0
    while (i < codes.length) {
      val byte = if (p < end) data(p).toInt else -1
      (codes(i): @switch) match {
        case AvroPass.Varint => p = if (byte >= 0) p + 1 else passOne(run, i, p)
        case AvroPass.Sized =>
          // A length below 64 takes one byte, which holds twice its value (zigzag).
          p = if ((byte & 0x81) == 0 && (byte >> 1) < end - p) p + 1 + (byte >> 1) else passOne(run, i, p)
        case AvroPass.Fixed => p = if (operands(i) <= end - p) p + operands(i) else passOne(run, i, p)
        case AvroPass.OptionalFirst | AvroPass.OptionalSecond =>
          val isNull = if (codes(i) == AvroPass.OptionalFirst) 0 else 2
          val next = if ((byte & 0xfd) != 0) passOne(run, i, p) else if (byte == isNull) ~(p + 1) else p + 1
          if (next < 0) i = operands(i) - 1
          p = if (next < 0) ~next else next
        case _ => p = passOne(run, i, p)
      }
      i += 1
    }
    p
  }

  /** Skips one code from this index; returns the index after it, or ~index if an optional value is null. */
  private[formats] def passOne(run: AvroPass, i: Int, at: Int): Int = {
    position = at
    var isNull = false
    try {
      run.codes(i) match {
        case AvroPass.Varint => readVarint()
        case AvroPass.Boolean => readBoolean()
        case AvroPass.Sized => skip(readLength())
        case AvroPass.Fixed => skip(run.operands(i))
        case AvroPass.Call => run.calls(run.operands(i)).skip(this)
        case optional => isNull = (readBranch(2) == 0) == (optional == AvroPass.OptionalFirst)
      }
      if (isNull) ~position else position
    } catch { case bad: BadBytes => throw run.paths(i).within(bad) }
  }

  /** As [[passOne]] for a number, byte by byte: near the end of the record an 8-byte load would be out of bounds. */
  private[formats] def passNumber(run: AvroPass, i: Int, at: Int): Int = {
    val end = math.min(limit, at + 8)
    var p = at
    while (p < end && bytes(p) < 0) p += 1
    if (p < end) p + 1 else passOne(run, i, at)
  }

  /** Protects the stack against recursive schemas, whose records, arrays and maps may be nested to any depth. */
  def enter(): Unit = {
    depth += 1
    if (depth > ByteReader.maxDepth) bad(s"values nested deeper than ${ByteReader.maxDepth}")
  }

  def leave(): Unit = depth -= 1
}

private[formats] object ByteReader {
  private val maxEmptyItems = 65536
  private val maxDepth = 500
}
