package io.kafkalyst.parse

import org.antlr.v4.runtime.{CharStream, IntStream}
import org.antlr.v4.runtime.misc.Interval

/**
 * An ANTLR stream with UTF-16 positions, like Java's strings. ANTLR's own streams count code points, so that positions
 * after an emoji would differ from the string's.
 */
private[parse] final class Utf16Stream(text: String) extends CharStream {
  private var at = 0

  override def consume(): Unit = {
    if (at >= text.length) throw new IllegalStateException("cannot consume EOF")
    at += 1
  }

  override def LA(i: Int): Int = {
    val place = if (i > 0) at + i - 1 else at + i
    if (i == 0) 0 else if (place < 0 || place >= text.length) IntStream.EOF else text.charAt(place).toInt
  }

  override def mark(): Int = -1
  override def release(marker: Int): Unit = ()
  override def index(): Int = at
  override def seek(index: Int): Unit = at = math.min(index, text.length)
  override def size(): Int = text.length
  override def getSourceName: String = IntStream.UNKNOWN_SOURCE_NAME
  override def getText(interval: Interval): String =
    if (interval.a >= text.length) "" else text.substring(interval.a, math.min(interval.b + 1, text.length))
}
