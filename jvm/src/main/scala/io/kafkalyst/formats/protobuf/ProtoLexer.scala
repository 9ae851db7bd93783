package io.kafkalyst.formats
package protobuf

import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.UTF_8

/** A word, number, string or symbol of a `.proto` text. A string has empty text and its bytes are set. */
private[formats] final case class ProtoToken(kind: ProtoToken.Kind, text: String, line: Int, bytes: Array[Byte] = null)

private[formats] object ProtoToken {
  sealed trait Kind
  case object Word extends Kind
  case object Number extends Kind
  case object Text extends Kind
  case object Sign extends Kind
  case object End extends Kind
}

/** Splits a `.proto` text into tokens, without blanks and comments. Errors: [[BadProto]] with the line. */
private[formats] final class ProtoLexer(text: String) {
  import ProtoToken._

  private var position = 0
  private var line = 1

  def next(): ProtoToken = {
    skipBlanks()
    if (position >= text.length) ProtoToken(End, "the end", line)
    else {
      val start = position
      val c = text(position)
      if (isLetter(c)) {
        while (position < text.length && (isLetter(text(position)) || isDigit(text(position)))) position += 1
        ProtoToken(Word, text.substring(start, position), line)
      } else if (isDigit(c) || c == '.' && position + 1 < text.length && isDigit(text(position + 1))) number(start)
      else if (c == '"' || c == '\'') string(c)
      else {
        position += 1
        ProtoToken(Sign, c.toString, line)
      }
    }
  }

  private def bad(what: String): Nothing = throw new BadProto(s"line $line: $what")

  private def isLetter(c: Char) = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_'
  private def isDigit(c: Char) = c >= '0' && c <= '9'

  private def skipBlanks(): Unit = {
    var more = true
    while (more && position < text.length) {
      val c = text(position)
      // A byte order mark may precede the text.
      if (c <= ' ' || c == '\ufeff') {
        if (c == '\n') line += 1
        position += 1
      } else if (text.startsWith("//", position)) {
        val end = text.indexOf('\n', position)
        position = if (end < 0) text.length else end
      } else if (text.startsWith("/*", position)) {
        val end = text.indexOf("*/", position + 2)
        if (end < 0) bad("a comment without its end")
        line += text.substring(position, end).count(_ == '\n')
        position = end + 2
      } else more = false
    }
  }

  private def number(start: Int): ProtoToken = {
    val isHex = text.startsWith("0x", start) || text.startsWith("0X", start)
    def more(c: Char) = isLetter(c) || isDigit(c) || c == '.' ||
      (c == '+' || c == '-') && !isHex && "eE".contains(text(position - 1))
    position += 1
    while (position < text.length && more(text(position))) position += 1
    ProtoToken(Number, text.substring(start, position), line)
  }

  private def string(quote: Char): ProtoToken = {
    val out = new ByteArrayOutputStream
    position += 1
    while (position < text.length && text(position) != quote) {
      if (text(position) == '\n') bad("a string without its end")
      if (text(position) == '\\') {
        position += 1
        escape(out)
      } else {
        val c = text.codePointAt(position)
        position += Character.charCount(c)
        out.writeBytes(Character.toString(c).getBytes(UTF_8))
      }
    }
    if (position >= text.length) bad("a string without its end")
    position += 1
    ProtoToken(Text, "", line, out.toByteArray)
  }

  private def escape(out: ByteArrayOutputStream): Unit = {
    if (position >= text.length) bad("a string without its end")
    val c = text(position)
    position += 1
    def digits(radix: Int, least: Int, most: Int): Int = {
      val start = position
      while (position < text.length && position - start < most && Character.digit(text(position), radix) >= 0)
        position += 1
      if (position - start < least) bad(s"\\$c without its digits in a string")
      Integer.parseUnsignedInt(text.substring(start, position), radix)
    }
    c match {
      case 'x' | 'X' => out.write(digits(16, 1, 2))
      case 'u' | 'U' =>
        val size = if (c == 'u') 4 else 8
        val point = digits(16, size, size)
        if (!Character.isValidCodePoint(point)) bad(f"no such character as \\u$point%x in a string")
        out.writeBytes(Character.toString(point).getBytes(UTF_8))
      case d if d >= '0' && d <= '7' =>
        position -= 1
        out.write(digits(8, 1, 3))
      case _ =>
        val at = "abfnrtv\\'\"?".indexOf(c.toInt)
        if (at < 0) bad(s"\\$c in a string")
        out.write("\u0007\b\f\n\r\t\u000b\\'\"?".charAt(at).toInt)
    }
  }
}
