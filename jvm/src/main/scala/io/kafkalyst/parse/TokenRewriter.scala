package io.kafkalyst.parse

import java.util.Locale

import io.kafkalyst.parse.flink.FlinkWords
import io.kafkalyst.analyze.names.BareColumns
import io.kafkalyst.joins.PlacedWindow
import io.kafkalyst.parse.grammar.KafkalystLexer
import org.antlr.v4.runtime.Token
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier

/**
 * Replaces words of a query that Spark does not know, in place and padded with blanks, so that positions stay the
 * user's wherever the replaced text is as long as the original.
 *
 * @param text        the text for Spark's parser
 * @param emitChanges whether EMIT CHANGES was cut out: all topics of the query are read as unbounded streams
 * @param streams     positions of the names that followed a cut-out STREAM
 * @param partitionBy the clause that was cut out
 * @param dereferences positions of the name chains before an arrow
 * @param withins     the WITHIN clauses that were cut out
 * @param emitFinal   whether EMIT FINAL was cut out
 * @param window      the WINDOW clause that was cut out
 * @param inKsql      whether its expressions are ksqlDB's
 * @param groupsByStruct whether `GROUP BY STRUCT<…>` makes the key a record
 */
final case class RewrittenQuery(
    text: String,
    emitChanges: Boolean,
    streams: Set[Int],
    partitionBy: Option[PartitionBy],
    dereferences: Set[Int],
    withins: Seq[PlacedWindow] = Nil,
    emitFinal: Boolean = false,
    window: Option[WindowClause] = None,
    inKsql: Boolean = false,
    groupsByStruct: Boolean = false
) {

  /** Whether any clause was cut out that Spark does not have. */
  def hasClause: Boolean =
    emitChanges || streams.nonEmpty || partitionBy.isDefined || withins.nonEmpty || window.isDefined
}

/**
 * Which of ksqlDB's rules apply to a text.
 *
 * @param quotes whether double quotes enclose names
 * @param upper  whether names are ksqlDB's; an EMIT CHANGES query is then in ksqlDB's language
 * @param sink   whether it is the query of a sink, which is always in ksqlDB's language and may have PARTITION BY
 */
final case class Dialect(quotes: Boolean, upper: Boolean, sink: Boolean)

