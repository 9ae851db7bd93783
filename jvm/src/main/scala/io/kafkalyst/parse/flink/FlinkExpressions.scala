package io.kafkalyst.parse
package flink

import java.util.Locale

import io.kafkalyst.parse.grammar.KafkalystLexer
import org.antlr.v4.runtime.Token

/**
 * Translates Flink's expressions in computed columns to Spark: string literals, in which a backslash is an ordinary
 * character, types in casts, and time functions with other names.
 */
private[parse] object FlinkExpressions {
  private val now = Map("PROCTIME" -> "now", "CURRENT_ROW_TIMESTAMP" -> "now")

  def spelled(written: String): String = {
    val text = FlinkClauses.rewritten(texts(written))
    val tokens = new Tokens(text)
    val words = tokens.all
    val edits = words.indices.flatMap { i =>
      val isCall = tokens.kind(i + 1) == KafkalystLexer.LPAREN
      val constant = if (isCall) None else FlinkWords.constants.get(words(i).getText.toUpperCase(Locale.ROOT))
      if (constant.isDefined) Seq(Edit.instead(words(i), constant.get))
      else words(i).getText.toUpperCase(Locale.ROOT) match {
        case name if isCall && now.contains(name) => Seq(Edit.instead(words(i), now(name)))
        case "ROW" if isCall => Seq(Edit.instead(words(i), "struct"))
        case "ARRAY" | "MAP" if isWord(words, i + 1, "[") => constructor(words, i + 1)
        // Flink's has no time zone.
        case "TO_TIMESTAMP" if isCall => Seq(Edit.instead(words(i), "to_timestamp_ntz"))
        case "TO_TIMESTAMP_LTZ" if isCall => instant(words, i, tokens.afterParentheses(i + 1) - 1)
        case "CAST" | "TRY_CAST" if isCall => FlinkTypes.cast(text, tokens, i)
        case _ => Nil
      }
    }
    Edit.inTurn(text, edits)
  }

  /** The expression with Spark's raw strings, which Flink lacks, as `U&'…'`. */
  def withoutRaw(written: String): String = Edit.all(
    written,
    new Tokens(written).all.filter(w => w.getType == KafkalystLexer.STRING && "Rr".contains(w.getText.head)).map { w =>
      Edit.instead(w, s"U&'${Names.string(w).replace("\\", "\\\\").replace("'", "''")}'")
    }
  )

  private def texts(written: String): String = Edit.all(written, new Tokens(written).all.flatMap(text))

  private def text(word: Token): Option[Edit] =
    if (word.getType != KafkalystLexer.STRING || !word.getText.toUpperCase(Locale.ROOT).startsWith("U&"))
      KsqlWords.string(word)
    else {
      val characters = Names.string(word).replace("\\", "\\\\").replace("'", "\\'")
      Some(Edit.instead(word, s"'$characters'"))
    }

  private def isWord(words: Seq[Token], i: Int, text: String) = words.lift(i).exists(_.getText == text)

  /** The brackets of `ARRAY[…]` as parentheses. */
  private def constructor(words: Seq[Token], open: Int): Seq[Edit] = {
    var depth = 0
    val close = words.indices.drop(open).find { i =>
      if (isWord(words, i, "[")) depth += 1
      if (isWord(words, i, "]")) depth -= 1
      depth == 0
    }
    close.toSeq.flatMap(i => Seq(Edit.instead(words(open), "("), Edit.instead(words(i), ")")))
  }

  private def instant(words: IndexedSeq[Token], at: Int, close: Int): Seq[Edit] = {
    val commas = Parentheses.top(words, at, close).filter(words(_).getType == KafkalystLexer.COMMA)
    val unit = commas.find(_ == close - 2).flatMap(_ => FlinkWords.instants.get(words(close - 1).getText))
    def named(name: String) = Edit.instead(words(at), name)
    (commas.size, unit) match {
      case (2, _) => Seq(named("to_timestamp_of_zone"))
      case (1, Some(name)) => Seq(named(name), Edit.instead(words(close - 2), words(close - 1), ""))
      case (0 | 1, _) => Seq(named("to_timestamp_of_utc"))
      case _ => Nil
    }
  }
}
