package io.kafkalyst.parse
package quotes

import io.kafkalyst.parse.grammar.KafkalystLexer

/**
 * Rewrites ksqlDB's strings that end in a backslash, `'C:\'`, to Spark's raw strings, `R'C:\'`: in other strings of
 * Spark the backslash would escape the closing quote. A text whose quotes close by Spark's rules is unchanged.
 */
private[parse] object Backslashes {
  def rewritten(text: String): String =
    if (!text.contains("\\'") || closes(text)) text
    else texts(text).fold(text) { found =>
      Edit.all(
        text,
        found.filter { case (from, until) => endsInOne(text.substring(from + 1, until)) }.map { case (from, _) =>
          Edit(from, from, "R")
        }
      )
    }

  private def closes(text: String) =
    !new Tokens(text).all.exists(word => word.getType == KafkalystLexer.OTHER && word.getText == "'")

  /** A raw string cannot contain a quote. */
  private def endsInOne(inner: String) = inner.endsWith("\\") && !inner.contains('\'')

  /** The positions of the strings if a backslash is an ordinary character; None if a string is not closed. */
  private def texts(text: String): Option[Seq[(Int, Int)]] = {
    val found = Seq.newBuilder[(Int, Int)]
    // The position after the element that begins at i.
    def behind(i: Int): Int = text.charAt(i) match {
      case '\'' =>
        val end = closing(i + 1, '\'')
        found += i -> end
        if (end < 0) end else end + 1
      case quote @ ('"' | '`') => closing(i + 1, quote) + 1
      case '-' if text.startsWith("--", i) => text.indexOf('\n', i) + 1
      case '/' if text.startsWith("/*", i) => text.indexOf("*/", i) + 2
      case _ => i + 1
    }
    def closing(from: Int, quote: Char): Int = text.indexOf(quote, from) match {
      case at if at >= 0 && at + 1 < text.length && text.charAt(at + 1) == quote => closing(at + 2, quote)
      case at => at
    }
    var at = 0
    while (at < text.length) {
      val next = behind(at)
      // An unclosed element extends to the end of the text.
      at = if (next > at) next else text.length
    }
    Some(found.result()).filter(_.forall(_._2 >= 0))
  }
}
