package io.kafkalyst.registry

/**
 * The registry's wire format for a record's side: one zero byte, the schema id as four big-endian bytes, then the body.
 * Pure functions over the bytes; the caller decides how to handle a fault.
 */
object WireFormat {
  val magic: Byte = 0

  /** Number of bytes before the body. */
  val headerLength = 5

  /** Why these bytes do not start with a header, in the user's terms; null if they do. */
  def fault(bytes: Array[Byte], offset: Int, length: Int): String =
    if (length == 0) "no bytes at all, not even a schema id"
    else if (bytes(offset) != magic) {
      val first = bytes(offset) & 0xff
      val kind =
        if (first == '{' || first == '[' || first == '"') "; these bytes look like JSON without a schema id"
        else if (first >= 0x20 && first < 0x7f) "; these bytes look like text without a schema id"
        else ""
      f"first byte is 0x$first%02x, but a schema id starts with 0x00$kind"
    } else if (length < headerLength) s"only $length of the $headerLength bytes that hold the schema id"
    else null

  /** The schema id; only for bytes without a [[fault]]. */
  def schemaId(bytes: Array[Byte], offset: Int): Int =
    (bytes(offset + 1) & 0xff) << 24 | (bytes(offset + 2) & 0xff) << 16 | (bytes(offset + 3) & 0xff) << 8 |
      (bytes(offset + 4) & 0xff)

  /** The header of a schema id. */
  def header(schemaId: Int): Array[Byte] =
    Array(magic, (schemaId >>> 24).toByte, (schemaId >>> 16).toByte, (schemaId >>> 8).toByte, schemaId.toByte)
}
