package io.kafkalyst.formats
package json

import io.kafkalyst.formats.bytes.Words

import java.nio.charset.StandardCharsets.UTF_8

/** Plain characters and escapes of JSON strings. */
private[formats] object JsonStrings {
  import Words.{Highs, Ones}

  /** The characters allowed after a backslash, except the u of a code unit. */
  val escapes = "\"\\/bfnrt"
  private val meanings = "\"\\/\b\f\n\r\t"

  /** The string with its already validated escapes resolved; an unpaired surrogate becomes a question mark. */
  def unescaped(bytes: Array[Byte], from: Int, length: Int): Array[Byte] = {
    val raw = new String(bytes, from, length, UTF_8)
    val text = new java.lang.StringBuilder(raw.length)
    var i = 0
    while (i < raw.length) {
      val c = raw.charAt(i)
      if (c != '\\') {
        text.append(c)
        i += 1
      } else if (raw.charAt(i + 1) == 'u') {
        text.append(Integer.parseInt(raw, i + 2, i + 6, 16).toChar)
        i += 6
      } else {
        text.append(meanings.charAt(escapes.indexOf(raw.charAt(i + 1).toInt)))
        i += 2
      }
    }
    text.toString.getBytes(UTF_8)
  }

  /**
   * Index of the first byte that is not ASCII, a control character, a quote or a backslash; `until` if there is none.
   */
  def endOfPlain(bytes: Array[Byte], from: Int, until: Int): Int = {
    var p = from
    while (p + 8 <= until) {
      val others = notPlain(Words.little(bytes, p))
      if (others != 0) return p + (java.lang.Long.numberOfTrailingZeros(others) >>> 3)
      p += 8
    }
    while (p < until && bytes(p) >= ' ' && bytes(p) != '"' && bytes(p) != '\\') p += 1
    p
  }

  /** The high bit of the first of eight bytes that is not plain; bits of later bytes are undefined. */
  private def notPlain(eight: Long): Long = {
    val quotes = eight ^ Ones * '"'
    val slashes = eight ^ Ones * '\\'
    (eight | (eight - Ones * ' ') | (quotes - Ones) & ~quotes | (slashes - Ones) & ~slashes) & Highs
  }
}
