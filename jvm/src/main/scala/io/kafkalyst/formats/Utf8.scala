package io.kafkalyst.formats

import org.apache.spark.unsafe.Platform
import org.apache.spark.unsafe.types.UTF8String

/** Text as it comes, in UTF-8. */
private[formats] object Utf8 {
  private val highs = 0x8080808080808080L

  /** The bytes as a string that points into them; null where they are no UTF-8. */
  def string(bytes: Array[Byte], from: Int, length: Int): UTF8String = {
    val string = UTF8String.fromBytes(bytes, from, length)
    if (isAscii(bytes, from, from + length) || string.isValid) string else null
  }

  private def isAscii(bytes: Array[Byte], from: Int, until: Int): Boolean = {
    var p = from
    while (p + 8 <= until && (Platform.getLong(bytes, Platform.BYTE_ARRAY_OFFSET.toLong + p) & highs) == 0) p += 8
    while (p < until && bytes(p) >= 0) p += 1
    p == until
  }
}
