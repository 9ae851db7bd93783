package io.kafkalyst.parse

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.parse.grammar.KafkalystParser
import org.antlr.v4.runtime.{BaseErrorListener, Parser, RecognitionException, Recognizer, Token}

import scala.jdk.CollectionConverters._

/** Converts the first syntax error to a named condition with line, column, caret and the expected words. */
final class SyntaxErrors(text: String) extends BaseErrorListener {

  /** The word that did not match; null before the first error. */
  var offending: Token = _

  override def syntaxError(
      recognizer: Recognizer[_, _],
      symbol: Any,
      line: Int,
      column: Int,
      message: String,
      cause: RecognitionException
  ): Unit = {
    offending = symbol.asInstanceOf[Token] // null only for lexer errors, which cannot occur
    val expected = recognizer match {
      case parser: Parser =>
        val tokens = Option(cause).flatMap(c => Option(c.getExpectedTokens)).getOrElse(parser.getExpectedTokens)
        // DIGIT_NAME is another form of numbers and names, so it is not listed.
        tokens.toSet.asScala.toSeq.filter(_ != KafkalystParser.DIGIT_NAME).map(t =>
          SyntaxErrors.word(t)
        ).distinct.sorted
      case _ => Nil
    }
    throw SyntaxErrors.at(text, offending, expected)
  }
}

object SyntaxErrors {
  private val shown = 12
  private val dashed = """[\p{L}0-9_][\p{L}0-9_.]*(?:-[\p{L}0-9_.]+)+""".r

  /** SYNTAX_ERROR at a word of the text, or at its end. */
  def at(text: String, word: Token, expected: Seq[String]): KafkalystException = {
    val (line, column) = (word.getLine, word.getCharPositionInLine)
    val found = if (word.getType == Token.EOF) "the end of the statement" else s""""${word.getText}""""
    // Nearly every word is also a name; if that many are valid, "a name" is clearer.
    val words = (if (expected.size > shown) expected.filterNot(names.contains) else expected).distinct
    val whole = text.linesIterator.drop(line - 1).nextOption().getOrElse("")
    val all = if (words.isEmpty) "something else" else words.take(shown).mkString(", ")
    val dashes = if (word.getText == "-") dashed.findAllMatchIn(whole) else Iterator.empty
    val hint = dashes.find(m => m.start < column && m.end > column).fold("") { name =>
      // Dots separate the parts of a name, so each part has its own quotes.
      val parts = name.matched.split('.').map(part => if (part.contains('-')) s"`$part`" else part)
      s"; a name with - needs quotes, as ${parts.mkString(".")}"
    }
    KafkalystException(
      "SYNTAX_ERROR",
      "line" -> line.toString,
      "column" -> (column + 1).toString,
      "found" -> found,
      "expected" -> (all + hint),
      "text" -> whole,
      "caret" -> (" " * column + "^")
    )
  }

  private def word(tokenType: Int): String = tokenType match {
    case KafkalystParser.IDENTIFIER => "a name"
    case KafkalystParser.QUOTED | KafkalystParser.BACKQUOTED => "a quoted name"
    case KafkalystParser.STRING => "a 'string'"
    case KafkalystParser.NUMBER => "a number"
    case Token.EOF => "the end"
    case other =>
      literal(other).map(l => if (l.head.isLetter) l else s"'$l'").getOrElse(
        KafkalystParser.VOCABULARY.getSymbolicName(other)
      )
  }

  private def literal(tokenType: Int): Option[String] =
    Option(KafkalystParser.VOCABULARY.getLiteralName(tokenType)).map(_.stripPrefix("'").stripSuffix("'"))

  private lazy val names: Set[String] =
    (KafkalystParser.ADD to KafkalystParser.WITH).flatMap(literal).toSet - "AS" - "WITH" - "FROM"
}
