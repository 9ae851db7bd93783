package io.kafkalyst.parse

import java.util.Locale

import io.kafkalyst.parse.flink.{FlinkAlter, FlinkRefusals, FlinkTable, FlinkTypes}
import io.kafkalyst.catalog.define.ObjectDefinition
import io.kafkalyst.commands._
import io.kafkalyst.commands.flink.{AlterTable, CreateAs, CreateLike, ExplainSet, Replacing}
import io.kafkalyst.commands.show._
import io.kafkalyst.commands.topics.{AssertSchema, AssertTopic, Replay}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.metadata.MetadataColumns
import io.kafkalyst.model.{Durations, ObjectKind, Side, TopicColumn}
import io.kafkalyst.model.flink.{FlinkOptions, FlinkSettings, TablePart}
import io.kafkalyst.parse.island.Clauses
import io.kafkalyst.streams.SinkQuery
import io.kafkalyst.parse.grammar.KafkalystParserBaseVisitor
import io.kafkalyst.parse.grammar.KafkalystParser._
import org.antlr.v4.runtime.{ParserRuleContext, Token}
import org.antlr.v4.runtime.misc.Interval
import org.antlr.v4.runtime.tree.TerminalNode
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.command.{ResetCommand, SetCommand}
import org.apache.spark.sql.types.DataType

import scala.jdk.CollectionConverters._

/**
 * Converts the parse tree of one Kafkalyst statement to a command. Purely syntactic: no session, registry or broker.
 *
 * @param types Spark's parser, used for column types
 * @param query the parser of the query after AS, which is preceded by blanks to keep its positions
 * @param upper whether unquoted names fold to upper case
 * @param isKsqldb whether ksqlDB's rules apply
 * @param namedType the type, in Spark's syntax, to which CREATE TYPE gave a name
 * @param isCatalog whether a catalog has this name
 */
