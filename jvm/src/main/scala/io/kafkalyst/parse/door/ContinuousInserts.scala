package io.kafkalyst.parse
package door

import io.kafkalyst.bridge.ParserShell
import io.kafkalyst.commands.InsertAsSelect
import io.kafkalyst.parse.grammar.KafkalystLexer._
import io.kafkalyst.parse.island.Clauses
import io.kafkalyst.streams.SinkQuery
import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.analysis.UnresolvedRelation

import scala.util.control.NonFatal

/**
 * Distinguishes ksqlDB's INSERT INTO … SELECT, which starts a continuous query, from Spark's, which inserts once. It is
 * ksqlDB's if it has syntax that only ksqlDB has: WITH (QUERY_ID = …) after the name, PARTITION BY or EMIT CHANGES; in
 * ksqlDB's dialect also if all its sources are Kafkalyst objects.
 */
private[parse] final class ContinuousInserts(door: DoorSession, parse: (String, ParserShell.Below) => SinkQuery) {
  import door.store

  def isOne(text: String, tokens: Tokens, delegate: ParserShell.Below): Boolean = {
    val at = if (tokens.kind(0) == EXPLAIN) 1 else 0
    tokens.kind(at) == INSERT && tokens.kind(at + 1) == INTO && tokens.kind(at + 2) != TABLE &&
    tokens(at + 2) != null && {
      val behind = tokens.afterName(at + 2)
      store.isTopic(Names.parts(tokens.name(at + 2), door.foldsNames, store.isCatalog)) &&
      ((tokens.kind(behind) == WITH && tokens.kind(behind + 1) == LPAREN &&
        (!isOption(tokens(behind + 2)) || emits(text))) ||
        beginsQuery(tokens, behind) && saysSo(text, tokens(behind).getStartIndex, delegate) ||
        hasColumns(tokens, behind) && emits(text))
    }
  }

  private def emits(text: String) = Clauses.of(text).emits.exists(_.CHANGES != null)

  private def hasColumns(tokens: Tokens, at: Int) =
    tokens.kind(at) == LPAREN && beginsQuery(tokens, tokens.afterParentheses(at))

  private def beginsQuery(tokens: Tokens, at: Int) = tokens.kind(at) match {
    case SELECT | FROM | TABLE => true
    case WITH => tokens.kind(at + 1) != LPAREN
    case _ => false
  }

  /** Whether WITH has sink options, as in Spark's INSERT, rather than ksqlDB's QUERY_ID. */
  private def isOption(first: Token): Boolean = first != null && first.getText.startsWith("'") &&
    !first.getText.stripPrefix("'").stripSuffix("'").equalsIgnoreCase(InsertAsSelect.idProperty)

  private def saysSo(text: String, from: Int, delegate: ParserShell.Below): Boolean = {
    val clauses = Clauses.of(text)
    clauses.emits.exists(_.CHANGES != null) || clauses.partitionBy.isDefined || (door.isKsqldb && readsOursOnly(
      door.substituted(text.substring(from)),
      delegate
    ))
  }

  private def readsOursOnly(query: String, delegate: ParserShell.Below): Boolean =
    try {
      val read = parse(query, delegate).child.collectWithSubqueries { case r: UnresolvedRelation => r }
      // Unknown names are reported as in ksqlDB's statements.
      read.nonEmpty && read.forall(r => store.isTopic(r.multipartIdentifier) || !store.isThere(r.multipartIdentifier))
    } catch {
      // Spark's own parser reports the error.
      case NonFatal(_) => false
    }
}
