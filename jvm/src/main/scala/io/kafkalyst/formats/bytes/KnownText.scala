package io.kafkalyst.formats
package bytes

/** Bytes that are expected, such as a name in its quotes, which are compared with what is read by words. */
private[formats] final class KnownText(text: Array[Byte]) {
  val length: Int = text.length
  private val padded = java.util.Arrays.copyOf(text, math.max(16, length))
  private val first = Words.little(padded, 0)
  private val second = Words.little(padded, 8)
  // Texts of up to 16 bytes are compared alike: a loop would have the processor guess how long the next one is.
  private val ofFirst = KnownText.mask(length)
  private val ofSecond = KnownText.mask(length - 8)

  /** Whether it is there, before the end. */
  def isAt(bytes: Array[Byte], at: Int, end: Int): Boolean =
    if (length > end - at) false
    else if (at + 16 > bytes.length) java.util.Arrays.equals(bytes, at, at + length, padded, 0, length)
    else {
      val others = (Words.little(bytes, at) ^ first) & ofFirst | (Words.little(bytes, at + 8) ^ second) & ofSecond
      others == 0 && (length <= 16 || isRestAt(bytes, at))
    }

  private def isRestAt(bytes: Array[Byte], at: Int): Boolean = {
    val last = length - 8
    var i = 16
    while (i < last && Words.little(bytes, at + i) == Words.little(padded, i)) i += 8
    // The last word may share bytes with the one before it.
    i >= last && Words.little(bytes, at + last) == Words.little(padded, last)
  }
}

private object KnownText {

  /** Of a word's bytes so many, from the first on. */
  private def mask(count: Int): Long = if (count <= 0) 0L else if (count >= 8) -1L else (1L << count * 8) - 1
}