/** @param isStruct whether an arrow after this name, as a function's argument, dereferences a struct */
final class TokenRewriter(
    isTopic: Seq[String] => Boolean,
    namedType: String => Option[String] = _ => None,
    isStruct: String => Boolean = _ => true
) {
  import TokenRewriter._

  def rewrite(text: String, tokens: Tokens, dialect: Dialect): RewrittenQuery = {
    val words = tokens.all
    val emit = words.indices.filter(i =>
      is(words, i, KafkalystLexer.EMIT) && (is(words, i + 1, KafkalystLexer.CHANGES) || isFinal(words, i + 1))
    )
    val window = WindowClause.find(words)
    val streams = words.indices.filter(isStreamRead(tokens, words, _))
    val arrows = new Arrows(words, isStruct)
    val withins = WithinClause.all(words)
    // In a text with ksqlDB syntax, the rest is read as ksqlDB reads it too.
    val ours = dialect.quotes || emit.nonEmpty || window.nonEmpty
    val inKsql = dialect.sink || (dialect.upper && emit.nonEmpty && !is(words, 0, KafkalystLexer.INSERT))
    val structs = if (dialect.sink) GroupStruct.find(words) else None
    val edits = emit.flatMap(i => Seq(blank(words(i)), blank(words(i + 1)))) ++ streams.map(i => blank(words(i))) ++
      window.toSeq.flatMap(w => words.slice(w.from, w.until).map(blank)) ++
      arrows.dereferences.map(step(words, _)) ++
      withins.flatMap(w => words.slice(w.from, w.until).map(blank)) ++
      (if (ours) constructors(words, dialect.upper) ++ types(words) ++ lambdas(words) else Nil) ++
      FlinkWords(words) ++ structs.toSeq.flatMap { case (at, close) =>
        Seq(at, at + 1, close).map(i => blank(words(i)))
      } ++
      (if (inKsql) KsqlWords(words) else if (dialect.upper) KsqlWords.strings(words) else Nil)
    val edited = edits.map(_.from).toSet
    val names = words.filterNot(w => edited(w.getStartIndex)).flatMap(name(_, ours, dialect.upper))
    val rewritten = edit(text, edits ++ names)
    val clause = if (dialect.sink) cut(rewritten) else None
    RewrittenQuery(
      clause.fold(rewritten)(_._2),
      emit.nonEmpty,
      streams.map(i => words(i + 1).getStartIndex).toSet,
      clause.map(_._1),
      arrows.heads.map(words(_).getStartIndex),
      withins.map(_.placed),
      emit.exists(i => isFinal(words, i + 1)),
      window,
      inKsql,
      structs.isDefined
    )
  }

  private def name(word: Token, quotes: Boolean, upper: Boolean): Option[Edit] =
    if (quotes && (word.getType == KafkalystLexer.QUOTED || isOnlyKsqls(word)))
      Some(instead(word, quoteIdentifier(Names.of(word, upper))))
    else if (upper && Names.isBare(word)) Some(instead(word, word.getText.toUpperCase(Locale.ROOT)))
    else None

  /** Spark allows an `@` only in quotes. */
  private def isOnlyKsqls(word: Token) = Names.isBare(word) && word.getText.contains('@')

  private def cut(text: String): Option[(PartitionBy, String)] = {
    val words = new Tokens(text).all
    PartitionBy.find(words, text).map { clause =>
      (clause, edit(text, words.slice(clause.from, clause.until).map(blank)))
    }
  }

  /**
   * The arrow at i as Spark's dot. Behind a name without an owner it is marked: the name is a column's, though Spark would
   * take it for the source's where that has the same, see [[io.kafkalyst.analyze.names.BareColumns]].
   */
  private def step(words: Seq[Token], i: Int): Edit = {
    val isStep = is(words, i - 2, KafkalystLexer.DOT) ||
      is(words, i - 2, KafkalystLexer.GT) && is(words, i - 3, KafkalystLexer.MINUS)
    val isAlone = i > 0 && isName(words(i - 1)) && !isStep
    Edit(words(i).getStartIndex, words(i + 1).getStopIndex + 1, if (isAlone) BareColumns.arrow else ". ")
  }

  /** `STRUCT(a := x)`, `MAP('k' := x)`, `ARRAY[x]`. */
  private def constructors(words: Seq[Token], upper: Boolean): Seq[Edit] = {
    var open = List.empty[(Int, Boolean)]
    words.indices.flatMap { i =>
      def opens(text: String) = words(i).getText == text && i > 0
      if (opens("(")) {
        open ::= (i - 1, false)
        Nil
      } else if (opens("[")) {
        val array = words(i - 1).getText.equalsIgnoreCase("ARRAY")
        open ::= (i - 1, array)
        if (array) Seq(instead(words(i), "(")) else Nil
      } else if ((words(i).getText == ")" || words(i).getText == "]") && open.nonEmpty) {
        val (_, array) = open.head
        open = open.tail
        if (array && words(i).getText == "]") Seq(instead(words(i), ")")) else Nil
      } else if (words(i).getText == ":" && is(words, i + 1, KafkalystLexer.EQ) && open.nonEmpty) {
        val call = words(open.head._1)
        if (call.getText.equalsIgnoreCase("STRUCT")) {
          val field = Names.of(words(i - 1), upper).replace("'", "\\'")
          val first = if (i - 2 == open.head._1 + 1) Seq(instead(call, "named_struct")) else Nil
          first :+ Edit(words(i - 1).getStartIndex, words(i + 1).getStopIndex + 1, s"'$field',")
        } else Seq(Edit(words(i).getStartIndex, words(i + 1).getStopIndex + 1, ", "))
      } else Nil
    }
  }

  /** `x => …`. */
  private def lambdas(words: Seq[Token]): Seq[Edit] = words.indices.drop(1).flatMap { i =>
    val arrow = is(words, i - 1, KafkalystLexer.EQ) && is(words, i, KafkalystLexer.GT) &&
      words(i - 1).getStopIndex + 1 == words(i).getStartIndex
    // Without parentheses, Spark allows only one name.
    val bracketed = arrow && i > 4 && is(words, i - 2, KafkalystLexer.RPAREN) && is(words, i - 4, KafkalystLexer.LPAREN)
    if (!arrow) Nil
    else
      Edit(words(i - 1).getStartIndex, words(i).getStopIndex + 1, "->") +:
        (if (bracketed) Seq(blank(words(i - 4)), blank(words(i - 2))) else Nil)
  }

  /** Types in `CAST(x AS type)` that have another name in Spark. */
  private def types(words: Seq[Token]): Seq[Edit] =
    words.indices.drop(2).filter(i => is(words, i - 1, KafkalystLexer.AS)).flatMap { i =>
      CastTypes.extent(words, i).map { until =>
        (i until until).flatMap(at => CastTypes.spelled(words, at, until, namedType).map(instead(words(at), _)))
      }.getOrElse(Nil)
    }

  /** `FROM STREAM name`, only if a topic of that name exists: `stream` may be a table with an alias. */
  private def isStreamRead(tokens: Tokens, words: Seq[Token], i: Int): Boolean =
    is(words, i, KafkalystLexer.STREAM) && i > 0 && readsFrom.contains(words(i - 1).getType) &&
      i + 1 < words.size && isName(words(i + 1)) && isTopic(tokens.nameParts(i + 1))

  private def isName(word: Token) = Names.isBare(word) || Names.isQuoted(word)
}

private[parse] object TokenRewriter {
  private val readsFrom = Set(KafkalystLexer.FROM, KafkalystLexer.JOIN, KafkalystLexer.COMMA)

  private[parse] final case class Edit(from: Int, until: Int, text: String)

  /** Applies non-overlapping edits in one pass, because a text may have thousands of them. */
  private[parse] def edit(text: String, edits: Seq[Edit]): String = {
    val out = new java.lang.StringBuilder(text.length)
    val end = edits.sortBy(_.from).foldLeft(0) { (at, e) =>
      out.append(text, at, e.from).append(e.text)
      e.until
    }
    out.append(text, end, text.length).toString
  }

  /** Whether a text has a clause that no Spark query has. */
  def hasClause(words: IndexedSeq[Token], text: String): Boolean =
    words.indices.exists(i =>
      is(words, i, KafkalystLexer.EMIT) && (is(words, i + 1, KafkalystLexer.CHANGES) || isFinal(words, i + 1))
    ) ||
      WindowClause.find(words).isDefined || WithinClause.all(words).nonEmpty || PartitionBy.find(words, text).isDefined

  private def is(words: Seq[Token], i: Int, kind: Int) = i >= 0 && i < words.size && words(i).getType == kind

  private def isFinal(words: Seq[Token], i: Int) = i < words.size && words(i).getText.equalsIgnoreCase("FINAL")

  private[parse] def instead(word: Token, text: String) = Edit(word.getStartIndex, word.getStopIndex + 1, text)

  private def blank(word: Token) = instead(word, " " * (word.getStopIndex + 1 - word.getStartIndex))
}
