package io.kafkalyst.formats
package bytes

import org.apache.spark.unsafe.types.UTF8String

/** UTF-8 text as read. */
private[formats] object Utf8 {

  /** The bytes as a string that points into them; null if they are not UTF-8. */
  def string(bytes: Array[Byte], from: Int, length: Int): UTF8String = {
    val string = UTF8String.fromBytes(bytes, from, length)
    if (isAscii(bytes, from, from + length) || string.isValid) string else null
  }

  private def isAscii(bytes: Array[Byte], from: Int, until: Int): Boolean = {
    val last = until - 8
    if (last < from) {
      var seen = 0
      var p = from
      while (p < until) {
        seen |= bytes(p)
        p += 1
      }
      seen >= 0
    } else {
      // The last eight bytes are checked as one word, some of them twice.
      var seen = Words.little(bytes, last)
      var p = from
      while (p < last) {
        seen |= Words.little(bytes, p)
        p += 8
      }
      (seen & Words.Highs) == 0
    }
  }
}
