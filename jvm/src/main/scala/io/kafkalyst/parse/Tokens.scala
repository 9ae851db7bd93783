package io.kafkalyst.parse

import java.util.Locale

import io.kafkalyst.parse.grammar.KafkalystLexer
import org.antlr.v4.runtime.Token

import scala.collection.mutable.ArrayBuffer

/** A statement's words, lexed on demand: the first two words identify most statements. */
final class Tokens(text: String) {
  private val lexer = new KafkalystLexer(new Utf16Stream(text))
  lexer.removeErrorListeners()
  private val read = ArrayBuffer.empty[Token]
  private var ended = false

  /** The i-th word; null past the end. */
  def apply(i: Int): Token = {
    while (!ended && read.size <= i) {
      val token = lexer.nextToken()
      if (token.getType == Token.EOF) ended = true
      else if (token.getChannel == Token.DEFAULT_CHANNEL) read += token
    }
    if (i < read.size) read(i) else null
  }

  /** The type of the i-th word; EOF past the end. */
  def kind(i: Int): Int = Option(apply(i)).fold(Token.EOF)(_.getType)

  /** All words, with constant-time access by index, because scanners look at neighbours. */
  def all: IndexedSeq[Token] = {
    apply(Int.MaxValue - 1)
    read.toVector
  }

  /** The kind of the statement, for messages: `CREATE TEMPORARY VIEW`, `CACHE TABLE`. */
  def statement: String = {
    val words = all.take(5).map(_.getText.toUpperCase(Locale.ROOT))
    words.take(words.indexWhere(Set("VIEW", "TABLE")).max(0) + 1).mkString(" ")
  }

  /** The text with its comments blanked, so that words keep their positions; hints stay. */
  def withoutComments: String =
    if (!text.contains("--") && !text.contains("/*")) text
    else {
      val comments = new KafkalystLexer(new Utf16Stream(text))
      comments.removeErrorListeners()
      val out = new java.lang.StringBuilder(text)
      Iterator.continually(comments.nextToken()).takeWhile(_.getType != Token.EOF).filter { t =>
        t.getType == KafkalystLexer.LINE_COMMENT ||
        t.getType == KafkalystLexer.BLOCK_COMMENT && !t.getText.startsWith("/*+")
      }.foreach { t =>
        out.replace(t.getStartIndex, t.getStopIndex + 1, t.getText.map(c => if (c == '\n' || c == '\r') c else ' '))
      }
      out.toString
    }

  /** The text between two positions in it. */
  def textOf(from: Int, until: Int): String = text.substring(from, until)

  /** The position after the dotted name that begins at i. */
  def afterName(i: Int): Int = if (kind(i + 1) == KafkalystLexer.DOT) afterName(i + 2) else i + 1

  /** The position after the parentheses that open at i; the end if they are never closed. */
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

  /** The words of the name that begins at i, see [[Names.parts]]. */
  def name(i: Int): Seq[Token] = (i until afterName(i) by 2).map(apply)
}
