package io.kafkalyst.parse
package door

import io.kafkalyst.analyze.tables.{UnboundedReads, Unnest, VersionsOf, WindowedInput}
import io.kafkalyst.bridge.ParserShell
import io.kafkalyst.commands.{ExplainPlan, InsertIntoTable}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.joins.{ChangesOf, Within}
import io.kafkalyst.parse.flink.FlinkClauses
import io.kafkalyst.parse.grammar.KafkalystParser._
import io.kafkalyst.parse.island.{Dialect, QueryRewriter, RewrittenQuery}
import io.kafkalyst.parse.quotes.TypographicQuotes
import io.kafkalyst.query.push.{FirstRows, PushQuery}
import io.kafkalyst.streams.ksql.KsqlConf
import io.kafkalyst.streams.SinkQuery
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{UnresolvedRelation, UnresolvedStar}
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}
import org.apache.spark.sql.catalyst.plans.logical.{Command, CompoundBody, InsertIntoStatement, LogicalPlan, Project}
import org.apache.spark.sql.execution.command.ExplainCommand

import scala.util.Try

/**
 * Queries with Kafkalyst's clauses, arrows or names: rewritten for the parser below, and what was cut out is attached to
 * its plan.
 *
 * @param early rules to apply before Spark's analysis if the session's analyzer does not apply them
 */
