package io.kafkalyst.parse

import java.util.Locale
import java.util.regex.Matcher

import io.kafkalyst.parse.grammar.{KafkalystLexer, QueryLexer}
import org.antlr.v4.runtime.Token

/** The values of name and string tokens. */
object Names {

  /** The name in an identifier token, without quotes; unquoted names keep their case. */
  def of(token: Token): String = token.getType match {
    case KafkalystLexer.QUOTED => unquote(token.getText, '"')
    case KafkalystLexer.BACKQUOTED => unquote(token.getText, '`')
    case _ => token.getText
  }

  /** The name in an identifier token of a Kafkalyst statement; unquoted names fold if `upper` is set. */
  def of(token: Token, upper: Boolean): String =
    if (upper && !isQuoted(token)) token.getText.toUpperCase(Locale.ROOT) else of(token)

  /** The parts of an object's name, as in [[of]]; a leading catalog name keeps its case. */
  def parts(words: Seq[Token], upper: Boolean, isCatalog: String => Boolean): Seq[String] = words match {
    case first +: rest if rest.nonEmpty && isCatalog(of(first)) => of(first) +: rest.map(of(_, upper))
    case _ => words.map(of(_, upper))
  }

  def isQuoted(token: Token): Boolean =
    token.getType == KafkalystLexer.QUOTED || token.getType == KafkalystLexer.BACKQUOTED

  /** Whether the word is valid as an unquoted name: an identifier or a keyword. */
  def isBare(token: Token): Boolean = token.getType match {
    case KafkalystLexer.IDENTIFIER => true
    case kind => (kind >= KafkalystLexer.ADD && kind <= KafkalystLexer.WITH) ||
      (kind >= QueryLexer.BY && kind <= QueryLexer.WITHIN)
  }

  /** The value of a string token; escapes in raw strings (`R'…'`) are not interpreted. */
  def string(token: Token): String = {
    val text = token.getText
    if (text.startsWith("U&") || text.startsWith("u&")) unicode(unquote(text.drop(2), '\''))
    else if (text.charAt(0) == 'R' || text.charAt(0) == 'r') text.substring(2, text.length - 1)
    else unquote(text, '\'')
  }

  private val escape = "\\\\(?:(\\\\)|\\+([0-9a-fA-F]{6})|([0-9a-fA-F]{4}))".r

  /** Decodes the escapes of `U&'\\0001'`. */
  private def unicode(text: String): String = escape.replaceAllIn(
    text,
    found => {
      val code = Option(found.group(2)).orElse(Option(found.group(3)))
      Matcher.quoteReplacement(code.fold("\\")(c => new String(Character.toChars(Integer.parseInt(c, 16)))))
    }
  )

  private def unquote(text: String, quote: Char): String =
    text.substring(1, text.length - 1).replace(s"$quote$quote", quote.toString)
}
