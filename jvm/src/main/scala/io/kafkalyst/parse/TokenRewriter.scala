package io.kafkalyst.parse

import io.kafkalyst.parse.grammar.KafkalystLexer
import org.antlr.v4.runtime.Token

/**
 * Exchanges words of a query that Spark does not know for ones it does, in place and with blanks, so that every
 * position stays the user's.
 *
 * @param text        the text for Spark's parser
 * @param emitChanges whether EMIT CHANGES was cut out: all topics of the query are read without end
 * @param streams     positions of the names that stood behind a cut-out STREAM
 */
final case class RewrittenQuery(text: String, emitChanges: Boolean, streams: Set[Int])

final class TokenRewriter(isTopic: Seq[String] => Boolean, upper: Boolean) {

  /**
   * @param quotes whether `"…"` are names here even where Spark takes them for strings
   */
  def rewrite(text: String, tokens: Tokens, quotes: Boolean): RewrittenQuery = {
    val words = tokens.all
    val out = new java.lang.StringBuilder(text)
    val emit = words.indices.filter(i => is(words, i, KafkalystLexer.EMIT) && is(words, i + 1, KafkalystLexer.CHANGES))
    emit.foreach { i =>
      blank(out, words(i))
      blank(out, words(i + 1))
    }
    val streams = words.indices.filter(isStreamRead(tokens, words, _)).map { i =>
      blank(out, words(i))
      words(i + 1).getStartIndex
    }
    val names = quotes || emit.nonEmpty
    // From the back, as an exchanged name may be of another length when it holds quotes itself.
    words.reverseIterator.foreach { word =>
      if (names && word.getType == KafkalystLexer.QUOTED) {
        out.replace(word.getStartIndex, word.getStopIndex + 1, Names.backquoted(Names.of(word)))
      } else if (upper && Names.isBare(word)) {
        out.replace(word.getStartIndex, word.getStopIndex + 1, word.getText.toUpperCase(java.util.Locale.ROOT))
      }
    }
    RewrittenQuery(out.toString, emit.nonEmpty, streams.toSet)
  }

  /** `FROM STREAM name`: only where a topic of that name exists, as `stream` may be a table with an alias. */
  private def isStreamRead(tokens: Tokens, words: Seq[Token], i: Int): Boolean =
    is(words, i, KafkalystLexer.STREAM) && i > 0 && readsFrom.contains(words(i - 1).getType) &&
      i + 1 < words.size && isName(words(i + 1)) && isTopic(tokens.nameParts(i + 1))

  private val readsFrom = Set(KafkalystLexer.FROM, KafkalystLexer.JOIN, KafkalystLexer.COMMA)

  private def isName(word: Token) = Names.isBare(word) || Names.isQuoted(word)

  private def is(words: Seq[Token], i: Int, kind: Int) = i < words.size && words(i).getType == kind

  private def blank(out: java.lang.StringBuilder, word: Token): Unit =
    (word.getStartIndex to word.getStopIndex).foreach(out.setCharAt(_, ' '))
}