private[parse] final class QueryTexts(
    session: SparkSession,
    door: DoorSession,
    below: ParserInterface,
    early: LogicalPlan => LogicalPlan
) {
  import door.{bound, foldsNames, isThere, sources, store, types, views}

  /**
   * Parses an accepted query over topics in Kafkalyst's language: arrows dereference structs, and names may be
   * ksqlDB's.
   */
  def reread(
      text: String,
      plan: LogicalPlan,
      topics: Seq[Seq[String]],
      isKsqls: Boolean,
      delegate: ParserShell.Below
  ): LogicalPlan = {
    val columns = sources.columns(topics)
    val query = new QueryRewriter(sources, types.find, columns.getOrElse(_, false), columns.contains)
      .rewrite(text, Dialect(isKsqls, isKsqls, sink = false))
    val again = if (query.text == text) plan else unnested(query.text, delegate.parse(query.text))
    again match {
      case explain: ExplainCommand =>
        ExplainPlan(ExplainCommand(prepared(endless(explain.logicalPlan, query), delegate), explain.mode))
      case other => prepared(endless(other, query), delegate)
    }
  }

  /**
   * Cuts Kafkalyst's clauses out of a rejected text and attaches them to the plan of the rest; Spark's error if there
   * are none.
   */
  def withClauses(text: String, refused: ParseException, delegate: ParserShell.Below): LogicalPlan = {
    val tokens = new Tokens(text)
    val query =
      rewriter.rewrite(text, Dialect(quotes = true, foldsNames && isQuery(tokens), sink = false))
    def parsed =
      try unnested(query.text, delegate.parse(query.text))
      catch {
        case e: ParseException =>
          val fault = TypographicQuotes.fault(tokens).filter(_ =>
            query.hasClause || namesTopic(tokens) || isNobodys(text, tokens, delegate)
          )
          // The error shows the full text if both texts have the same length, so that its position fits.
          def own = if (query.text.length == text.length) e.withCommand(text) else e
          throw fault.getOrElse(if (query.hasClause) own else refused)
      }
    val plan = if (query.inKsql) KsqlConf.within(session)(parsed) else parsed
    if (!query.hasClause && !Reads.names(plan).exists(views.isOverTopics)) throw refused
    val isEndless = query.emitChanges || query.streams.nonEmpty
    if (query.partitionBy.isDefined && !query.emitChanges)
      throw if (namesTopic(tokens)) KafkalystException("PARTITION_BY_ENDS") else refused
    if (query.emitChanges && InsertIntoTable.isOne(plan, store.isTopic)) intoTable(bound(text, delegate), plan, query)
    else if (query.emitChanges && plan.isInstanceOf[InsertIntoStatement])
      throw KafkalystException("INSERT_QUERY_FORM")
    else if (isEndless && plan.isInstanceOf[Command] && !plan.isInstanceOf[ExplainCommand])
      throw KafkalystException("ENDLESS_QUERY_PLACE", "statement" -> tokens.statement)
    else
      read(plan, query, text) match {
        case explain: ExplainCommand => ExplainPlan(explain)
        case other => other
      }
  }

  /** Whether the text with plain quotes parses and reads a table that no catalog has. */
  private def isNobodys(text: String, tokens: Tokens, delegate: ParserShell.Below): Boolean =
    Try(Reads.names(delegate.parse(TypographicQuotes.straight(text, tokens))).exists(!isThere(_))).toOption.contains(
      true
    )

  private def namesTopic(tokens: Tokens): Boolean =
    tokens.all.filter(w => Names.isBare(w) || Names.isQuoted(w)).map(Names.of).distinct.exists(n =>
      store.isTopic(Seq(n))
    )

  /** Spark's INSERT or CREATE TABLE … AS with EMIT CHANGES: a continuous query into a table of any catalog. */
  private def intoTable(text: String, plan: LogicalPlan, query: RewrittenQuery): LogicalPlan = {
    val selected = UnboundedReads(placed(InsertIntoTable.queryOf(plan), query), all = true, Set.empty)
    val sink = SinkQuery(
      selected,
      None,
      structured = false,
      query.dereferences,
      query.window.map(_.window),
      query.emitFinal,
      early,
      inKsql = false
    )
    InsertIntoTable(plan, sink, text)
  }

  private def rewriter = new QueryRewriter(sources, types.find)

  private def keysOf(query: RewrittenQuery, text: String): Option[Seq[Expression]] =
    query.partitionBy.map(_.items.map(item => KsqlLanguage(below.parseExpression(item.placed(text)))))

  /** @param text the query's own text */
  private def read(plan: LogicalPlan, query: RewrittenQuery, text: String): LogicalPlan = plan match {
    case explain: ExplainCommand => ExplainCommand(read(explain.logicalPlan, query, text), explain.mode)
    case _ =>
      val meant = placed(if (query.inKsql) KsqlLanguage(plan) else plan, query)
      if (!query.emitChanges && query.streams.isEmpty) meant
      else {
        val (endless, limit) = if (query.emitChanges) FirstRows.limited(meant) else (meant, None)
        val reads = UnboundedReads(shown(endless, query.emitChanges), query.emitChanges, query.streams)
        val rows =
          if (!query.inKsql) reads
          else PushQuery(SinkQuery(
            reads,
            KsqlConf.within(session)(keysOf(query, text)),
            structured = false,
            query.dereferences,
            early = early,
            isShown = true
          ))
        limit.fold[LogicalPlan](rows)(FirstRows(_, rows))
      }
  }

  private def shown(query: LogicalPlan, emitChanges: Boolean): LogicalPlan =
    if (emitChanges && !query.isInstanceOf[InsertIntoStatement]) ChangesOf(query) else query

  /** The query of a CREATE … AS: all its topics are read as unbounded streams, and it may have PARTITION BY. */
  def sinkQuery(given: String, delegate: ParserShell.Below): SinkQuery = KsqlConf.within(session) {
    val text = FlinkClauses.rewritten(given)
    val dialect = Dialect(quotes = true, foldsNames, sink = true)
    val query = rewriter.rewrite(text, dialect)
    val parsed = unnested(query.text, delegate.parse(query.text)) match {
      // TABLE name: a bare relation would also output its hidden columns.
      case name: UnresolvedRelation => Project(Seq(UnresolvedStar(None)), name)
      case other => other
    }
    SinkQuery(
      UnboundedReads(placed(KsqlLanguage(parsed), query), all = true, Set.empty),
      keysOf(query, text),
      query.partitionBy.exists(_.structured) || query.groupsByStruct,
      query.dereferences,
      query.window.map(_.window),
      query.emitFinal,
      early
    )
  }

  /** Attaches the clauses that were cut out of the text to the plan. */
  private def placed(plan: LogicalPlan, query: RewrittenQuery): LogicalPlan = {
    val joined = Within.put(plan, query.withins)
    query.window.fold(joined)(w => WindowedInput.onto(joined, w.window, w.at))
  }

  /**
   * Resolves UNNEST, LATERAL TABLE and versioned joins; those within a WITH clause and in scripts are left to the analyzer rule.
   */
  def unnested(text: String, plan: LogicalPlan): LogicalPlan =
    if (plan.isInstanceOf[CompoundBody]) plan
    else {
      val versioned = if (text.contains(VersionsOf.option)) VersionsOf.put(plan) else plan
      if (Unnest.words.exists(Mentions(text, _))) new Unnest(session)(versioned) else versioned
    }

  /**
   * Not for the query of a view, whose names [[BeforeSpark.InViews]] resolves in the view's own place, and not for a
   * script, whose statements are prepared when they run.
   */
  def prepared(plan: LogicalPlan, delegate: ParserShell.Below): LogicalPlan =
    if (delegate.isStored || plan.isInstanceOf[CompoundBody]) plan else early(plan)

  private def endless(plan: LogicalPlan, query: RewrittenQuery): LogicalPlan =
    if (query.streams.isEmpty) plan else UnboundedReads(plan, all = false, query.streams)

  private def isQuery(tokens: Tokens): Boolean =
    Set(SELECT, WITH, FROM, LPAREN, INSERT, DELETE, EXPLAIN).contains(tokens.kind(0))
}
