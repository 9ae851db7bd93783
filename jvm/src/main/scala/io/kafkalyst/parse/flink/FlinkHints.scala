package io.kafkalyst.parse
package flink

import java.util.Locale

import io.kafkalyst.parse.grammar.KafkalystLexer
import org.antlr.v4.runtime.Token

/**
 * Rewrites Flink's hint after a table's name, `/*+ OPTIONS('k' = 'v') */`, to Spark's clause `WITH ('k' = 'v')`, padded
 * with blanks to keep all positions. STATE_TTL and LOOKUP configure Flink's own state, so they are removed. Other hints
 * are unchanged.
 */
private[parse] object FlinkHints {
  private val start = "/*+"
  private val end = "*/"
  private val word = "OPTIONS"
  private val theirs = Seq("STATE_TTL", "LOOKUP")

  def rewritten(text: String): String =
    if (!text.contains(start)) text
    else {
      val out = new java.lang.StringBuilder(text)
      comments(text).foreach { comment =>
        val inner = comment.getText.stripPrefix(start).stripSuffix(end)
        val trimmed = inner.trim
        val isTheirs = theirs.exists(hint => trimmed.toUpperCase(Locale.ROOT).matches(s"(?s)$hint\\s*\\(.*\\)"))
        if (isTheirs) out.replace(comment.getStartIndex, comment.getStopIndex + 1, " " * comment.getText.length)
        val isOptions = trimmed.take(word.length).equalsIgnoreCase(word) && trimmed.endsWith(")")
        if (isOptions && trimmed.drop(word.length).trim.startsWith("(")) {
          val behind = inner.indexWhere(!_.isWhitespace) + word.length
          val clause = "WITH".padTo(start.length + behind, ' ') + inner.substring(behind)
          out.replace(comment.getStartIndex, comment.getStopIndex + 1, clause.padTo(comment.getText.length, ' '))
        }
      }
      out.toString
    }

  private def comments(text: String): Seq[Token] = {
    val lexer = new KafkalystLexer(new Utf16Stream(text))
    lexer.removeErrorListeners()
    Iterator.continually(lexer.nextToken()).takeWhile(_.getType != Token.EOF)
      .filter(t => t.getType == KafkalystLexer.BLOCK_COMMENT && t.getText.startsWith(start)).toSeq
  }
}
