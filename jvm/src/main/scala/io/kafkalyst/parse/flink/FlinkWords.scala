package io.kafkalyst.parse
package flink

import io.kafkalyst.parse.TokenRewriter.{instead, Edit}
import io.kafkalyst.parse.grammar.KafkalystLexer._
import org.antlr.v4.runtime.Token

/**
 * Translates expressions of Flink's queries to Spark: `ROW(…)`, `MAP[k, v]`, `TO_TIMESTAMP_LTZ(n, 3)`, `TIMESTAMP(3)`.
 */
private[parse] object FlinkWords {
  private val calls = "(?i)\\b(TO_TIMESTAMP_LTZ|ROW)\\s*\\(".r

  // Spark has a separate function for each precision in the second argument.
  private val instants = Map("0" -> "timestamp_seconds", "3" -> "timestamp_millis")
  private val types = Map("TIMESTAMP" -> "TIMESTAMP_NTZ", "TIMESTAMP_LTZ" -> "TIMESTAMP")

  /** Whether a text that Spark accepts may contain such expressions. */
  def isIn(text: String): Boolean =
    (Mentions(text, "row") || Mentions(text, "to_timestamp_ltz")) && calls.findFirstIn(text).isDefined

  def apply(words: IndexedSeq[Token]): Seq[Edit] = words.indices.flatMap { i =>
    def is(at: Int, kind: Int) = at >= 0 && at < words.size && words(at).getType == kind
    def text(at: Int) = words(at).getText.toUpperCase
    text(i) match {
      case "TO_TIMESTAMP_LTZ" if is(i + 1, LPAREN) => instant(words, i)
      case "ROW" if is(i + 1, LPAREN) && !is(i - 1, AS) && !is(i - 1, DOT) => Seq(instead(words(i), "struct"))
      case "MAP" if i + 1 < words.size && text(i + 1) == "[" =>
        val (close, commas) = within(words, i + 1)
        if (commas.isEmpty) Nil else Seq(instead(words(i + 1), "("), instead(words(close), ")"))
      case name
          if types.contains(name) && is(i - 1, AS) && is(i + 1, LPAREN) && is(i + 2, NUMBER) && is(i + 3, RPAREN) =>
        Seq(Edit(words(i).getStartIndex, words(i + 2).getStopIndex + 1, types(name)), instead(words(i + 3), ""))
      case _ => Nil
    }
  }

  private def instant(words: IndexedSeq[Token], i: Int): Seq[Edit] = {
    val (close, commas) = within(words, i + 1)
    commas match {
      case Seq(comma) if comma + 2 == close && instants.contains(words(comma + 1).getText) =>
        val name = instants(words(comma + 1).getText)
        Seq(instead(words(i), name), Edit(words(comma).getStartIndex, words(comma + 1).getStopIndex + 1, ""))
      case _ => Nil
    }
  }

  /** The position of the closing bracket, and those of the commas directly inside. */
  private def within(words: IndexedSeq[Token], open: Int): (Int, Seq[Int]) = {
    var depth = 0
    val commas = Seq.newBuilder[Int]
    val close = (open until words.size).find { i =>
      if (Set("(", "[")(words(i).getText)) depth += 1
      else if (Set(")", "]")(words(i).getText)) depth -= 1
      else if (depth == 1 && words(i).getType == COMMA) commas += i
      depth == 0
    }
    close.fold((words.size - 1, Seq.empty[Int]))((_, commas.result()))
  }
}
