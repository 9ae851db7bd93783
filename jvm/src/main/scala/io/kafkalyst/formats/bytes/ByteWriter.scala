package io.kafkalyst.formats
package bytes

/** Writes Avro's binary primitives to a growing buffer that is reused for every record. */
private[formats] final class ByteWriter extends VarintWriter {
  def writeLong(n: Long): Unit = writeVarint((n << 1) ^ (n >> 63))

  def writeBoolean(b: Boolean): Unit = {
    reserve(1)
    bytes(length) = if (b) 1 else 0
    length += 1
  }

  def writeFloat(f: Float): Unit = littleEndian(java.lang.Float.floatToRawIntBits(f).toLong, 4)

  def writeDouble(d: Double): Unit = littleEndian(java.lang.Double.doubleToRawLongBits(d), 8)

  /** Four bytes, little-endian. */
  def writeFixedInt(n: Int): Unit = littleEndian(n.toLong, 4)

  def writeBytes(from: Array[Byte]): Unit = {
    writeLong(from.length)
    writeRaw(from)
  }
}
