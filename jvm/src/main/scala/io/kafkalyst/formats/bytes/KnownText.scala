package io.kafkalyst.formats
package bytes

/** Expected bytes, such as a quoted name, that are compared with the input word by word. */
private[formats] final class KnownText(text: Array[Byte]) {
  val length: Int = text.length
  private val padded = java.util.Arrays.copyOf(text, math.max(16, length))
  private val first = Words.little(padded, 0)
  private val second = Words.little(padded, 8)
  // Texts of up to 16 bytes take the same path: a loop would make the CPU guess the next length.
  private val ofFirst = KnownText.mask(length)
  private val ofSecond = KnownText.mask(length - 8)

  /** Whether the text is at this index and ends before `end`. */
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
    // The last word may overlap the one before it.
    i >= last && Words.little(bytes, at + last) == Words.little(padded, last)
  }
}

private object KnownText {

  /** Masks the first `count` bytes of a word. */
  private def mask(count: Int): Long = if (count <= 0) 0L else if (count >= 8) -1L else (1L << count * 8) - 1
}
