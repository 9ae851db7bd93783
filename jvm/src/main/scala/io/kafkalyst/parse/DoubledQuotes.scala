package io.kafkalyst.parse

import io.kafkalyst.parse.grammar.KafkalystLexer
import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.internal.SQLConf

/**
 * Names in double quotes with a quote in them, `"say ""hi"""`, which Spark 4.0 takes for several strings. Only what it
 * refuses is written otherwise, and only where a topic is read: to others nothing is done that Spark does not do.
 *
 * @param isTopic whether a name is one of ours
 */
final private[parse] class DoubledQuotes(isTopic: Seq[String] => Boolean) {
  def parse(text: String, tokens: Tokens)(spark: String => LogicalPlan): LogicalPlan =
    try spark(text)
    catch {
      case refused: ParseException if SQLConf.get.doubleQuotedIdentifiers && tokens.all.exists(isDoubled) =>
        val plan =
          try spark(inBackquotes(text, tokens))
          catch { case _: ParseException => throw refused }
        if (readsTopic(plan)) plan else throw refused
    }

  private def isDoubled(token: Token) =
    token.getType == KafkalystLexer.QUOTED && Names.of(token).contains('"')

  /** Blanks behind a name keep the positions that errors tell. */
  private def inBackquotes(text: String, tokens: Tokens): String =
    tokens.all.filter(isDoubled).foldRight(text) { (token, whole) =>
      val name = quoteIdentifier(Names.of(token)).padTo(token.getText.length, ' ')
      whole.substring(0, token.getStartIndex) + name + whole.substring(token.getStopIndex + 1)
    }

  private def readsTopic(plan: LogicalPlan) = plan.collectWithSubqueries {
    case r: UnresolvedRelation => isTopic(r.multipartIdentifier)
  }.contains(true)
}
