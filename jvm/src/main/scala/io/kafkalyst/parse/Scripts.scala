package io.kafkalyst.parse

import io.kafkalyst.parse.grammar.KafkalystLexer.SEMICOLON

/** Scripts of statements separated by semicolons. */
private[parse] object Scripts {

  /** The statements of a script, each with its first line, counted from 1. */
  def split(script: String): Seq[(Int, String)] = {
    val words = new Tokens(script).all
    val ends = words.indices.filter(words(_).getType == SEMICOLON) :+ words.size
    (-1 +: ends).zip(ends).collect {
      case (before, end) if end - before > 1 =>
        val last = words(end - 1).getStopIndex + 1
        val until = if (end < words.size) words(end).getStartIndex else script.length
        val stop = last + hint(script.substring(last, until))
        (words(before + 1).getLine, script.substring(words(before + 1).getStartIndex, stop))
    }
  }

  /** The length of what follows a statement's last word, up to the end of a hint; 0 without one. */
  private def hint(behind: String): Int = if (behind.contains("/*+")) behind.lastIndexOf("*/") + 2 else 0
}
