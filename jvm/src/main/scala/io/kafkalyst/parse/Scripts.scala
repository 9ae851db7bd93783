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
        (words(before + 1).getLine, script.substring(words(before + 1).getStartIndex, words(end - 1).getStopIndex + 1))
    }
  }
}
