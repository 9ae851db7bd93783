package io.kafkalyst.parse
package quotes

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.parse.grammar.KafkalystLexer

/** Quotes as text processors make them of `"` and `'`, outside texts and names. */
private[parse] object TypographicQuotes {
  private val plain = "“”„‟«»".map(_ -> "\"").toMap ++ "‘’‚‛".map(_ -> "'").toMap

  /** TYPOGRAPHIC_QUOTE at the first one. */
  def fault(tokens: Tokens): Option[KafkalystException] =
    tokens.all.find(word => word.getType == KafkalystLexer.OTHER && plain.contains(word.getText.head)).map { word =>
      KafkalystException(
        "TYPOGRAPHIC_QUOTE",
        "line" -> word.getLine.toString,
        "column" -> (word.getCharPositionInLine + 1).toString,
        "found" -> word.getText,
        "plain" -> plain(word.getText.head)
      )
    }
}
