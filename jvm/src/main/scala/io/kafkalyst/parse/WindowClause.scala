package io.kafkalyst.parse

import java.util.Locale

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.Durations
import io.kafkalyst.parse.grammar.KafkalystLexer._
import io.kafkalyst.streams.GroupWindow
import org.antlr.v4.runtime.Token

/**
 * ksqlDB's WINDOW clause and its position in the text.
 *
 * @param window the parsed window
 * @param from   the position of WINDOW among the words
 * @param until  the position after the clause
 * @param at     line and column, as message parameters
 */
private[kafkalyst] final case class WindowClause(window: GroupWindow, from: Int, until: Int, at: Seq[(String, String)])

private[kafkalyst] object WindowClause {
  private val kinds = Set("TUMBLING", "HOPPING", "SESSION")

  /**
   * The clause of a query outside of parentheses; None if it has none. A window may have a name before its kind; in
   * Spark's own WINDOW clause, AS follows the name.
   *
   * @throws io.kafkalyst.errors.KafkalystException WINDOW_CLAUSE if it is malformed
   */
  def find(words: Seq[Token]): Option[WindowClause] = {
    val depths = words.scanLeft(0) { (depth, word) =>
      if (word.getType == LPAREN) depth + 1 else if (word.getType == RPAREN) depth - 1 else depth
    }
    def isKind(i: Int) = i + 1 < words.size && words(i + 1).getType == LPAREN &&
      kinds(words(i).getText.toUpperCase(Locale.ROOT))
    (for {
      from <- words.indices.iterator if depths(from) == 0 && is(words, from, "WINDOW")
      kind <- Seq(from + 1, from + 2).find(isKind)
    } yield (from, kind)).nextOption().map { case (from, kind) =>
      val close = (kind + 2 until words.size).find(i => words(i).getType == RPAREN).getOrElse(words.size)
      val at = Seq(
        "line" -> words(from).getLine.toString,
        "column_at" -> (words(from).getCharPositionInLine + 1).toString
      )
      val parts = split(words.slice(kind + 2, close))
      WindowClause(read(words(kind).getText.toUpperCase(Locale.ROOT), parts, at), from, close + 1, at)
    }
  }

  private def is(words: Seq[Token], i: Int, text: String) = i < words.size && words(i).getText.equalsIgnoreCase(text)

  private def split(words: Seq[Token]): Seq[String] = {
    val commas = words.indices.filter(words(_).getType == COMMA)
    (-1 +: commas).zip(commas :+ words.size).map { case (a, b) =>
      words.slice(a + 1, b).map(_.getText.toUpperCase(Locale.ROOT)).mkString(" ")
    }
  }

  private def read(kind: String, parts: Seq[String], at: Seq[(String, String)]): GroupWindow = {
    def refuse(reason: String): Nothing = throw KafkalystException("WINDOW_CLAUSE", at :+ ("reason" -> reason): _*)
    def millis(text: String): Long = Durations.millis(text).getOrElse(refuse(s""""$text" is no number with a unit"""))
    val names = Seq("SIZE", "ADVANCE BY", "RETENTION", "GRACE PERIOD")
    val given = parts.map { part =>
      names.find(n => part.startsWith(n + " ")).map(n => n -> millis(part.stripPrefix(n).trim))
        .getOrElse((if (kind == "SESSION") "SIZE" else refuse(s""""$part" is not known here""")) -> millis(part))
    }
    given.map(_._1).diff(names.filter(n => given.exists(_._1 == n))).headOption.foreach(n =>
      refuse(s"$n is given twice")
    )
    val spans = given.toMap
    val size = spans.getOrElse("SIZE", refuse("SIZE is missing"))
    val advance = spans.get("ADVANCE BY")
    if (kind == "HOPPING" && advance.isEmpty) refuse("ADVANCE BY is missing")
    if (kind != "HOPPING" && advance.isDefined) refuse(s"ADVANCE BY is no part of $kind windows")
    if (size <= 0 || advance.exists(_ <= 0)) refuse("a window's size and advance must be above 0")
    if (advance.exists(_ > size)) refuse("windows that advance by more than their size would leave rows out")
    val grace = spans.get("GRACE PERIOD")
    spans.get("RETENTION").filter(_ < size + grace.getOrElse(0L)).foreach { _ =>
      refuse("RETENTION must be at least the window's size and its grace period")
    }
    GroupWindow(kind, size, advance.getOrElse(size), grace)
  }
}
