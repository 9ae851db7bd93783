package io.kafkalyst.formats
package delimited

import io.kafkalyst.formats.bytes.{PlainNumber, Utf8}

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.unsafe.types.UTF8String

/**
 * Splits one record into fields by RFC 4180: quoted fields may contain delimiters, line ends and doubled quotes; a line
 * end after the last field is ignored. It works on the bytes, so fields that are not required cost nothing. Not
 * thread-safe; one per decoder, reused for every record.
 *
 * The parser in Spark (univocity 2.9.1) is not used: it silently accepts an unclosed quote and text after a closing
 * quote, and a bad record changes how it reads the next one.
 *
 * @param delimiter one character, neither a quote nor a line end
 * @param quoting   the character around a field, of ASCII; None if there is none
 * @param escaping  the character before a literal one, of ASCII; None if there is none
 * @param likeFlink   as in Flink's csv, whether blanks may follow a closing quote, a byte order mark may come first,
 *                    and escaped letters may be control characters
 * @param isFirstOnly whether lines after the first one are ignored, and a carriage return alone ends one, as in Flink's
 *                    csv and in ksqlDB
 * @param hasComments whether comments, empty lines and blanks before the line are skipped, as in Flink's csv
 */
private[formats] final class DelimitedLine(
    delimiter: Char,
    quoting: Option[Char] = Some('"'),
    escaping: Option[Char] = None,
    likeFlink: Boolean = false,
    isFirstOnly: Boolean = false,
    hasComments: Boolean = false
) {
  // A value that no byte equals if there is no such character.
  private val quote = quoting.fold(Int.MinValue)(_.toInt)
  private val escape = escaping.fold(Int.MinValue)(_.toInt)
  private val between = delimiter.toString.getBytes(UTF_8)
  private var bytes: Array[Byte] = Array.emptyByteArray
  private var end = 0
  private var starts = new Array[Int](16)
  private var lengths = new Array[Int](16)
  // Number of doubled quotes and escapes in a quoted field; -1 minus that number for an unquoted field.
  private var doubled = new Array[Int](16)
  private var count = 0

  /** The number of fields. */
  def size: Int = count

  /** Finds the fields. Errors: [[BadBytes]] with the field and byte for invalid quotes or text after the line's end. */
  def split(bytes: Array[Byte], offset: Int, length: Int): Unit = {
    this.bytes = bytes
    end = offset + length
    count = 0
    var p = begin(offset)
    var more = true
    while (more) {
      p = if (p < end && bytes(p) == quote) quoted(p + 1, offset) else if (escape >= 0) escaped(p) else plain(p)
      if (p < end && isDelimiter(p)) p += between.length
      else {
        more = false
        val hasEnded = p < end && isLineEnd(p)
        if (hasEnded) p += (if (bytes(p) == '\r' && p + 1 < end && bytes(p + 1) == '\n') 2 else 1)
        if (p < end && !(isFirstOnly && hasEnded))
          throw new BadBytes(s"more after field $count, at byte ${p - offset}: ${wrongEnd(hasEnded)}")
      }
    }
  }

  /** The line's first byte. Errors: [[BadBytes]] if there are only comments. */
  private def begin(offset: Int): Int = {
    def has(p: Int, byte: Int) = p < end && (bytes(p) & 0xff) == byte
    var p = offset
    if (likeFlink && has(p, 0xef) && has(p + 1, 0xbb) && has(p + 2, 0xbf)) p += 3
    if (hasComments) {
      val first = p
      var isComment = false
      def skips = isComment || bytes(p) == '#' || bytes(p) == ' ' || bytes(p) == '\r' || bytes(p) == '\n'
      while (p < end && skips) {
        isComment = if (isComment) bytes(p) != '\r' && bytes(p) != '\n' else bytes(p) == '#'
        p += 1
      }
      if (p == end && p > first) throw new BadBytes("a comment, and no row")
    }
    p
  }

  private def wrongEnd(hasEnded: Boolean): String =
    if (hasEnded) "a second line; a record is one line" else "text behind the closing quote; a quote within is doubled"

  /** Whether the field is empty and unquoted: null. */
  def isNull(field: Int): Boolean = lengths(field) == 0 && doubled(field) < 0

  /** Whether the field is empty, in quotes or not. */
  def isEmpty(field: Int): Boolean = lengths(field) == 0

  /** Whether the field has no character but blanks. */
  def isBlank(field: Int): Boolean = text(field).toString.trim.isEmpty

  /** The field's text, without its quotes. Errors: [[BadBytes]] if it is not UTF-8. */
  def text(field: Int): UTF8String = {
    val text =
      if (removed(field) == 0) Utf8.string(bytes, starts(field), lengths(field))
      else {
        val own = undoubled(field)
        Utf8.string(own, 0, own.length)
      }
    if (text == null) throw new BadBytes(s"field ${field + 1} is not valid UTF-8")
    text
  }

  /** Whether the field is a plain number of few digits, which is parsed into `into`. */
  def number(field: Int, into: PlainNumber): Boolean =
    into.parse(bytes, starts(field), lengths(field)) && into.isShort

  private def removed(field: Int) = if (doubled(field) >= 0) doubled(field) else -1 - doubled(field)

  /** An unquoted field with escapes. */
  private def escaped(from: Int): Int = {
    var p = from
    var escapes = 0
    while (p < end && !isDelimiter(p) && !isLineEnd(p)) {
      if (bytes(p) == escape && p + 1 < end) {
        escapes += 1
        p += 1
      } else if (bytes(p) == escape && likeFlink)
        throw new BadBytes(s"nothing follows the escape of field ${count + 1}")
      p += 1
    }
    add(from, p - from, -1 - escapes)
    p
  }

  private def plain(from: Int): Int = {
    var p = passText(from)
    while (p < end && !isDelimiter(p) && !isLineEnd(p)) p = passText(p + 1)
    add(from, p - from, -1)
    p
  }

  /** The next byte that may start a delimiter or a line end. */
  private def passText(from: Int): Int = {
    val in = bytes
    val until = end
    val first = between(0)
    var p = from
    while (p < until && in(p) != first && in(p) != '\n' && in(p) != '\r') p += 1
    p
  }

  /** @param from the byte after the opening quote */
  private def quoted(from: Int, offset: Int): Int = {
    var p = from
    var pairs = 0
    var open = true
    while (open) {
      if (p >= end)
        throw new BadBytes(s"the quote before field ${count + 1} at byte ${from - 1 - offset} is not closed")
      if (bytes(p) == escape && p + 1 < end) {
        pairs += 1
        p += 2
      } else if (bytes(p) != quote) p += 1
      else if (p + 1 < end && bytes(p + 1) == quote) {
        pairs += 1
        p += 2
      } else open = false
    }
    add(from, p - from, pairs)
    if (likeFlink) afterBlanks(p + 1) else p + 1
  }

  private def afterBlanks(from: Int): Int = {
    var p = from
    while (p < end && bytes(p) >= 0 && bytes(p) <= ' ' && !isDelimiter(p) && !isLineEnd(p)) p += 1
    p
  }

  private def isDelimiter(p: Int): Boolean = {
    var i = 0
    while (i < between.length && p + i < end && bytes(p + i) == between(i)) i += 1
    i == between.length
  }

  private def isLineEnd(p: Int): Boolean =
    bytes(p) == '\n' || bytes(p) == '\r' && (isFirstOnly || p + 1 < end && bytes(p + 1) == '\n')

  private def undoubled(field: Int): Array[Byte] = {
    val out = new Array[Byte](lengths(field) - removed(field))
    val isQuoted = doubled(field) >= 0
    var from = starts(field)
    var i = 0
    while (i < out.length) {
      val isEscaped = bytes(from) == escape && from + 1 < starts(field) + lengths(field)
      if (isEscaped || isQuoted && bytes(from) == quote) from += 1
      out(i) = if (isEscaped && likeFlink) unescaped(bytes(from)) else bytes(from)
      from += 1
      i += 1
    }
    out
  }

  private def unescaped(byte: Byte): Byte = byte match {
    case '0' => 0
    case 'n' => '\n'
    case 'r' => '\r'
    case 't' => '\t'
    case other => other
  }

  private def add(start: Int, length: Int, pairs: Int): Unit = {
    if (count == starts.length) {
      starts = java.util.Arrays.copyOf(starts, count * 2)
      lengths = java.util.Arrays.copyOf(lengths, count * 2)
      doubled = java.util.Arrays.copyOf(doubled, count * 2)
    }
    starts(count) = start
    lengths(count) = length
    doubled(count) = pairs
    count += 1
  }
}
