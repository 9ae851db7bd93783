package io.kafkalyst.parse

import io.kafkalyst.parse.grammar.KafkalystLexer
import org.antlr.v4.runtime.Token

import scala.collection.mutable.ArrayBuffer

/** A statement's words, read as far as somebody asks: most statements show by their first two whose they are. */
final class Tokens(text: String) {
  private val lexer = new KafkalystLexer(new Utf16Stream(text))
  lexer.removeErrorListeners()
  private val read = ArrayBuffer.empty[Token]
  private var ended = false

  /** The i-th word; null behind the last. */
  def apply(i: Int): Token = {
    while (!ended && read.size <= i) {
      val token = lexer.nextToken()
      if (token.getType == Token.EOF) ended = true
      else if (token.getChannel == Token.DEFAULT_CHANNEL) read += token
    }
    if (i < read.size) read(i) else null
  }

  /** Its type; EOF behind the last. */
  def kind(i: Int): Int = Option(apply(i)).fold(Token.EOF)(_.getType)

  /** All words, by index in constant time: scanners look at neighbours. */
  def all: IndexedSeq[Token] = {
    apply(Int.MaxValue - 1)
    read.toVector
  }

  /** The place behind a name of parts and dots that begins at i. */
  def afterName(i: Int): Int = if (kind(i + 1) == KafkalystLexer.DOT) afterName(i + 2) else i + 1

  /** The place behind the brackets that open at i; the end where they never close. */
  def afterParentheses(i: Int): Int = {
    var depth = 0
    var at = i
    do {
      kind(at) match {
        case KafkalystLexer.LPAREN => depth += 1
        case KafkalystLexer.RPAREN => depth -= 1
        case Token.EOF => return at
        case _ =>
      }
      at += 1
    } while (depth > 0)
    at
  }

  /** The name's parts from i up to its end. */
  def nameParts(i: Int): Seq[String] = (i until afterName(i) by 2).map(at => Names.of(apply(at)))
}
