package io.kafkalyst.parse

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.joins.{JoinWindow, PlacedWindow}
import io.kafkalyst.model.Durations
import io.kafkalyst.parse.grammar.KafkalystLexer._
import org.antlr.v4.runtime.Token

/**
 * ksqlDB's `WITHIN 10 SECONDS` and `WITHIN (1 HOUR, 2 HOURS) GRACE PERIOD 5 MINUTES` after a join's right side.
 *
 * @param from  the position of WITHIN
 * @param until the position after the clause
 */
private[parse] final case class WithinClause(from: Int, until: Int, placed: PlacedWindow)

private[parse] object WithinClause {

  /** @throws io.kafkalyst.errors.KafkalystException WITHIN_CLAUSE if it is malformed */
  def all(words: Seq[Token]): Seq[WithinClause] = words.indices.flatMap { i =>
    def opens = i + 1 < words.size && (words(i + 1).getType == NUMBER ||
      (words(i + 1).getType == LPAREN && i + 2 < words.size && words(i + 2).getType == NUMBER))
    if (!words(i).getText.equalsIgnoreCase("WITHIN") || !opens) None
    else {
      val join = words.lastIndexWhere(_.getText.equalsIgnoreCase("JOIN"), i - 1)
      Option.when(join >= 0)(new Clause(words, i, join).read())
    }
  }

  private final class Clause(words: Seq[Token], from: Int, join: Int) {
    private var at = from + 1

    def read(): WithinClause = {
      val (before, after) =
        if (next(LPAREN)) {
          at += 1
          val first = span()
          if (!next(COMMA)) fail("a comma and the second time are missing")
          at += 1
          val second = span()
          if (!next(RPAREN)) fail("the bracket is not closed")
          at += 1
          (first, second)
        } else {
          val both = span()
          (both, both)
        }
      val grace = if (is(at, "GRACE") && is(at + 1, "PERIOD")) {
        at += 2
        Some(span())
      } else None
      val placed = PlacedWindow(words(join).getStartIndex, words(from).getStartIndex, JoinWindow(before, after, grace))
      WithinClause(from, at, placed)
    }

    private def span(): Long = {
      val text = words.slice(at, at + 2).map(_.getText).mkString(" ")
      val millis = Durations.millis(text).getOrElse(fail(s"`$text` is no time"))
      at += 2
      millis
    }

    private def next(kind: Int) = at < words.size && words(at).getType == kind

    private def is(i: Int, text: String) = i < words.size && words(i).getText.equalsIgnoreCase(text)

    private def fail(reason: String): Nothing = throw KafkalystException(
      "WITHIN_CLAUSE",
      "line" -> words(from).getLine.toString,
      "column_at" -> (words(from).getCharPositionInLine + 1).toString,
      "reason" -> reason
    )
  }
}
