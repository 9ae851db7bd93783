package io.kafkalyst.parse

import io.kafkalyst.parse.flink.{
  FlinkClauses,
  FlinkDrops,
  FlinkExecute,
  FlinkHints,
  FlinkRefusals,
  FlinkStatements,
  FlinkWindows,
  FlinkWords
}
import io.kafkalyst.analyze.BeforeSpark
import io.kafkalyst.analyze.tables.{EndlessViews, UnboundedReads, Unnest, VersionsOf, WindowedInput}
import io.kafkalyst.bridge.ParserShell
import io.kafkalyst.catalog.{NamedTypes, ObjectStore}
import io.kafkalyst.clients.Connector
import io.kafkalyst.commands.{CreateObject, ExplainPlan, InsertIntoTable}
import io.kafkalyst.commands.flink.{CreateLike, ExplainSet, StatementSet}
import io.kafkalyst.commands.show.ShowColumnNames
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.functions.RowValue
import io.kafkalyst.joins.{ChangesOf, Within}
import io.kafkalyst.model.{TimeOfDay, Variables}
import io.kafkalyst.model.settings.{LanguageSettings, Setting, Settings}
import io.kafkalyst.parse.grammar.KafkalystParser._
import io.kafkalyst.parse.island.{Clauses, Dialect, QueryRewriter, RewrittenQuery}
import io.kafkalyst.parse.quotes.{Backslashes, TypographicQuotes}
import io.kafkalyst.query.push.{FirstRows, PushQuery}
import io.kafkalyst.streams.ksql.KsqlConf
import io.kafkalyst.streams.SinkQuery
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{
  UnresolvedAttribute,
  UnresolvedFunction,
  UnresolvedInlineTable,
  UnresolvedRelation,
  UnresolvedStar
}
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}
import org.apache.spark.sql.catalyst.plans.logical.{
  AddColumns,
  Command,
  DeleteFromTable,
  InsertIntoStatement,
  LogicalPlan,
  Project,
  V2CreateTableAsSelectPlan
}
import org.apache.spark.sql.execution.command.ExplainCommand
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.internal.VariableSubstitution

import scala.jdk.CollectionConverters._
import scala.util.Try

/**
 * Spark first: a text that the parser below accepts keeps its plan, unless it reads a Kafkalyst object and has a
 * meaning that only Kafkalyst's language has. A text that Spark rejects is either a Kafkalyst statement or a query with
 * Kafkalyst clauses, which are cut out; otherwise Spark's own error is thrown.
 *
 * @param early rules to apply before Spark's analysis if the session's analyzer does not apply them
 */
