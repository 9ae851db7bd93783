package io.kafkalyst.parse

import io.kafkalyst.parse.grammar.KafkalystLexer.SEMICOLON
import org.antlr.v4.runtime.Token

/** Scripts of statements separated by semicolons. */
private[parse] object Scripts {

  /** The statements of a script, each with its first line, counted from 1. */
  def split(script: String): Seq[(Int, String)] = {
    val words = new Tokens(script).all
    val sets = words.indices.filter(beginsSet(words, _))
    val ends = words.indices.filter(i => words(i).getType == SEMICOLON && !isWithin(words, sets, i)) :+ words.size
    (-1 +: ends).zip(ends).collect {
      case (before, end) if end - before > 1 =>
        val last = words(end - 1).getStopIndex + 1
        val until = if (end < words.size) words(end).getStartIndex else script.length
        val stop = last + hint(script.substring(last, until))
        (words(before + 1).getLine, script.substring(words(before + 1).getStartIndex, stop))
    }
  }

  private def is(words: Seq[Token], i: Int, word: String) = words.lift(i).exists(_.getText.equalsIgnoreCase(word))

  /** Whether Flink's statement set begins there. */
  private def beginsSet(words: Seq[Token], i: Int) =
    is(words, i + 1, "STATEMENT") && is(words, i + 2, "SET") && (is(words, i, "EXECUTE") || is(words, i, "BEGIN"))

  /** Whether a semicolon is within a statement set, which ends with END. */
  private def isWithin(words: Seq[Token], sets: Seq[Int], semicolon: Int): Boolean =
    sets.filter(_ < semicolon).lastOption.exists { begun =>
      !(begun until semicolon).exists { i =>
        is(words, i, "END") && is(words, i + 1, ";") && (is(words, i - 1, ";") || is(words, i - 1, "BEGIN"))
      }
    }

  /** The length of what follows a statement's last word, up to the end of a hint; 0 without one. */
  private def hint(behind: String): Int = if (behind.contains("/*+")) behind.lastIndexOf("*/") + 2 else 0
}
