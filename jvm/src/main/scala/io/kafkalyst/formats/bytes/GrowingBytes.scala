package io.kafkalyst.formats
package bytes

/** A growing buffer that is reused for every record, shared by the writers of Avro, Protobuf and JSON. */
private[formats] abstract class GrowingBytes {
  protected[this] var bytes = new Array[Byte](256)
  protected[this] var length = 0

  def clear(): Unit = length = 0

  def toArray: Array[Byte] = java.util.Arrays.copyOf(bytes, length)

  /** The bytes without a length prefix. */
  def writeRaw(from: Array[Byte]): Unit = {
    reserve(from.length)
    System.arraycopy(from, 0, bytes, length, from.length)
    length += from.length
  }

  protected[this] def reserve(size: Int): Unit =
    if (bytes.length - length < size) bytes = java.util.Arrays.copyOf(bytes, math.max(bytes.length * 2, length + size))
}

/** A writer of varints, as in Avro and Protobuf. */
private[formats] abstract class VarintWriter extends GrowingBytes {

  /** A number of up to 64 bits in groups of seven, lowest first. */
  def writeVarint(n: Long): Unit = {
    reserve(10)
    length = put(length, n)
  }

  /** Writes a varint to reserved space; returns the index after it. */
  protected[this] def put(at: Int, n: Long): Int = {
    var p = at
    var rest = n
    while ((rest & ~0x7fL) != 0) {
      bytes(p) = (rest & 0x7f | 0x80).toByte
      p += 1
      rest >>>= 7
    }
    bytes(p) = rest.toByte
    p + 1
  }

  protected[this] def littleEndian(bits: Long, size: Int): Unit = {
    reserve(size)
    var i = 0
    while (i < size) {
      bytes(length + i) = (bits >>> (8 * i)).toByte
      i += 1
    }
    length += size
  }
}
