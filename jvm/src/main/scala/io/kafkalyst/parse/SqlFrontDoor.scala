package io.kafkalyst.parse

import io.kafkalyst.analyze.{UnboundedReads, WindowedInput}
import io.kafkalyst.bridge.ParserShell
import io.kafkalyst.catalog.{NamedTypes, ObjectStore}
import io.kafkalyst.commands.{CreateAsSelect, ExplainCreate, ExplainPlan, InsertIntoTable}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.joins.{ChangesOf, Within}
import io.kafkalyst.model.{ObjectKind, Settings, TimeOfDay}
import io.kafkalyst.parse.grammar.KafkalystLexer._
import io.kafkalyst.query.{KsqlConf, PushQuery, SinkQuery}
import org.antlr.v4.runtime.Token
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.{InsertIntoStatement, Join, LogicalPlan}
import org.apache.spark.sql.execution.command.{ExplainCommand, ResetCommand, SetCommand}
import org.apache.spark.sql.internal.VariableSubstitution

/**
 * Decides by a statement's first words whose it is: ours goes to the [[AstBuilder]], a query with words that Spark
 * does not know is rewritten, and everything else goes untouched to the parser below.
 *
 * @param early what is done to a plan before Spark analyses it, where the session's analyzer does not do it
 */
final class SqlFrontDoor(session: SparkSession, below: ParserInterface, early: LogicalPlan => LogicalPlan = identity)
    extends ParserShell.FrontDoor {
  // Made on first use: parsing has no business in a session that is still being built.
  private lazy val store = new ObjectStore(session)
  private lazy val types = new NamedTypes(session)
  private lazy val variables = new VariableSubstitution()

  /** Spark has TIME, but refuses it in tables and casts as long as it is not told otherwise. */
  private lazy val allowTime: Unit =
    if (TimeOfDay.dataType.isDefined && !session.sessionState.conf.contains(TimeOfDay.enabled)) {
      session.conf.set(TimeOfDay.enabled, value = true)
    }

  override def parse(text: String, delegate: ParserShell.Below): LogicalPlan =
    try parsed(text, delegate)
    catch { case _: StackOverflowError => throw KafkalystException("STATEMENT_TOO_DEEP") }

  private def parsed(text: String, delegate: ParserShell.Below): LogicalPlan = {
    allowTime
    val given = VariableText(FlinkHints.rewritten(text), session.conf.getAll)
    val tokens = new Tokens(given)
    if (isOurs(tokens) || continuousInserts.isOne(given, tokens, delegate)) {
      val text = variables.substitute(given)
      builder(text, delegate).build()
    } else if (isQuotedSet(tokens)) quotedSet(tokens)
    else
      explained(given, tokens, delegate).orElse(smallStatement(given, tokens, delegate))
        .getOrElse(early(foreign(given, tokens, delegate)))
  }

  /** EXPLAIN of a statement of ours, of which CREATE STREAM|TABLE … AS has something to explain. */
  private def explained(given: String, tokens: Tokens, delegate: ParserShell.Below): Option[LogicalPlan] =
    Option(tokens(1)).filter(_ => isExplain(tokens))
      .map(word => given.substring(word.getStartIndex)).filter(statement => isOurs(new Tokens(statement)))
      .map(parse(_, delegate) match {
        case create: CreateAsSelect => ExplainCreate(create.properties, create.query)
        case _ => throw KafkalystException("EXPLAIN_WITHOUT_QUERY")
      })

  private def foreign(given: String, tokens: Tokens, delegate: ParserShell.Below): LogicalPlan =
    if (isDescribeExtended(tokens)) {
      delegate.parse(describeAsSparkSaysIt(given, tokens))
    } else {
      val plan = if (mayNeedRewriting(given, tokens)) rewritten(given, tokens, delegate)
      else doubledQuotes.parse(given, tokens)(delegate.parse)
      plan match {
        case explain: ExplainCommand => ExplainPlan(explain)
        case other => other
      }
    }

  private def builder(text: String, delegate: ParserShell.Below) =
    new AstBuilder(text, below, settings.upperIdentifiers, sinkQuery(_, delegate), types.find)

  private def smallStatement(text: String, tokens: Tokens, delegate: ParserShell.Below): Option[LogicalPlan] =
    if (!smallWords(tokens.kind(0)) && !Option(tokens(0)).exists(t => smallNames(t.getText.toUpperCase))) None
    else new KsqlStatements(text, tokens, settings.upperIdentifiers, builder(_, delegate).typeText()).build()

  private lazy val continuousInserts =
    new ContinuousInserts(store, () => settings, variables.substitute, sinkQuery)

  private lazy val doubledQuotes = new DoubledQuotes(store.isTopic)

  private def settings: Settings = Settings.of(session.conf.getAll)

  private def isOurs(tokens: Tokens): Boolean = tokens.kind(0) match {
    case CREATE =>
      val replaced = if (tokens.kind(1) == OR && tokens.kind(2) == REPLACE) 3 else 1
      val kind = if (tokens.kind(replaced) == IDENTIFIER && isSource(tokens, replaced)) replaced + 1 else replaced
      tokens.kind(kind) match {
        case STREAM => true
        case TABLE => isOurTable(tokens, kind + 1)
        case _ => false
      }
    case ALTER => isAlter(tokens)
    case DROP =>
      tokens.kind(1) match {
        case STREAM => true
        case TABLE =>
          val end = tokens.all.size
          end > 4 && tokens.kind(end - 2) == DELETE && tokens.kind(end - 1) == TOPIC
        case _ => false
      }
    case SHOW if tokens.kind(1) == CREATE => isShowCreate(tokens)
    case SHOW => Set(STREAMS, TOPICS, QUERIES).contains(tokens.kind(1))
    case LIST => Set(STREAMS, TOPICS, QUERIES, TABLES).contains(tokens.kind(1))
    case PRINT | TERMINATE => true
    case _ => false
  }

  private def isSource(tokens: Tokens, at: Int) =
    tokens(at).getText.equalsIgnoreCase("SOURCE") && Set(STREAM, TABLE).contains(tokens.kind(at + 1))

  /**
   * `CREATE TABLE name [(…)] WITH (`, which Spark's own CREATE TABLE never says, or `AS` right behind the name and a
   * query with EMIT, with WINDOW, or whose result is a table over topics, or `LIKE` behind columns or before one of
   * ours. With USING it is always Spark's.
   */
  private def isOurTable(tokens: Tokens, from: Int): Boolean = {
    val name = if (tokens.kind(from) == IF) from + 3 else from
    val behind = tokens.afterName(name)
    val next = if (tokens.kind(behind) == LPAREN) tokens.afterParentheses(behind) else behind
    val clause = if (tokens.kind(next) == COMMENT_WORD && tokens.kind(next + 1) == STRING) next + 2 else next
    (tokens.kind(clause) == WITH && tokens.kind(clause + 1) == LPAREN) || isLike(tokens, clause, clause > behind) ||
    (tokens.kind(next) == AS && {
      val words = tokens.all
      words.indices.exists(i => words(i).getType == EMIT && i + 1 < words.size) ||
      WindowClause.find(words).isDefined || makesTable(tokens)
    })
  }

  /** Spark has no columns before LIKE, and other clauses than Flink behind it. */
  private def isLike(tokens: Tokens, at: Int, hasColumns: Boolean): Boolean =
    Option(tokens(at)).exists(_.getText.equalsIgnoreCase("LIKE")) && tokens(at + 1) != null && {
      val end = tokens.kind(tokens.afterName(at + 1))
      hasColumns || (Set(Token.EOF, SEMICOLON, LPAREN).contains(end) && store.isTopic(tokens.nameParts(at + 1)))
    }

  /** Whether a query reads a topic and its result is a table, as groups or a table's rows are. */
  private def makesTable(tokens: Tokens): Boolean = {
    val words = tokens.all
    val read = words.indices.filter(i => Set(FROM, JOIN).contains(words(i).getType) && tokens(i + 1) != null)
      .flatMap(i => store.find(tokens.nameParts(i + 1)))
    def grouped = words.indices.exists(i =>
      words(i).getText.equalsIgnoreCase("GROUP") && Option(tokens(i + 1)).exists(_.getText.equalsIgnoreCase("BY"))
    )
    read.nonEmpty && (settings.upperIdentifiers || grouped || read.exists(_.topic.kind == ObjectKind.Table))
  }

  /** Columns of a stream, or of a table of ours; everything else of ALTER TABLE is Spark's. */
  private def isAlter(tokens: Tokens): Boolean = tokens.kind(1) match {
    case STREAM => true
    case TABLE =>
      val word = tokens.afterName(2)
      val ours =
        (tokens.kind(word) == ADD && !Option(tokens(word + 1)).exists(_.getText.equalsIgnoreCase("PARTITION"))) ||
          (tokens.kind(word) == REFRESH && tokens.kind(word + 1) == SCHEMA)
      ours && store.isTopic(tokens.nameParts(2))
    case _ => false
  }

  /** ksqlDB's `SET 'name'='value'` and `UNSET 'name'`, which Spark takes for names with quotes. */
  private def isQuotedSet(tokens: Tokens): Boolean = tokens.kind(1) == STRING && {
    val word = tokens(0).getText
    word.equalsIgnoreCase("UNSET") || (word.equalsIgnoreCase("SET") && tokens.kind(2) == EQ && tokens.kind(3) == STRING)
  }

  private def quotedSet(tokens: Tokens): LogicalPlan = {
    val name = Names.string(tokens(1))
    if (tokens.kind(2) == EQ) SetCommand(Some(name -> Some(Names.string(tokens(3))))) else ResetCommand(Some(name))
  }

  /** `SHOW CREATE STREAM|TABLE name AS language`; Spark's own says nothing behind the name, or AS SERDE. */
  private def isShowCreate(tokens: Tokens): Boolean =
    Set(STREAM, TABLE).contains(tokens.kind(2)) && {
      val as = tokens.afterName(3)
      tokens.kind(as) == AS && !Option(tokens(as + 1)).exists(_.getText.equalsIgnoreCase("SERDE"))
    }

  /** ksqlDB says `DESCRIBE name EXTENDED`, which to Spark is a column of that name. */
  private def isDescribeExtended(tokens: Tokens): Boolean =
    Set(DESC, DESCRIBE).contains(tokens.kind(0)) && {
      val words = tokens.all.reverse.dropWhile(_.getType == SEMICOLON).reverse
      words.size >= 3 && words.last.getType == EXTENDED && tokens.afterName(1) == words.size - 1
    }

  private def describeAsSparkSaysIt(text: String, tokens: Tokens): String = {
    val words = tokens.all.filter(_.getType != SEMICOLON)
    val name = words(1).getStartIndex
    val extended = words.last.getStartIndex
    text.substring(0, name) + "EXTENDED " + text.substring(name, extended)
  }

  private def mayNeedRewriting(text: String, tokens: Tokens): Boolean =
    Seq("EMIT", "STREAM", "WINDOW", "WITHIN").exists(containsWord(text, _)) || text.contains(
      "->"
    ) || intoTopic(tokens) ||
      (isQuery(tokens) && settings.upperIdentifiers)

  private def isQuery(tokens: Tokens): Boolean =
    Set(SELECT, WITH, FROM, LPAREN, INSERT).contains(tokens.kind(0)) || isExplain(tokens)

  private def isExplain(tokens: Tokens): Boolean = Option(tokens(0)).exists(_.getText.equalsIgnoreCase("EXPLAIN"))

  /** INSERT INTO and DELETE FROM a topic. */
  private def intoTopic(tokens: Tokens): Boolean = {
    val name = (tokens.kind(0), tokens.kind(1)) match {
      case (INSERT, INTO) => if (tokens.kind(2) == TABLE) 3 else 2
      case (DELETE, FROM) => 2
      case _ => -1
    }
    name > 0 && tokens(name) != null && store.isTopic(tokens.nameParts(name))
  }

  private def rewritten(text: String, tokens: Tokens, delegate: ParserShell.Below): LogicalPlan = {
    val into = intoTopic(tokens)
    val dialect = Dialect(into, (into || isQuery(tokens)) && settings.upperIdentifiers, sink = false)
    val query = new TokenRewriter(store.isTopic, types.find).rewrite(text, tokens, dialect)
    val plan =
      if (query.inKsql) KsqlConf.within(session)(delegate.parse(query.text)) else delegate.parse(query.text)
    if (query.emitChanges && InsertIntoTable.isOne(plan, store.isTopic)) intoTable(text, plan, query)
    else if (query.inKsql) KsqlConf.within(session)(read(plan, query))
    else read(plan, query)
  }

  /** Spark's INSERT or CREATE TABLE … AS with EMIT CHANGES. */
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
    InsertIntoTable(plan, sink, variables.substitute(text))
  }

  private def read(plan: LogicalPlan, query: RewrittenQuery): LogicalPlan = plan match {
    case explain: ExplainCommand => ExplainCommand(read(explain.logicalPlan, query), explain.mode)
    case _ =>
      val meant = placed(if (query.inKsql) KsqlLanguage(plan) else plan, query)
      if (!query.emitChanges && query.streams.isEmpty) meant
      else {
        val reads = UnboundedReads(shown(meant, query.emitChanges), query.emitChanges, query.streams)
        if (!query.inKsql) reads
        else PushQuery(SinkQuery(reads, None, structured = false, query.dereferences, early = early, isShown = true))
      }
  }

  private def shown(query: LogicalPlan, emitChanges: Boolean): LogicalPlan =
    if (emitChanges && query.exists(_.isInstanceOf[Join]) && !query.isInstanceOf[InsertIntoStatement]) ChangesOf(query)
    else query

  /** The query of a CREATE … AS: all its topics are read without end, and its key may have a clause. */
  private def sinkQuery(text: String, delegate: ParserShell.Below): SinkQuery = KsqlConf.within(session) {
    val dialect = Dialect(quotes = true, settings.upperIdentifiers, sink = true)
    val query = new TokenRewriter(store.isTopic, types.find).rewrite(text, new Tokens(text), dialect)
    SinkQuery(
      UnboundedReads(placed(KsqlLanguage(delegate.parse(query.text)), query), all = true, Set.empty),
      query.partitionBy.map(_.items.map(item => KsqlLanguage(below.parseExpression(item)))),
      query.partitionBy.exists(_.structured),
      query.dereferences,
      query.window.map(_.window),
      query.emitFinal,
      early
    )
  }

  /** The plan with the clauses that were cut out of its text. */
  private def placed(plan: LogicalPlan, query: RewrittenQuery): LogicalPlan = {
    val joined = Within.put(plan, query.withins)
    query.window.fold(joined)(w => WindowedInput.onto(joined, w.window, w.at))
  }

  /** A cheap first look, so that only texts with the word in them are read to the end. */
  private def containsWord(text: String, word: String): Boolean =
    (0 to text.length - word.length).exists(i => text.regionMatches(true, i, word, 0, word.length))

  private val smallWords = Set(CREATE, DROP, SHOW, LIST)
  private val smallNames = Set("DEFINE", "UNDEFINE", "RUN", "ASSERT", "PAUSE", "RESUME", "EXPLAIN")
}
