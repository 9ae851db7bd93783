package io.kafkalyst.parse

import java.util.Locale

import io.kafkalyst.parse.Edit.instead
import io.kafkalyst.parse.grammar.KafkalystLexer
import org.antlr.v4.runtime.Token

/** Words of a continuous query that Spark's grammar would interpret differently. */
private[parse] object KsqlWords {

  val withUnit: Set[String] = Set("TIMESTAMPADD", "TIMESTAMPSUB", "DATEADD", "DATESUB", "TIMEADD", "TIMESUB")

  // Spark's grammar has special rules for these; quoted, they are ordinary functions.
  private val withGrammar = withUnit ++ Set("SUBSTRING", "SUBSTR", "TRIM", "CEIL", "FLOOR")

  /** @param argument the first word in the function's parentheses */
  def call(function: Token, argument: Option[Token]): Seq[Edit] = {
    val name = function.getText.toUpperCase(Locale.ROOT)
    if (!withGrammar(name)) Nil
    else {
      val unit = argument.filter(word => withUnit(name) && Names.isBare(word))
      instead(function, s"`${function.getText.toLowerCase(Locale.ROOT)}`") +: unit.map(u =>
        instead(u, s"'${u.getText}'")
      ).toSeq
    }
  }

  /**
   * A string literal of ksqlDB or Flink. A backslash is an ordinary character, and a quote is doubled, which Spark 4.0
   * would read as two strings.
   */
  def string(word: Token): Option[Edit] =
    if (word.getType != KafkalystLexer.STRING || !word.getText.startsWith("'")) None
    else {
      val text = word.getText
      val inner = text.substring(1, text.length - 1)
      val escaped = inner.replace("\\", "\\\\").replace("''", "\\'")
      if (escaped == inner) None else Some(instead(word, s"'$escaped'"))
    }
}
