package io.kafkalyst.parse
package flink

import io.kafkalyst.analyze.tables.VersionsOf
import io.kafkalyst.parse.grammar.KafkalystLexer._
import org.antlr.v4.runtime.Token

/**
 * Rewrites `JOIN rates FOR SYSTEM_TIME AS OF o.time AS r` to an option of the relation, because Spark's own clause
 * takes only constants; see [[VersionsOf]].
 */
private[flink] object FlinkVersions {
  private val words = Seq("FOR", "SYSTEM_TIME", "AS", "OF")

  def areIn(text: String): Boolean = Mentions(text, "system_time")

  /** The edits for the word FOR at i; empty if a constant time follows, which Spark supports. */
  def edits(text: String, tokens: Tokens, i: Int): Seq[Edit] = {
    val isClause = words.indices.forall(k => tokens.kind(i + k) != Token.EOF && is(tokens, i + k, words(k)))
    val from = i + words.size
    if (!isClause || !isName(tokens, from)) Nil
    else {
      val end = tokens.afterName(from)
      val isCall = tokens.kind(end) == LPAREN
      val last = if (isCall) tokens.afterParentheses(end) else end
      val time = text.substring(tokens(from).getStartIndex, tokens(last - 1).getStopIndex + 1)
      if (tokens.kind(end) == STRING || isCall && !is(tokens, from, "PROCTIME")) Nil
      else {
        val option = s"'${VersionsOf.option}' = '${if (isCall) "" else time.replace("'", "''")}'"
        // A relation has only one list of options, so the option is added to the hint's.
        if (tokens.kind(i - 1) == RPAREN)
          Seq(Edit.instead(tokens(i - 1), s", $option)"), Edit.instead(tokens(i), tokens(last - 1), ""))
        else Seq(Edit.instead(tokens(i), tokens(last - 1), s"WITH ($option)"))
      }
    }
  }

  private def is(tokens: Tokens, i: Int, word: String) = tokens(i).getText.equalsIgnoreCase(word)

  private def isName(tokens: Tokens, i: Int) = tokens.kind(i) == IDENTIFIER || tokens.kind(i) == BACKQUOTED
}
