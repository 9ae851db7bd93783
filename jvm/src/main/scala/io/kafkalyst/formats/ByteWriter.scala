package io.kafkalyst.formats

/** Writes Avro's binary primitives into one growing buffer that is reused for every record. */
private[formats] final class ByteWriter {
  private var bytes = new Array[Byte](256)
  private var length = 0

  def clear(): Unit = length = 0

  def toArray: Array[Byte] = java.util.Arrays.copyOf(bytes, length)

  def writeLong(n: Long): Unit = {
    reserve(10)
    var rest = (n << 1) ^ (n >> 63)
    while ((rest & ~0x7fL) != 0) {
      bytes(length) = (rest & 0x7f | 0x80).toByte
      length += 1
      rest >>>= 7
    }
    bytes(length) = rest.toByte
    length += 1
  }

  def writeBoolean(b: Boolean): Unit = {
    reserve(1)
    bytes(length) = if (b) 1 else 0
    length += 1
  }

  def writeFloat(f: Float): Unit = littleEndian(java.lang.Float.floatToRawIntBits(f).toLong, 4)

  def writeDouble(d: Double): Unit = littleEndian(java.lang.Double.doubleToRawLongBits(d), 8)

  /** Four bytes, little-endian. */
  def writeFixedInt(n: Int): Unit = littleEndian(n.toLong, 4)

  /** The bytes as they are, without their length. */
  def writeRaw(from: Array[Byte]): Unit = {
    reserve(from.length)
    System.arraycopy(from, 0, bytes, length, from.length)
    length += from.length
  }

  def writeBytes(from: Array[Byte]): Unit = {
    writeLong(from.length)
    writeRaw(from)
  }

  private def littleEndian(bits: Long, size: Int): Unit = {
    reserve(size)
    var i = 0
    while (i < size) {
      bytes(length + i) = (bits >>> (8 * i)).toByte
      i += 1
    }
    length += size
  }

  private def reserve(size: Int): Unit =
    if (bytes.length - length < size) bytes = java.util.Arrays.copyOf(bytes, math.max(bytes.length * 2, length + size))
}