final class AstBuilder(
    text: String,
    types: ParserInterface,
    upper: Boolean,
    query: String => SinkQuery,
    isKsqldb: Boolean = false,
    namedType: String => Option[String] = _ => None,
    isCatalog: String => Boolean = _ => false
) extends KafkalystParserBaseVisitor[LogicalPlan] {
  private val characters = new Utf16Stream(text)

  /** The command for a parse tree. */
  def build(tree: KafkalystStatementContext): LogicalPlan = visit(tree)

  /**
   * {{{
   * CREATE [OR REPLACE | SOURCE] STREAM|TABLE [IF NOT EXISTS] name [(column TYPE [KEY | PRIMARY KEY
   *   | METADATA [FROM 'key'] [VIRTUAL] | HEADERS | HEADER('name')], …)]
   *   WITH (property = value, …) [AS query]
   * }}}
   */
  override def visitCreateObject(ctx: CreateObjectContext): LogicalPlan = {
    val kind = ObjectKind.of(ctx.objectKind.getText)
    checkSource(ctx)
    val properties = Option(ctx.withClause).toSeq.flatMap(_.property.asScala).map(property) ++
      FlinkTable.partitions(ctx.partitioned, identifier)
    val isFlink = FlinkOptions.isFlink(properties)
    checkPartitioned(ctx.partitioned, isFlink)
    val elements = Option(ctx.columns).toSeq.flatMap(_.columnElement.asScala)
    FlinkTable.check(elements, isFlink, if (isKsqldb) Nil else properties)
    val order = Option(ctx.columns).toSeq.flatMap(_.columnName.asScala)
    if (!isFlink || ctx.query == null) order.headOption.foreach(c => throw FlinkTable.withoutType(c))
    val declared = elements.flatMap(e => Option(e.column))
    val columns = declared.map(column(kind, isFlink, _))
    MetadataColumns.check(columns.zip(declared.map(at)))
    unique(columns, declared)
    val options = CreateOptions(
      ctx.REPLACE != null,
      ctx.EXISTS != null,
      readOnly = ctx.SOURCE != null,
      derived = FlinkTable.derived(elements, isFlink, identifier, columns, source),
      comment = Option(ctx.tableComment).map(c => Names.string(c.STRING.getSymbol))
    )
    if (ctx.CREATE == null && (!isFlink || ctx.query == null || ctx.EXISTS != null))
      throw FlinkRefusals.replace(ctx.REPLACE.getSymbol)
    if (isFlink && ctx.query != null) {
      if (ctx.partitioned != null) throw FlinkRefusals.partitioned(ctx.partitioned.what)
      val given = FlinkTable.elements(elements, identifier, source)
      val names = order.map(c => identifier(c.identifier))
      val table = name(ctx.objectName)
      val replaces = Option.when(ctx.REPLACE != null)(Replacing(mustBeThere = ctx.CREATE == null))
      val once =
        CreateAs(table, ctx.EXISTS != null, given, names, properties, options.comment, source(ctx.query), replaces)
      if (Clauses.of(text).emits.forall(_.CHANGES == null)) once else once.copy(endless = Some(sinkQuery(ctx.query)))
    } else if (isFlink) {
      val keys = FlinkTable.keyNames(elements).map(identifier)
      val types = declared.map(c => source(c.columnType))
      FlinkTable.create(name(ctx.objectName), columns, keys, properties, options, types)
    } else if (ctx.query == null) CreateObject(kind, name(ctx.objectName), columns, properties, options)
    else {
      if (elements.nonEmpty) throw KafkalystException("COLUMNS_WITH_QUERY", at(ctx.columns): _*)
      CreateAsSelect(kind, name(ctx.objectName), properties, options, sinkQuery(ctx.query), text)
    }
  }

  /** {{{ CREATE TABLE [IF NOT EXISTS] name [(column TYPE, …)] [WITH (…)] LIKE name [(INCLUDING METADATA …)] }}} */
  override def visitCreateLike(ctx: CreateLikeContext): LogicalPlan = {
    def wrong(word: Token, expected: Seq[String]) = throw SyntaxErrors.at(text, word, expected)
    if (!ctx.like.getText.equalsIgnoreCase("LIKE")) wrong(ctx.like, Seq("AS", "LIKE", "WITH"))
    checkPartitioned(ctx.partitioned, isFlink = true)
    val elements = Option(ctx.columns).toSeq.flatMap(_.columnElement.asScala)
    FlinkTable.check(elements, isFlink = true)
    Option(ctx.columns).flatMap(_.columnName.asScala.headOption).foreach(c => throw FlinkTable.withoutType(c))
    val rules = ctx.likeOption.asScala.foldLeft(Map.empty[String, String]) { (before, option) =>
      val feature = option.feature.getText.toUpperCase(Locale.ROOT)
      val left = TablePart.features.diff(before.keys.toSeq)
      if (!left.contains(feature)) wrong(option.feature, left)
      val strategy = option.strategy.getText.toUpperCase(Locale.ROOT)
      val strategies = TablePart.strategies(feature)
      if (!strategies.contains(strategy)) wrong(option.strategy, strategies)
      before + (feature -> strategy)
    }
    CreateLike(
      name(ctx.objectName(0)),
      ctx.EXISTS != null,
      FlinkTable.elements(elements, identifier, source),
      Option(ctx.withClause).toSeq.flatMap(_.property.asScala).map(property) ++
        FlinkTable.partitions(ctx.partitioned, identifier),
      name(ctx.objectName(1)),
      rules
    )
  }

  /** PARTITIONED and BY are not keywords of the grammar, so that they stay valid names elsewhere. */
  private def checkPartitioned(ctx: PartitionedContext, isFlink: Boolean): Unit = if (ctx != null) {
    if (!isFlink || !ctx.what.getText.equalsIgnoreCase("PARTITIONED"))
      throw SyntaxErrors.at(text, ctx.what, Seq("AS", "COMMENT", "LIKE", "WITH"))
    if (!ctx.by.getText.equalsIgnoreCase("BY")) throw SyntaxErrors.at(text, ctx.by, Seq("BY"))
  }

  /** {{{ ALTER STREAM|TABLE [IF EXISTS] name ADD COLUMN … | REFRESH SCHEMA | RENAME TO name | … }}} */
  override def visitAlterObject(ctx: AlterObjectContext): LogicalPlan = {
    val (kind, altered, ifExists) = (ObjectKind.of(ctx.objectKind.getText), name(ctx.objectName), ctx.EXISTS != null)
    checkRoles(FlinkAlter.elements(ctx.alteration))
    ctx.alteration match {
      case add: AddColumnsContext if !FlinkAlter.isFlinks(add, kind, upper) =>
        val declared = FlinkAlter.added(add).map(_.columnElement.column)
        val columns = declared.map(column(kind, isFlink = false, _))
        unique(columns, declared)
        val said = FlinkTable.declared(declared, isFlink = false, identifier, columns, source)
        AddColumns(kind, altered, columns, said)
      case _: RefreshSchemaContext => RefreshSchema(kind, altered)
      case rename: RenameObjectContext => RenameObject(kind, altered, name(rename.objectName), ifExists)
      case other =>
        FlinkTable.checkEnforced(FlinkAlter.elements(other))
        val change = FlinkAlter.change(other, column(ObjectKind.Table, isFlink = true, _), identifier, source, property)
        AlterTable(kind, altered, ifExists, change)
    }
  }

  /** Only CREATE declares header columns and a STREAM's key; ALTER may add Flink's PRIMARY KEY. */
  private def checkRoles(elements: Seq[ColumnElementContext]): Unit =
    elements.flatMap(e => Option(e.column)).flatMap(_.columnRole.asScala).foreach {
      case _: MetadataRoleContext =>
      case key: KeyRoleContext if key.PRIMARY != null =>
      case other => throw SyntaxErrors.at(text, other.getStart, Seq("';'", "the end"))
    }

  /** A SOURCE object is read-only, so SOURCE excludes both OR REPLACE and a query. */
  private def checkSource(ctx: CreateObjectContext): Unit =
    if (ctx.SOURCE != null && (ctx.query != null || ctx.REPLACE != null)) {
      val wrong = if (ctx.REPLACE != null) ctx.REPLACE else ctx.SOURCE
      throw SyntaxErrors.at(text, wrong.getSymbol, Seq("STREAM", "TABLE"))
    }

  /** {{{ INSERT INTO name [WITH (QUERY_ID = 'id')] [(column, …)] query }}} */
  override def visitInsertQuery(ctx: InsertQueryContext): LogicalPlan = {
    val properties = Option(ctx.withClause).toSeq.flatMap(_.property.asScala).map(property)
    val columns = Option(ctx.insertedColumns).toSeq.flatMap(_.identifier.asScala).map(identifier)
    InsertAsSelect(name(ctx.objectName), properties, columns, sinkQuery(ctx.query), text)
  }

  /** Blanks before the query keep its positions equal to those in the whole statement. */
  private def sinkQuery(ctx: QueryContext): SinkQuery = {
    val before = text.substring(0, ctx.getStart.getStartIndex).map(c => if (c == '\n' || c == '\r') c else ' ')
    query(before + source(ctx))
  }

  /** {{{ DROP STREAM|TABLE [IF EXISTS] name [DELETE TOPIC] }}} Spark's DROP TABLE handles both kinds. */
  override def visitDropObject(ctx: DropObjectContext): LogicalPlan = {
    val kind = ObjectKind.of(ctx.objectKind.getText)
    val isSparkStatement = ctx.objectKind.TABLE != null && ctx.TOPIC == null && !upper
    DropObject(name(ctx.objectName), Option.unless(isSparkStatement)(kind), ctx.EXISTS != null, ctx.TOPIC != null)
  }

  /** {{{ SHOW|LIST STREAMS|TABLES|[ALL] TOPICS|QUERIES [EXTENDED] [IN place] [[LIKE] 'pattern'] }}} */
  override def visitShowObjects(ctx: ShowObjectsContext): LogicalPlan = {
    Option(ctx.place).foreach(p => expect(p.in, "IN", "FROM", "LIKE"))
    val in = Option(ctx.place).fold(Seq.empty[String])(p => p.objectName.identifier.asScala.map(identifier).toSeq)
    val listed = Listed(in, like(ctx.pattern))
    if (ctx.ALL != null) ShowTopics(ctx.EXTENDED != null, listed, internal = true)
    else ctx.listable.getStart.getType match {
      case STREAMS => ShowObjects(ObjectKind.Stream, ctx.EXTENDED != null, listed)
      case TABLES => ShowObjects(ObjectKind.Table, ctx.EXTENDED != null, listed)
      case TOPICS => ShowTopics(ctx.EXTENDED != null, listed)
      case QUERIES =>
        Option(ctx.place).foreach(p => throw SyntaxErrors.at(text, p.getStart, Seq("LIKE", "the end")))
        ShowQueries(ctx.EXTENDED != null, listed)
    }
  }

  private def expect(word: Token, one: String, all: String*): Unit =
    if (word != null && !word.getText.equalsIgnoreCase(one)) throw SyntaxErrors.at(text, word, one +: all)

  private def like(pattern: PatternContext): Option[String] = Option(pattern).map { p =>
    expect(p.like, "LIKE")
    Names.string(p.STRING.getSymbol)
  }

  /** {{{ LIST FUNCTIONS [[LIKE] 'pattern'] }}} */
  override def visitListFunctions(ctx: ListFunctionsContext): LogicalPlan =
    ListFunctions(Listed(like = like(ctx.pattern)))

  /** {{{ DESCRIBE TOPIC topic }}} */
  override def visitDescribeTopic(ctx: DescribeTopicContext): LogicalPlan = DescribeTopic(topic(ctx.topicName))

  /** {{{ SHOW CREATE STREAM|TABLE name AS KSQLDB|FLINK }}} */
  override def visitShowCreate(ctx: ShowCreateContext): LogicalPlan =
    ShowCreate(name(ctx.objectName), ctx.dialect.getText)

  /** {{{ SHOW|LIST TYPES|VARIABLES|PROPERTIES }}} */
  override def visitShowSession(ctx: ShowSessionContext): LogicalPlan = ctx.sessionListable.getStart.getType match {
    case TYPES => ShowTypes()
    case VARIABLES => ShowVariables()
    case PROPERTIES => ShowProperties()
  }

  /** {{{ PRINT topic [FROM BEGINNING] [INTERVAL|SAMPLE n] [LIMIT n] }}} */
  override def visitPrintTopic(ctx: PrintTopicContext): LogicalPlan = PrintTopic(
    topic(ctx.topicName),
    ctx.BEGINNING != null,
    Option(ctx.NUMBER).fold(PrintTopic.defaultLimit)(whole),
    Option(ctx.sample).fold(1)(every)
  )

  private def every(ctx: SampleContext): Int = {
    val word = ctx.what.getText.toUpperCase(Locale.ROOT)
    def refused(expected: String*) = throw SyntaxErrors.at(text, ctx.what, expected)
    if (!Set("INTERVAL", "SAMPLE")(word)) refused("FROM", "INTERVAL", "LIMIT", "SAMPLE", "the end")
    Option(ctx.NUMBER).map(whole).filter(_ > 0).getOrElse(refused(s"$word with a number of at least 1"))
  }

  /** {{{ REPLAY name [FROM BEGINNING] [LIMIT n] }}} */
  override def visitReplay(ctx: ReplayContext): LogicalPlan =
    Replay(name(ctx.objectName), ctx.BEGINNING != null, Option(ctx.NUMBER).map(whole(_).toLong))

  /** {{{ TERMINATE id|ALL }}} */
  override def visitTerminateQueries(ctx: TerminateQueriesContext): LogicalPlan = TerminateQueries(queries(ctx.queries))

  /** {{{ PAUSE id|ALL }}} */
  override def visitPauseQueries(ctx: PauseQueriesContext): LogicalPlan = PauseQueries(queries(ctx.queries))

  /** {{{ RESUME id|ALL }}} */
  override def visitResumeQueries(ctx: ResumeQueriesContext): LogicalPlan = ResumeQueries(queries(ctx.queries))

  /** {{{ EXPLAIN id }}} */
  override def visitExplainQuery(ctx: ExplainQueryContext): LogicalPlan =
    ExplainQuery(Names.of(ctx.queryId.getStart, upper))

  /** {{{ EXPLAIN CREATE STREAM|TABLE … AS query | INSERT INTO name query }}} Only these statements have a plan. */
  override def visitExplainStatement(ctx: ExplainStatementContext): LogicalPlan = visit(ctx.kafkalystStatement) match {
    case query: QueryStatement => ExplainQueryStatement(query)
    case table: CreateAs => ExplainSet(Seq(table.query))
    case _ => throw KafkalystException("EXPLAIN_WITHOUT_QUERY")
  }

  /** {{{ CREATE TYPE [IF NOT EXISTS] name AS type }}} */
  override def visitCreateType(ctx: CreateTypeContext): LogicalPlan = {
    val named = identifier(ctx.identifier)
    CreateType(named, dataType(source(ctx.columnType), ctx.columnType, isFlink = false).sql, ctx.EXISTS != null)
  }

  /** {{{ DROP TYPE [IF EXISTS] name }}} */
  override def visitDropType(ctx: DropTypeContext): LogicalPlan =
    DropType(ctx.EXISTS != null, identifier(ctx.identifier))

  /** {{{ DEFINE name = 'value' }}} */
  override def visitDefineVariable(ctx: DefineVariableContext): LogicalPlan =
    DefineVariable(identifier(ctx.identifier), Names.string(ctx.STRING.getSymbol))

  /** {{{ UNDEFINE name }}} */
  override def visitUndefineVariable(ctx: UndefineVariableContext): LogicalPlan =
    UndefineVariable(identifier(ctx.identifier))

  /** {{{ SET 'property' = 'value' }}} */
  override def visitSetProperty(ctx: SetPropertyContext): LogicalPlan = {
    val (name, value) = (Names.string(ctx.STRING(0).getSymbol), Names.string(ctx.STRING(1).getSymbol))
    if (FlinkSettings.isUnset(name, value)) ResetCommand(Some(FlinkSettings.named(name)))
    else SetCommand(Some(FlinkSettings.named(name) -> Some(value)))
  }

  /** {{{ UNSET | RESET 'property' }}} */
  override def visitUnsetProperty(ctx: UnsetPropertyContext): LogicalPlan =
    ResetCommand(Some(FlinkSettings.named(Names.string(ctx.STRING.getSymbol))))

  /** {{{ RUN SCRIPT 'file' }}} */
  override def visitRunScript(ctx: RunScriptContext): LogicalPlan =
    RunScript(Names.string(ctx.STRING.getSymbol))(Scripts.split)

  /** {{{ ASSERT [NOT EXISTS] TOPIC name [WITH (…)] [TIMEOUT n unit] }}} */
  override def visitAssertTopic(ctx: AssertTopicContext): LogicalPlan = {
    val properties = Option(ctx.withClause).toSeq.flatMap(_.property.asScala).map(property)
    AssertTopic(topic(ctx.topicName), properties, ctx.EXISTS == null, Option(ctx.timeout).map(millis))
  }

  /** {{{ ASSERT [NOT EXISTS] SCHEMA [SUBJECT name] [ID n] [TIMEOUT n unit] }}} */
  override def visitAssertSchema(ctx: AssertSchemaContext): LogicalPlan = AssertSchema(
    Option(ctx.topicName).map(topic),
    Option(ctx.NUMBER).map(whole),
    ctx.EXISTS == null,
    Option(ctx.timeout).map(millis)
  )

  /** None for ALL. */
  private def queries(ctx: QueriesContext): Option[String] =
    Option(ctx.queryId).map(id => Names.of(id.getStart, upper))

  /** A topic's name; dots in it need no quotes. */
  private def topic(ctx: TopicNameContext): String = Option(ctx.STRING).map(s => Names.string(s.getSymbol))
    .getOrElse(ctx.identifier.asScala.map(i => Names.of(i.getStart)).mkString("."))

  private def whole(number: TerminalNode): Int =
    number.getText.toIntOption.getOrElse(throw SyntaxErrors.at(text, number.getSymbol, Seq("a whole number")))

  private def millis(ctx: TimeoutContext): Long = Durations.millis(s"${whole(ctx.NUMBER)} ${ctx.unit.getText}")
    .getOrElse(throw SyntaxErrors.at(text, ctx.unit, Seq("DAYS", "HOURS", "MILLISECONDS", "MINUTES", "SECONDS")))

  private def name(ctx: ObjectNameContext): Seq[String] = {
    val parts = ctx.identifier.asScala.toSeq
    parts.foreach(identifier)
    Names.parts(parts.map(_.getStart), upper, isCatalog)
  }

  private def identifier(ctx: IdentifierContext): String = {
    val name = Names.of(ctx.getStart, upper)
    if (name.isEmpty) throw KafkalystException("EMPTY_NAME", at(ctx): _*)
    name
  }

  private def column(kind: ObjectKind, isFlink: Boolean, ctx: ColumnContext): TopicColumn = {
    val name = identifier(ctx.identifier)
    val given = ColumnRoles.only(name, ctx.columnRole.asScala.toSeq)
    val side = given.collect { case role: KeyRoleContext => role }.fold[Side](Side.Value) { role =>
      val primary = role.PRIMARY != null
      if (primary != (kind == ObjectKind.Table)) {
        throw KafkalystException(
          "WRONG_KEY_WORD",
          at(role) ++ Seq("column" -> name, "kind" -> kind.name, "word" -> (if (primary) "KEY" else "PRIMARY KEY")): _*
        )
      }
      Side.Key
    }
    val declared = dataType(name, ctx.columnType, isFlink)
    TopicColumn(name, declared, side, given.flatMap(ColumnRoles.metadata(name, declared, _)))
  }

  /** DUPLICATE_COLUMN at the first column that repeats a name or has a duplicate field. */
  private def unique(columns: Seq[TopicColumn], declared: Seq[ColumnContext]): Unit = {
    def fault(of: Seq[TopicColumn]) =
      try { ObjectDefinition.unique(of, eitherSide = isKsqldb); None }
      catch { case e: KafkalystException => Some(e) }
    if (fault(columns).isDefined)
      for (i <- columns.indices; e <- fault(columns.take(i + 1)); word = declared(i).getStart)
        throw e.at(Some(word.getLine), Some(word.getCharPositionInLine))
  }

  private def dataType(column: String, ctx: ColumnTypeContext, isFlink: Boolean): DataType = {
    val plain = if (isKsqldb && !isFlink) KsqlTypes.plain(source(ctx), namedType, at(ctx)) else source(ctx)
    val written = new ColumnTypes(upper, namedType).spelled(FlinkTypes.spelled(plain, isFlink))
    def wrong(condition: String, e: Throwable, more: (String, String)*) =
      KafkalystException.caused(e, condition, at(ctx) ++ more :+ ("type" -> source(ctx)): _*)
    try types.parseDataType(written)
    catch {
      case e: org.apache.spark.sql.AnalysisException =>
        throw wrong("UNKNOWN_TYPE", e, ColumnTypes.unknown(e, source(ctx)): _*)
      // DECIMAL with too many digits.
      case e: ArithmeticException => throw wrong("DECIMAL_TOO_LONG", e, "column" -> column)
    }
  }

  private def property(ctx: PropertyContext): (String, String) = {
    val name = Option(ctx.propertyName.STRING).map(s => Names.string(s.getSymbol)).getOrElse(source(ctx.propertyName))
    val value =
      Option(ctx.propertyValue.STRING).map(s => Names.string(s.getSymbol)).getOrElse(source(ctx.propertyValue))
    name -> value
  }

  private def source(ctx: ParserRuleContext): String =
    characters.getText(Interval.of(ctx.getStart.getStartIndex, ctx.getStop.getStopIndex))

  private def at(ctx: ParserRuleContext): Seq[(String, String)] = ColumnRoles.at(ctx)
}
