package io.kafkalyst.parse

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.parse.grammar.{KafkalystLexer, KafkalystParser}
import io.kafkalyst.parse.grammar.KafkalystParser.KafkalystStatementContext
import org.antlr.v4.runtime.{CommonTokenStream, Token}

/** Parses a text as a Kafkalyst statement, by the grammar alone. */
private[kafkalyst] object Statements {

  /**
   * Why a text is not a Kafkalyst statement.
   *
   * @param words how many of its words match the grammar
   * @param error SYNTAX_ERROR at the next one
   */
  final case class Misfit(words: Int, error: KafkalystException)

  def parse(text: String): Either[Misfit, KafkalystStatementContext] = {
    val errors = new SyntaxErrors(text)
    val lexer = new KafkalystLexer(new Utf16Stream(text))
    lexer.removeErrorListeners()
    val tokens = new CommonTokenStream(lexer)
    val parser = new KafkalystParser(tokens)
    parser.removeErrorListeners()
    parser.addErrorListener(errors)
    try Right(parser.statement().kafkalystStatement())
    catch {
      case error: KafkalystException =>
        val before = (0 until errors.offending.getTokenIndex).count(tokens.get(_).getChannel == Token.DEFAULT_CHANNEL)
        Left(Misfit(before, error))
    }
  }

  /**
   * Whether Kafkalyst's error is more helpful for a rejected text than Spark's: if its first words begin no Spark
   * statement, or if it is a CREATE TABLE with a WITH clause, which Spark lacks.
   */
  def saysMore(misfit: Misfit, tokens: Tokens): Boolean = {
    val at = Iterator.from(0).find(i => !verbs(tokens.kind(i))).get
    (at < misfit.words && !shared(tokens.kind(at))) || hasWithClause(tokens)
  }

  private val verbs = {
    import KafkalystLexer._
    Set(CREATE, OR, REPLACE, SOURCE, ALTER, DROP, SHOW, LIST, EXPLAIN, DESCRIBE, DESC)
  }

  private val shared = {
    import KafkalystLexer._
    Set(TABLE, INSERT, SET, EXTENDED, IDENTIFIER)
  }

  private def hasWithClause(tokens: Tokens): Boolean =
    tokens.kind(0) == KafkalystLexer.CREATE && tokens.kind(1) == KafkalystLexer.TABLE && {
      val name = if (tokens.kind(2) == KafkalystLexer.IF) 5 else 2
      val behind = tokens.afterName(name)
      val next = if (tokens.kind(behind) == KafkalystLexer.LPAREN) tokens.afterParentheses(behind) else behind
      tokens.kind(next) == KafkalystLexer.WITH && tokens.kind(next + 1) == KafkalystLexer.LPAREN
    }
}
