package io.kafkalyst.parse
package island

import io.kafkalyst.parse.grammar.{QueryLexer, QueryParser}
import io.kafkalyst.parse.grammar.QueryParser.TextContext
import org.antlr.v4.runtime.{CommonTokenStream, ListTokenSource, ParserRuleContext, Token, WritableToken}
import org.antlr.v4.runtime.atn.PredictionMode
import org.antlr.v4.runtime.tree.ParseTree

import scala.jdk.CollectionConverters._

/** A text's words and the parse tree of its clauses; a token's index is its index in `words`. */
private[parse] final class Island(val text: String) {
  val words: IndexedSeq[Token] = {
    val lexer = new QueryLexer(new Utf16Stream(text))
    lexer.removeErrorListeners()
    val all = lexer.getAllTokens.asScala.filter(_.getChannel == Token.DEFAULT_CHANNEL).toVector
    all.zip(all.drop(1).map(_.getType) :+ Token.EOF).map {
      // PARTITION without BY is a name.
      case (word: WritableToken, next) if word.getType == QueryLexer.PARTITION && next != QueryLexer.BY =>
        word.setType(QueryLexer.IDENTIFIER)
        word
      case (word, _) => word
    }
  }

  lazy val tree: TextContext = {
    val parser = new QueryParser(new CommonTokenStream(new ListTokenSource(words.asJava)))
    parser.removeErrorListeners()
    // SLL prediction suffices: no grammar rule depends on its caller.
    parser.getInterpreter.setPredictionMode(PredictionMode.SLL)
    parser.text()
  }

  /** Whether the word at i is of this kind; false outside of the text. */
  def is(i: Int, kind: Int): Boolean = words.isDefinedAt(i) && words(i).getType == kind

  def isName(i: Int): Boolean =
    words.isDefinedAt(i) && (Names.isBare(words(i)) || Names.isQuoted(words(i)) || is(i, QueryLexer.DIGIT_NAME))

  /** The parts of the name that begins at i; empty if there is no name. */
  def nameParts(i: Int): Seq[String] =
    if (!isName(i)) Nil
    else Names.of(words(i)) +: (if (is(i + 1, QueryLexer.DOT)) nameParts(i + 2) else Nil)

  /** The word before a part of the tree. */
  def before(part: ParserRuleContext): Option[Token] = words.lift(part.getStart.getTokenIndex - 1)

  /** The words of a part of the tree. */
  def of(part: ParserRuleContext): Seq[Token] = words.slice(part.getStart.getTokenIndex, part.getStop.getTokenIndex + 1)
}

private[parse] object Island {
  def children(part: ParserRuleContext): Seq[ParseTree] =
    Option(part.children).fold(Seq.empty[ParseTree])(_.asScala.toSeq)
}
