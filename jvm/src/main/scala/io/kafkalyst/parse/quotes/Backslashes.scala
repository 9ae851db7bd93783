package io.kafkalyst.parse
package quotes

import io.kafkalyst.parse.grammar.KafkalystLexer

/**
 * ksqlDB's texts that end in a backslash, `'C:\'`, as raw ones of Spark's, `R'C:\'`: in Spark's other texts the backslash
 * would take the quote with it. A text whose quotes close in Spark's way is left as it is.
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

  /** A quote within has no place in a raw text. */
  private def endsInOne(inner: String) = inner.endsWith("\\") && !inner.contains('\'')

  /** Where texts begin and end, when a backslash is a character like all others; None where one does not end. */
  private def texts(text: String): Option[Seq[(Int, Int)]] = {
    val found = Seq.newBuilder[(Int, Int)]
    // The place behind what begins at i.
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
      // What never ends goes on to the text's end.
      at = if (next > at) next else text.length
    }
    Some(found.result()).filter(_.forall(_._2 >= 0))
  }
}