final class SqlFrontDoor(session: SparkSession, below: ParserInterface, early: LogicalPlan => LogicalPlan = identity)
    extends ParserShell.FrontDoor {
  // Created on first use: parsing must not touch a session that is still being built.
  private lazy val store = new ObjectStore(session)
  private lazy val views = new EndlessViews(session, store)
  private lazy val types = new NamedTypes(session)
  private lazy val sources = new CatalogSources(session, store)
  private lazy val variables = new VariableSubstitution()
  private lazy val continuousInserts =
    new ContinuousInserts(store, () => isKsqldb, () => foldsNames, variables.substitute, sinkQuery)

  override def parse(text: String, delegate: ParserShell.Below): LogicalPlan = {
    val substituted = VariableText(text, session.conf.getAll)
    if (isKsqldb && VariableText.staysIn(substituted, session.conf.getAll))
      Variables.literally(session.sessionState.conf)(parsed(substituted, delegate))
    else parsed(substituted, delegate)
  }

  private def parsed(substituted: String, delegate: ParserShell.Below): LogicalPlan = {
    val accepted =
      try Right(delegate.parse(substituted))
      catch { case refused: ParseException => withTimes(substituted, refused, delegate).toRight(refused) }
    try ksqlValues(accepted.fold(
        ofRefused(substituted, _, delegate),
        plan => ofAccepted(substituted, streamed(substituted, unnested(substituted, plan)), delegate)
      ))
    catch {
      case _: StackOverflowError =>
        // If Spark's parser overflowed, too, the text may not be Kafkalyst's, so Spark's error is thrown.
        throw accepted.left.toOption.filter(_.getCondition == "FAILED_TO_PARSE_TOO_COMPLEX")
          .getOrElse(KafkalystException("STATEMENT_TOO_DEEP"))
    }
  }

  /** An INSERT into a topic whose VALUES contain casts to TIME: Spark evaluates those casts while parsing. */
  private def withTimes(text: String, refused: ParseException, delegate: ParserShell.Below): Option[LogicalPlan] =
    if (refused.getCondition != "UNSUPPORTED_TIME_TYPE") None
    else
      // If the text has another fault, Spark's first error is reported.
      Try(TimeOfDay.allowed(delegate.parse(text))).toOption.filter {
        case i: InsertIntoStatement => Reads.names(i.table).exists(store.isTopic)
        case _ => false
      }

  /** Resolves UNNEST and versioned joins; those within a WITH clause are left to the analyzer rule. */
  private def unnested(text: String, plan: LogicalPlan): LogicalPlan = {
    val versioned = if (text.contains(VersionsOf.option)) VersionsOf.put(plan) else plan
    if (Unnest.names.exists(Mentions(text, _))) new Unnest(session)(versioned) else versioned
  }

  private lazy val isByHand = BeforeSpark.isByHand(session)

  // Runs for each text; `session.conf.getOption` throws and catches internally for an unset key.
  private def given(setting: Setting): Option[String] = {
    val conf = session.sessionState.conf
    Option.when(conf.contains(setting.name))(conf.getConfString(setting.name))
  }
  private def isKsqldb: Boolean = LanguageSettings.isKsqldb(given)
  private def foldsNames: Boolean = LanguageSettings.foldsNames(given)

  /**
   * `FROM STREAM name` reads a topic as a stream; a table named `stream` stays one. Plans of other texts are not
   * traversed.
   */
  private def streamed(text: String, plan: LogicalPlan): LogicalPlan =
    if (!Mentions(text, "stream")) plan
    else Reads.streamed(plan, name => store.isTopic(Seq(name)) && !session.catalog.tableExists("stream"))

  /** Spark's plan, unless the text has another meaning in Kafkalyst's language. */
  private def ofAccepted(text: String, plan: LogicalPlan, delegate: ParserShell.Below): LogicalPlan = {
    lazy val topics = Reads.names(plan).filter(store.isTopic)
    lazy val isKsqls = foldsNames && isQuery(plan)
    statement(text, plan, delegate).getOrElse {
      def isFlinks = FlinkWords.isIn(text) && (topics.nonEmpty || Reads.names(plan).exists(views.isOverTopics))
      if ((text.contains("->") || isKsqls) && topics.nonEmpty || isFlinks)
        reread(text, plan, topics, isKsqls, delegate)
      else plan match {
        case explain: ExplainCommand if topics.nonEmpty => ExplainPlan(explain)
        case _ =>
          if (isByHand && (topics.nonEmpty || Reads.quotes(text, plan, views))) prepared(plan, delegate) else plan
      }
    }
  }

  /** Spark's plan nodes for ALTER TABLE … ADD and DROP CONSTRAINT, by name, because 4.0 does not have them. */
  private val constraints = Set("AddConstraint", "DropConstraint")

  /** In ksqlDB's dialect, the VALUES of an INSERT into a topic use ksqlDB's language. */
  private def ksqlValues(plan: LogicalPlan): LogicalPlan = plan match {
    case i: InsertIntoStatement if isKsqldb && i.query.isInstanceOf[UnresolvedInlineTable] =>
      if (!Reads.names(i.table).exists(store.isTopic)) i
      else
        i.withNewChildren(Seq(KsqlConf.within(session)(i.query.mapExpressions {
          case simple @ (_: Literal | _: UnresolvedAttribute) => simple
          // `array()` and `map()` take the column's type.
          case f: UnresolvedFunction if f.arguments.isEmpty && KsqlLanguage.isConstructor(f) => f
          case other => RowValue(KsqlLanguage(other))
        })))
    case other => other
  }

  private def isQuery(plan: LogicalPlan): Boolean = plan match {
    case _: DeleteFromTable | _: ExplainCommand => true
    case other => !other.isInstanceOf[Command]
  }

  /** Parses a statement that Spark accepts, too, as Kafkalyst's if it is about a Kafkalyst object. */
  private def statement(text: String, plan: LogicalPlan, delegate: ParserShell.Below): Option[LogicalPlan] = {
    def mayBeOurs(plan: LogicalPlan): Boolean = plan match {
      case i: InsertIntoStatement => Reads.names(i.table).exists(store.isTopic)
      case a: AddColumns => Reads.names(a.table).exists(store.isTopic)
      case c: V2CreateTableAsSelectPlan => isKsqldb && Reads.names(c.query).exists(store.isTopic)
      case ExplainCommand(explained @ (_: V2CreateTableAsSelectPlan | _: InsertIntoStatement), _) =>
        mayBeOurs(explained)
      case _: ExplainCommand => false
      case other if constraints(other.getClass.getSimpleName) =>
        other.children.flatMap(Reads.names).exists(store.isTopic)
      case other => other.getClass.getSimpleName.startsWith("CreateTableLike")
    }
    if (!mayBeOurs(plan)) None
    else
      Statements.parse(bound(text, delegate)).toOption.filter(isOurs(_, text, delegate)).map(build(_, text, delegate))
  }

  /** Handles a text that Spark rejected. */
  private def ofRefused(text: String, refused: ParseException, delegate: ParserShell.Below): LogicalPlan = {
    val words = new Tokens(text).withoutComments
    FlinkExecute.single(words).orElse(FlinkStatements.rewritten(words)).map(parse(_, delegate))
      .orElse(FlinkExecute.several(words).map(StatementSet(_)))
      .orElse(FlinkExecute.explained(words).map(ExplainSet(_)))
      .orElse(FlinkStatements.temporary(words).map(parse(_, delegate)).collect {
        case create: CreateObject if create.options.isFlink =>
          create.copy(options = create.options.copy(temporary = true))
        case like: CreateLike => like.copy(temporary = true)
      })
      .orElse(FlinkDrops.plan(words, store, parse(_, delegate)))
      .orElse(FlinkStatements.columnsLike(words).collect {
        case (table, like) if store.isTopic(table) => ShowColumnNames(table, Some(like))
      })
      .getOrElse(ofStatement(text, refused, delegate))
  }

  private def ofStatement(text: String, refused: ParseException, delegate: ParserShell.Below): LogicalPlan = {
    val given = Backslashes.rewritten(FlinkWindows.rewritten(FlinkHints.rewritten(text)))
    lazy val refusal = FlinkRefusals.of(given).orElse(KsqlRefusals.of(given))
    Statements.parse(bound(given, delegate)) match {
      case Right(tree) if isOurs(tree, given, delegate) => build(tree, given, delegate)
      case Left(_) if refusal.isDefined => throw refusal.get
      case Left(misfit) if Statements.saysMore(misfit, new Tokens(given)) =>
        throw TypographicQuotes.fault(new Tokens(given)).getOrElse(misfit.error)
      case _ =>
        try prepared(withClauses(FlinkClauses.rewritten(given), refused, delegate), delegate)
        catch { case e: ParseException => throw FlinkRefusals.ofQuery(given).getOrElse(e) }
    }
  }

  private def bound(text: String, delegate: ParserShell.Below): String =
    Arguments.bind(variables.substitute(text), delegate.arguments)

  private def build(tree: KafkalystStatementContext, text: String, delegate: ParserShell.Below): LogicalPlan = {
    Connector.require()
    // Every Kafkalyst statement rejects invalid settings, except SET and UNSET, which can correct them.
    if (!tree.isInstanceOf[SetPropertyContext] && !tree.isInstanceOf[UnsetPropertyContext])
      Settings.of(session.conf.getAll)
    def query(text: String) = sinkQuery(text, delegate)
    new AstBuilder(bound(text, delegate), below, foldsNames, query, isKsqldb, types.find, store.isCatalog).build(tree)
  }

  /** Whether a statement that the grammar accepts, and that Spark may accept, is about a Kafkalyst object. */
  private def isOurs(tree: KafkalystStatementContext, text: String, delegate: ParserShell.Below): Boolean = tree match {
    case explain: ExplainStatementContext => isOurs(explain.kafkalystStatement, text, delegate)
    case insert: InsertQueryContext => continuousInserts.isOne(text, new Tokens(text), delegate)
    case create: CreateObjectContext if create.objectKind.TABLE != null && create.withClause == null =>
      create.query != null && (isKsqldb || !Clauses.of(text).isEmpty)
    case like: CreateLikeContext => like.columns != null || like.likeOption.size > 0 || isTopic(like.objectName(1))
    case drop: DropObjectContext if drop.objectKind.TABLE != null && drop.TOPIC == null => isTopic(drop.objectName)
    case alter: AlterObjectContext if alter.objectKind.TABLE != null =>
      // Spark has ADD COLUMN, too, and reports its own error for a missing table.
      def isFlinks = alter.EXISTS != null || !alter.alteration.isInstanceOf[AddColumnsContext]
      isTopic(alter.objectName) || (isFlinks && !isThere(alter.objectName))
    case _ => true
  }

  private def isTopic(name: ObjectNameContext): Boolean = store.isTopic(partsOf(name))

  private def isThere(name: ObjectNameContext): Boolean = isThere(partsOf(name))
  private def isThere(parts: Seq[String]) = session.catalog.tableExists(parts.map(quoteIdentifier).mkString("."))

  private def partsOf(name: ObjectNameContext): Seq[String] =
    name.identifier.asScala.map(i => Names.of(i.getStart)).toSeq

  /**
   * Parses an accepted query over topics in Kafkalyst's language: arrows dereference structs, and names may be
   * ksqlDB's.
   */
  private def reread(
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
      case explain: ExplainCommand => ExplainPlan(ExplainCommand(endless(explain.logicalPlan, query), explain.mode))
      case other => prepared(endless(other, query), delegate)
    }
  }

  /** Not for the query of a view, whose names [[BeforeSpark.InViews]] resolves in the view's own place. */
  private def prepared(plan: LogicalPlan, delegate: ParserShell.Below): LogicalPlan =
    if (delegate.isStored) plan else early(plan)

  private def endless(plan: LogicalPlan, query: RewrittenQuery): LogicalPlan =
    if (query.streams.isEmpty) plan else UnboundedReads(plan, all = false, query.streams)

  /**
   * Cuts Kafkalyst's clauses out of a rejected text and attaches them to the plan of the rest; Spark's error if there
   * are none.
   */
  private def withClauses(text: String, refused: ParseException, delegate: ParserShell.Below): LogicalPlan = {
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
    if (query.emitChanges && InsertIntoTable.isOne(plan, store.isTopic)) intoTable(bound(text, delegate), plan, query)
    else if (query.emitChanges && plan.isInstanceOf[InsertIntoStatement])
      throw KafkalystException("INSERT_QUERY_FORM")
    else if (isEndless && plan.isInstanceOf[Command] && !plan.isInstanceOf[ExplainCommand])
      throw KafkalystException("ENDLESS_QUERY_PLACE", "statement" -> tokens.statement)
    else
      read(plan, query) match {
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

  private def isQuery(tokens: Tokens): Boolean =
    Set(SELECT, WITH, FROM, LPAREN, INSERT, DELETE, EXPLAIN).contains(tokens.kind(0))

  private def rewriter = new QueryRewriter(sources, types.find)

  private def read(plan: LogicalPlan, query: RewrittenQuery): LogicalPlan = plan match {
    case explain: ExplainCommand => ExplainCommand(read(explain.logicalPlan, query), explain.mode)
    case _ =>
      val meant = placed(if (query.inKsql) KsqlLanguage(plan) else plan, query)
      if (!query.emitChanges && query.streams.isEmpty) meant
      else {
        val (endless, limit) = if (query.emitChanges) FirstRows.limited(meant) else (meant, None)
        val reads = UnboundedReads(shown(endless, query.emitChanges), query.emitChanges, query.streams)
        val rows =
          if (!query.inKsql) reads
          else PushQuery(SinkQuery(reads, None, structured = false, query.dereferences, early = early, isShown = true))
        limit.fold[LogicalPlan](rows)(FirstRows(_, rows))
      }
  }

  private def shown(query: LogicalPlan, emitChanges: Boolean): LogicalPlan =
    if (emitChanges && !query.isInstanceOf[InsertIntoStatement]) ChangesOf(query) else query

  /** The query of a CREATE … AS: all its topics are read as unbounded streams, and it may have PARTITION BY. */
  private def sinkQuery(given: String, delegate: ParserShell.Below): SinkQuery = KsqlConf.within(session) {
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
      query.partitionBy.map(_.items.map(item => KsqlLanguage(below.parseExpression(item.placed(text))))),
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
}
