package io.kafkalyst.errors

import scala.util.matching.Regex

/**
 * Shows characters that would control a terminal, change the writing direction or have no width as their escapes, such
 * as `\x1b`: texts of other origin stand in messages and logs.
 */
object Printable {
  private val inLine = "[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}&&[^\\t]]".r
  private val inLines = "[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}&&[^\\t\\n]]".r

  /** As one line. */
  def apply(text: String): String = escaped(inLine, text)

  /** With its line ends. */
  def lines(text: String): String = escaped(inLines, text)

  private def escaped(unshown: Regex, text: String) =
    unshown.replaceAllIn(text, found => Regex.quoteReplacement(escape(found.matched.codePointAt(0))))

  private def escape(code: Int) = code match {
    case '\n' => "\\n"
    case '\r' => "\\r"
    case _ if code < 0x100 => f"\\x$code%02x"
    case _ if code < 0x10000 => f"\\u$code%04x"
    case _ => f"\\U$code%08x"
  }
}
