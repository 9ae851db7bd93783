package io.kafkalyst.parse
package island

import java.util.Locale

import io.kafkalyst.joins.PlacedWindow
import io.kafkalyst.parse.Edit.{blank, instead}
import io.kafkalyst.parse.grammar.QueryLexer
import io.kafkalyst.parse.grammar.QueryParser.ListContext
import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier

/**
 * A query without Kafkalyst's clauses.
 *
 * @param text        the text for Spark's parser
 * @param emitChanges whether EMIT CHANGES was cut out: all topics of the query are read as unbounded streams
 * @param streams     positions in `text` of the names that followed a removed STREAM; all other positions are in
 *                    `text`, too
 * @param partitionBy the clause that was cut out
 * @param dereferences positions of the name chains before an arrow
 * @param withins     the WITHIN clauses that were cut out
 * @param emitFinal   whether EMIT FINAL was cut out
 * @param window      the WINDOW clause that was cut out
 * @param inKsql      whether the query's expressions are ksqlDB's
 * @param groupsByStruct whether `GROUP BY STRUCT<…>` makes the key a record
 */
final case class RewrittenQuery private[parse] (
    text: String,
    emitChanges: Boolean,
    streams: Set[Int],
    partitionBy: Option[KeyClause],
    dereferences: Set[Int],
    withins: Seq[PlacedWindow] = Nil,
    emitFinal: Boolean = false,
    window: Option[WindowClause] = None,
    inKsql: Boolean = false,
    groupsByStruct: Boolean = false
) {

  /** Whether a clause was cut out that Spark does not have. */
  def hasClause: Boolean =
    emitChanges || streams.nonEmpty || partitionBy.isDefined || withins.nonEmpty || window.isDefined
}

/**
 * Which of ksqlDB's rules apply to a text.
 *
 * @param quotes whether double quotes enclose names
 * @param upper  whether names are ksqlDB's; an EMIT CHANGES query is then in ksqlDB's language
 * @param sink   whether it is the query of a sink, which is always in ksqlDB's language
 */
final case class Dialect(quotes: Boolean, upper: Boolean, sink: Boolean)

/**
 * Replaces syntax that Spark does not know, in place and padded with blanks, so that positions stay those of the user's
 * text unless a replacement has another length.
 *
 * @param known    looks up names
 * @param isStruct whether an arrow after this name, as a function's argument, dereferences a struct
 * @param isColumn whether a column may have this name
 */
private[parse] final class QueryRewriter(
    known: KnownSources,
    namedType: String => Option[String] = _ => None,
    isStruct: String => Boolean = _ => true,
    isColumn: String => Boolean = _ => true
) {

  def rewrite(text: String, dialect: Dialect): RewrittenQuery = {
    val island = new Island(text)
    val clauses = new Clauses(island.tree)
    // `stream` may be a table with an alias, so STREAM is a keyword only before the name of a topic.
    val streams = clauses.streams.map(_.STREAM.getSymbol).filter { word =>
      val parts = island.nameParts(word.getTokenIndex + 1)
      parts.nonEmpty && known.isTopic(parts)
    }
    // In a text with ksqlDB syntax, quotes and expressions are ksqlDB's, too.
    val ours = dialect.quotes || clauses.emits.nonEmpty || clauses.window.nonEmpty
    val isShown = !dialect.sink && (island.is(0, QueryLexer.SELECT) || island.is(0, QueryLexer.EXPLAIN))
    // PARTITION BY at the end of a query is ksqlDB's.
    val partition = clauses.partitionBy.filter(_ => dialect.sink || isShown)
    val inKsql = dialect.sink ||
      clauses.emits.nonEmpty && (dialect.upper && !island.is(0, QueryLexer.INSERT) || partition.nonEmpty)
    val expressions = new Expressions(island, isStruct, isColumn, namedType, ours, inKsql, dialect.upper)
    val cut = (clauses.emits ++ clauses.window ++ clauses.withins.map(_._2)).flatMap(island.of) ++ streams
    val edits = cut.map(blank) ++ expressions.edits
    val edited = edits.map(_.from).toSet
    val kept = if (dialect.upper) new Folding(island, known, columns = !dialect.sink).kept else Set.empty[Int]
    val all = edits ++ island.words.filterNot(w => edited(w.getStartIndex)).flatMap { w =>
      word(w, ours, inKsql, dialect.upper, folds = dialect.upper && !kept(w.getTokenIndex))
    }
    def words(from: Token, list: ListContext) =
      island.words.slice(from.getTokenIndex, KeyClause.end(list).getOrElse(from.getTokenIndex + 1) + 1)
    val partitionWords = partition.toSeq.flatMap(p => words(p.getStart, p.list))
    def source(from: Int, until: Int) = Edit.all(
      text.substring(from, until),
      all.filter(e => e.from >= from && e.until <= until).map(e => e.copy(from = e.from - from, until = e.until - from))
    )
    // GROUP BY is rewritten only if it has syntax that Spark lacks.
    val group = clauses.groupBy.filter(g => dialect.sink && KeyClause.end(g.list).isDefined)
      .map(g => words(g.list.getStart, g.list) -> KeyClause.of(g.list, source))
      .filter { case (_, keys) => keys.structured || keys.items.exists(_.isNamed) }
    val replaced = partitionWords.map(blank) ++ group.map { case (words, keys) =>
      instead(words.head, words.last, keys.grouping(words.head.getStartIndex))
    }
    val clausesOfKeys = Seq(partitionWords, group.toSeq.flatMap(_._1)).filter(_.nonEmpty)
    val outside = all.filterNot(e =>
      clausesOfKeys.exists(words => e.from >= words.head.getStartIndex && e.from <= words.last.getStopIndex)
    )
    val moved = Edit.positions(outside ++ replaced)
    // PARTITION BY is parsed separately, so its positions are those of the original text.
    val (inKey, elsewhere) = expressions.dereferences.partition(at =>
      partitionWords.nonEmpty && at >= partitionWords.head.getStartIndex && at <= partitionWords.last.getStopIndex
    )
    RewrittenQuery(
      Edit.all(text, outside ++ replaced),
      clauses.emits.nonEmpty,
      streams.map(word => moved(island.words(word.getTokenIndex + 1).getStartIndex)).toSet,
      partition.map(p => KeyClause.of(p.list, source)),
      elsewhere.map(moved).toSet ++ inKey,
      clauses.withins.map { case (join, clause) =>
        val within = WithinClause.of(join, clause, island)
        within.copy(from = moved(within.from), until = moved(within.until))
      }.toSeq,
      clauses.emits.exists(_.FINAL != null),
      clauses.window.map(WindowClause.of(_, island)),
      inKsql,
      group.exists(_._2.structured)
    )
  }

  /** Translates a name to Spark's syntax, and a string to ksqlDB's meaning of it. */
  private def word(word: Token, quotes: Boolean, inKsql: Boolean, upper: Boolean, folds: Boolean): Option[Edit] =
    if (quotes && (word.getType == QueryLexer.QUOTED || isOnlyKsqls(word)) || upper && isDigitName(word))
      Some(instead(word, quoteIdentifier(Names.of(word, folds))))
    else if (folds && Names.isBare(word)) Some(instead(word, word.getText.toUpperCase(Locale.ROOT)))
    else if (inKsql || upper) KsqlWords.string(word)
    else None

  /** Spark reads `2d` as a number. */
  private def isDigitName(word: Token) = word.getType == QueryLexer.DIGIT_NAME

  /** Spark allows an `@` only in quotes. */
  private def isOnlyKsqls(word: Token) = Names.isBare(word) && word.getText.contains('@')
}
