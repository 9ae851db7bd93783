package io.kafkalyst.parse

import io.kafkalyst.parse.TokenRewriter.{instead, Edit}
import io.kafkalyst.parse.grammar.KafkalystLexer
import org.antlr.v4.runtime.Token

/** Words of a continuous query that Spark's grammar would interpret differently. */
private[parse] object KsqlWords {

  private val withUnit = Set("TIMESTAMPADD", "TIMESTAMPSUB", "DATEADD", "DATESUB", "TIMEADD", "TIMESUB")

  // Spark's grammar has special rules for these; quoted, they are ordinary functions.
  private val withGrammar = withUnit ++ Set("SUBSTRING", "SUBSTR", "TRIM", "CEIL", "FLOOR")

  def apply(words: Seq[Token]): Seq[Edit] = words.indices.flatMap { i =>
    val word = words(i)
    def calls(names: Set[String]) = i + 1 < words.size && words(i + 1).getType == KafkalystLexer.LPAREN &&
      names(word.getText.toUpperCase)
    if (word.getType == KafkalystLexer.STRING) string(word)
    else if (calls(withGrammar)) {
      val unit = if (calls(withUnit) && i + 2 < words.size && Names.isBare(words(i + 2)))
        Seq(instead(words(i + 2), s"'${words(i + 2).getText}'"))
      else Nil
      instead(word, s"`${word.getText.toLowerCase}`") +: unit
    } else Nil
  }

  /** The texts alone, of statements whose other expressions are Spark's. */
  def strings(words: Seq[Token]): Seq[Edit] = words.filter(_.getType == KafkalystLexer.STRING).flatMap(string)

  /** A backslash is a character like all others; a quote is doubled, which Spark 4.0 takes for two strings. */
  private def string(word: Token): Seq[Edit] = {
    val text = word.getText
    if (!text.startsWith("'")) Nil
    else {
      val inner = text.substring(1, text.length - 1)
      val escaped = inner.replace("\\", "\\\\").replace("''", "\\'")
      if (escaped == inner) Nil else Seq(instead(word, s"'$escaped'"))
    }
  }
}

/** Types in `CAST(x AS type)` that have another name in Spark. */
private[parse] object CastTypes {

  /** The position after the type that begins at i; None if no bracket closes it, so that it is not a CAST. */
  def extent(words: Seq[Token], i: Int): Option[Int] = {
    var depth = 0
    (i until words.size).find { at =>
      words(at).getType match {
        case KafkalystLexer.LPAREN => depth += 1
        case KafkalystLexer.RPAREN => depth -= 1
        case _ =>
      }
      depth < 0
    }.filter(until => isCast(words, i))
  }

  /** Whether the parenthesis around the AS before i belongs to a CAST. */
  private def isCast(words: Seq[Token], i: Int): Boolean = {
    var depth = 0
    (i - 1 to 1 by -1).find { at =>
      words(at).getType match {
        case KafkalystLexer.RPAREN => depth += 1
        case KafkalystLexer.LPAREN => depth -= 1
        case _ =>
      }
      depth < 0
    }.exists(at => Set("CAST", "TRY_CAST")(words(at - 1).getText.toUpperCase))
  }

  def spelled(words: Seq[Token], at: Int, until: Int, named: String => Option[String]): Option[String] = {
    val isField = at + 1 < until && Names.isBare(words(at + 1))
    val hasLength = at + 1 < words.size && words(at + 1).getType == KafkalystLexer.LPAREN
    words(at).getText.toUpperCase match {
      case _ if isField => None
      case "VARCHAR" if !hasLength => Some("STRING ")
      case "BYTES" => Some("BINARY")
      case other if Names.isBare(words(at)) => named(other)
      case _ => None
    }
  }
}
