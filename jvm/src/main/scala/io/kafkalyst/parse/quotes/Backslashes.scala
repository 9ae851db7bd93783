package io.kafkalyst.parse
package quotes

import io.kafkalyst.parse.grammar.KafkalystLexer
import org.antlr.v4.runtime.Token

/**
 * Texts in which a backslash is an ordinary character, as in ksqlDB and Flink: `'C:\'`. In Spark the backslash would
 * escape the closing quote, so they become Spark's raw strings, `R'C:\'`. A statement that is whole by Spark's rules is
 * unchanged.
 */
private[parse] object Backslashes {
  def rewritten(text: String): String =
    if (!mayHide(text) || isWhole(new Tokens(text).all)) text
    else {
      val strings = new Tokens(ordinary(text)).all.filter { w =>
        w.getType == KafkalystLexer.STRING && w.getText.startsWith("'")
      }
      val edits = strings.flatMap(w => raw(text.substring(w.getStartIndex + 1, w.getStopIndex)).map(Edit.instead(w, _)))
      val meant = Edit.all(text, edits)
      if (isWhole(new Tokens(meant).all)) meant else text
    }

  /** Whether a backslash is before a quote, which it may hide. */
  def mayHide(text: String): Boolean = text.contains("\\'")

  /** The text with an ordinary character for each backslash, so that all words keep their positions. */
  def ordinary(text: String): String = text.replace('\\', '\u0001')

  /** Whether all quotes and parentheses of a statement are closed, and its block if there are semicolons in it. */
  def isWhole(words: Seq[Token]): Boolean = {
    val inner = words.reverseIterator.dropWhile(_.getType == KafkalystLexer.SEMICOLON).toSeq
    val depths = words.scanLeft(0) { (depth, word) =>
      if (word.getType == KafkalystLexer.LPAREN) depth + 1
      else if (word.getType == KafkalystLexer.RPAREN) depth - 1
      else depth
    }
    depths.last == 0 && depths.forall(_ >= 0) &&
    // A label may follow END.
    (!inner.exists(_.getType == KafkalystLexer.SEMICOLON) || inner.take(2).exists(_.getText.equalsIgnoreCase("END"))) &&
    !words.exists(isBroken)
  }

  /** A quote that is not closed, or a backslash outside of quotes: no statement has such a word. */
  def isBroken(word: Token): Boolean = word.getType == KafkalystLexer.OTHER && broken(word.getText)

  private val broken = Set("'", "\"", "`", "\\")

  /** A string with a backslash as a raw string, which cannot contain its own quote. */
  private def raw(inner: String): Option[String] =
    if (!inner.contains('\\')) None
    else if (!inner.contains('\'')) Some(s"R'$inner'")
    else if (!inner.contains('"')) Some("R\"" + inner.replace("''", "'") + "\"")
    else None
}
