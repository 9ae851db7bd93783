package io.kafkalyst.parse

import io.kafkalyst.parse.grammar.KafkalystLexer.SEMICOLON

/** Scripts of statements between semicolons. */
private[parse] object Scripts {

  /** The statements of a script with the lines, from 1, that they begin at. */
  def split(script: String): Seq[(Int, String)] = {
    val words = new Tokens(script).all
    val ends = words.indices.filter(words(_).getType == SEMICOLON) :+ words.size
    (-1 +: ends).zip(ends).collect {
      case (before, end) if end - before > 1 =>
        (words(before + 1).getLine, script.substring(words(before + 1).getStartIndex, words(end - 1).getStopIndex + 1))
    }
  }
}
