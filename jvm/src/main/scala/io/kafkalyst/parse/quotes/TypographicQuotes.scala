package io.kafkalyst.parse
package quotes

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.parse.grammar.KafkalystLexer
import org.antlr.v4.runtime.Token

/** Typographic quotes, as word processors make them from `"` and `'`, outside of strings and names. */
private[parse] object TypographicQuotes {
  private val plain = "“”„‟«»".map(_ -> "\"").toMap ++ "‘’‚‛".map(_ -> "'").toMap

  /** The text with plain quotes. */
  def straight(text: String, tokens: Tokens): String =
    Edit.all(text, tokens.all.filter(isOne).map(word => Edit.instead(word, plain(word.getText.head))))

  private def isOne(word: Token) = word.getType == KafkalystLexer.OTHER && plain.contains(word.getText.head)

  /** TYPOGRAPHIC_QUOTE at the first typographic quote; None if there is none. */
  def fault(tokens: Tokens): Option[KafkalystException] =
    tokens.all.find(isOne).map { word =>
      KafkalystException(
        "TYPOGRAPHIC_QUOTE",
        "line" -> word.getLine.toString,
        "column" -> (word.getCharPositionInLine + 1).toString,
        "found" -> word.getText,
        "plain" -> plain(word.getText.head)
      )
    }
}
