package io.kafkalyst.parse
package door

import java.util.Locale

import io.kafkalyst.errors.{Clipped, KafkalystException}
import io.kafkalyst.parse.grammar.KafkalystLexer

import scala.annotation.tailrec

/** Spark's scripts, `BEGIN … END`: Spark's parser reads them as a whole, so Kafkalyst's statements cannot be in them. */
private[parse] object ScriptTexts {
  private val maxShown = 120

  /** How often a text is parsed for its statements: without a limit, as often as it has openings. */
  private val maxLooks = 20L

  /** Words after which a statement begins. */
  private val openings = Set("BEGIN", "THEN", "ELSE", "DO", "LOOP", "REPEAT", ";")

  /** Words that begin a part of a script: no statement of Kafkalyst's begins with one. */
  private val parts = openings ++ Set("CASE", "DECLARE", "END", "FOR", "IF", "UNTIL", "WHILE")

  private val harmless = "SELECT 1"

  /**
   * STATEMENT_IN_SCRIPT for a rejected script; None if it has no statement of Kafkalyst's, or has another fault.
   *
   * @param isOurs  whether a statement that Spark rejects is Kafkalyst's
   * @param accepts whether Spark accepts a text
   */
  def refusal(text: String, isOurs: String => Boolean, accepts: String => Boolean): Option[KafkalystException] = {
    val words = new Tokens(text).all
    def upper(i: Int) = words(i).getText.toUpperCase(Locale.ROOT)
    val isScript = words.indices.take(3).exists(upper(_) == "BEGIN")
    // The positions of Kafkalyst's statements in the text.
    @tailrec
    def ours(from: Int, found: Vector[(Int, Int)], left: Long): Vector[(Int, Int)] = {
      val at = words.indices.drop(from).find(i => i > 0 && openings(upper(i - 1)) && !parts(upper(i)))
      val end = at.map(words.indexWhere(_.getType == KafkalystLexer.SEMICOLON, _)).filter(_ >= 0)
      (at, end) match {
        case (Some(first), Some(last)) if left > 0 =>
          val place = words(first).getStartIndex -> words(last).getStartIndex
          val statement = text.substring(place._1, place._2)
          val isFound = !accepts(statement) && isOurs(statement)
          val next = if (isFound) last else first + 1
          ours(next, if (isFound) found :+ place else found, left - statement.length)
        case _ => found
      }
    }
    val found = if (isScript) ours(0, Vector.empty, maxLooks * text.length) else Vector.empty
    val rest = found.foldRight(text) { case ((from, until), all) => all.patch(from, harmless, until - from) }
    found.headOption.filter(_ => accepts(rest)).map { case (from, until) =>
      KafkalystException("STATEMENT_IN_SCRIPT", "statement" -> Clipped(text.substring(from, until).trim, maxShown))
    }
  }
}
