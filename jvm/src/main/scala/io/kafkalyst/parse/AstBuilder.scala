package io.kafkalyst.parse

import io.kafkalyst.commands._
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.metadata.MetadataColumns
import io.kafkalyst.model.{FlinkOptions, ObjectKind, Side, TopicColumn}
import io.kafkalyst.query.SinkQuery
import io.kafkalyst.parse.grammar.{KafkalystLexer, KafkalystParser, KafkalystParserBaseVisitor}
import io.kafkalyst.parse.grammar.KafkalystParser._
import org.antlr.v4.runtime.{CommonTokenStream, ParserRuleContext, Token}
import org.antlr.v4.runtime.misc.Interval
import org.apache.spark.sql.catalyst.parser.ParserInterface
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.types.DataType

import scala.jdk.CollectionConverters._

/**
 * One statement of ours → one command, by the grammar alone: no session, no registry, no broker.
 *
 * @param types Spark's parser, asked for column types
 * @param query the parser of the query after AS, which stands behind blanks that keep its positions
 * @param upper whether unquoted names fold to upper case
 * @param namedType the type, as Spark writes it, that a name of CREATE TYPE stands for
 */
final class AstBuilder(
    text: String,
    types: ParserInterface,
    upper: Boolean,
    query: String => SinkQuery,
    namedType: String => Option[String] = _ => None
) extends KafkalystParserBaseVisitor[LogicalPlan] {
  private val characters = new Utf16Stream(text)

  /** @throws io.kafkalyst.errors.KafkalystException SYNTAX_ERROR at the first word that does not fit */
  def build(): LogicalPlan = visit(parser().statement().kafkalystStatement())

  /** The text as a type, as Spark writes it; SYNTAX_ERROR, UNKNOWN_TYPE. */
  def typeText(): String = dataType(text, parser().typeStatement().columnType, isFlink = false).sql

  private def parser(): KafkalystParser = {
    val errors = new SyntaxErrors(text)
    val lexer = new KafkalystLexer(characters)
    lexer.removeErrorListeners()
    val parser = new KafkalystParser(new CommonTokenStream(lexer))
    parser.removeErrorListeners()
    parser.addErrorListener(errors)
    parser
  }

  /**
   * {{{
   * CREATE [OR REPLACE | SOURCE] STREAM|TABLE [IF NOT EXISTS] name [(column TYPE [KEY | PRIMARY KEY
   *   | METADATA [FROM 'key'] [VIRTUAL] | HEADERS | HEADER('name')], …)]
   *   WITH (property = value, …) [AS query]
   * }}}
   */
  override def visitCreateObject(ctx: CreateObjectContext): LogicalPlan = {
    val kind = ObjectKind.of(ctx.objectKind.getText)
    val readOnly = isSource(ctx)
    val properties = Option(ctx.withClause).toSeq.flatMap(_.property.asScala).map(property)
    val isFlink = FlinkOptions.isFlink(properties)
    val elements = Option(ctx.columns).toSeq.flatMap(_.columnElement.asScala)
    FlinkTable.check(elements, Option(ctx.tableComment), isFlink)
    val declared = elements.flatMap(e => Option(e.column))
    val columns = declared.map(column(kind, isFlink, _))
    MetadataColumns.check(columns.zip(declared.map(at)))
    val derived = FlinkTable.derived(elements, isFlink, identifier, source)
    val options = CreateOptions(ctx.REPLACE != null, ctx.EXISTS != null, readOnly = readOnly, derived = derived)
    if (isFlink && ctx.query == null) {
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
    def wrong(word: Token, expected: Seq[String]) = throw SyntaxErrors.at(
      text,
      word.getLine,
      word.getCharPositionInLine,
      s""""${word.getText}"""",
      expected
    )
    if (!ctx.like.getText.equalsIgnoreCase("LIKE")) wrong(ctx.like, Seq("AS", "LIKE", "WITH"))
    val elements = Option(ctx.columns).toSeq.flatMap(_.columnElement.asScala)
    FlinkTable.check(elements, Option(ctx.tableComment), isFlink = true)
    val rules = ctx.likeOption.asScala.foldLeft(Map.empty[String, String]) { (before, option) =>
      val feature = option.feature.getText.toUpperCase
      val left = TablePart.features.diff(before.keys.toSeq)
      if (!left.contains(feature)) wrong(option.feature, left)
      val strategy = option.strategy.getText.toUpperCase
      val strategies = TablePart.strategies(feature)
      if (!strategies.contains(strategy)) wrong(option.strategy, strategies)
      before + (feature -> strategy)
    }
    CreateLike(
      name(ctx.objectName(0)),
      ctx.EXISTS != null,
      FlinkTable.elements(elements, identifier, source),
      Option(ctx.withClause).toSeq.flatMap(_.property.asScala).map(property),
      name(ctx.objectName(1)),
      rules
    )
  }

  /** {{{ ALTER STREAM|TABLE name ADD [COLUMN] column TYPE [, …] }}} */
  override def visitAddColumns(ctx: AddColumnsContext): LogicalPlan = {
    val added = ctx.addedColumn.asScala.toSeq.map { c =>
      val name = identifier(c.identifier)
      TopicColumn(name, dataType(name, c.columnType, isFlink = false), Side.Value)
    }
    AddColumns(ObjectKind.of(ctx.objectKind.getText), name(ctx.objectName), added)
  }

  /** {{{ ALTER STREAM|TABLE name REFRESH SCHEMA }}} */
  override def visitRefreshSchema(ctx: RefreshSchemaContext): LogicalPlan =
    RefreshSchema(ObjectKind.of(ctx.objectKind.getText), name(ctx.objectName))

  /** Whether SOURCE stands before the kind: no word of the grammar, as it is a name far too often. */
  private def isSource(ctx: CreateObjectContext): Boolean = Option(ctx.source).exists { word =>
    if (!word.getText.equalsIgnoreCase("SOURCE") || ctx.query != null || ctx.REPLACE != null) {
      val start = (if (ctx.REPLACE != null && word.getText.equalsIgnoreCase("SOURCE")) ctx.REPLACE.getSymbol else word)
      throw SyntaxErrors.at(
        text,
        start.getLine,
        start.getCharPositionInLine,
        s""""${start.getText}"""",
        Seq("STREAM", "TABLE")
      )
    }
    true
  }

  /** {{{ INSERT INTO name [WITH (QUERY_ID = 'id')] query }}} */
  override def visitInsertQuery(ctx: InsertQueryContext): LogicalPlan = {
    val properties = Option(ctx.withClause).toSeq.flatMap(_.property.asScala).map(property)
    InsertAsSelect(name(ctx.objectName), properties, sinkQuery(ctx.query), text)
  }

  /** Blanks before the query keep its positions those of the whole statement. */
  private def sinkQuery(ctx: QueryContext): SinkQuery = {
    val before = text.substring(0, ctx.getStart.getStartIndex).map(c => if (c == '\n' || c == '\r') c else ' ')
    query(before + source(ctx))
  }

  /** {{{ DROP STREAM|TABLE [IF EXISTS] name [DELETE TOPIC] }}} */
  override def visitDropObject(ctx: DropObjectContext): LogicalPlan =
    DropObject(name(ctx.objectName), Some(ObjectKind.of(ctx.objectKind.getText)), ctx.EXISTS != null, ctx.TOPIC != null)

  /** {{{ SHOW|LIST STREAMS|TABLES|TOPICS|QUERIES [EXTENDED] }}} */
  override def visitShowObjects(ctx: ShowObjectsContext): LogicalPlan = ctx.listable.getStart.getType match {
    case STREAMS => ShowObjects(ObjectKind.Stream)
    case TABLES => ShowObjects(ObjectKind.Table)
    case TOPICS => ShowTopics()
    case QUERIES => ShowQueries(ctx.EXTENDED != null)
  }

  /** {{{ SHOW CREATE STREAM|TABLE name AS KSQLDB|FLINK }}} */
  override def visitShowCreate(ctx: ShowCreateContext): LogicalPlan =
    ShowCreate(name(ctx.objectName), ctx.dialect.getText)

  /** {{{ PRINT topic [FROM BEGINNING] [LIMIT n] }}} */
  override def visitPrintTopic(ctx: PrintTopicContext): LogicalPlan = {
    val topic =
      Option(ctx.topicName.STRING).map(s => Names.string(s.getSymbol)).getOrElse(Names.of(ctx.topicName.getStart))
    val limit = Option(ctx.NUMBER).map { n =>
      n.getText.toIntOption.getOrElse(throw SyntaxErrors.at(
        text,
        n.getSymbol.getLine,
        n.getSymbol.getCharPositionInLine,
        s""""${n.getText}"""",
        Seq("a whole number")
      ))
    }
    PrintTopic(topic, ctx.BEGINNING != null, limit.getOrElse(PrintTopic.defaultLimit))
  }

  /** {{{ TERMINATE id|ALL }}} */
  override def visitTerminateQuery(ctx: TerminateQueryContext): LogicalPlan =
    TerminateQueries(Option(ctx.queryId).map(id => Names.of(id.getStart)))

  private def name(ctx: ObjectNameContext): Seq[String] = ctx.identifier.asScala.map(i => identifier(i)).toSeq

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

  private def dataType(column: String, ctx: ColumnTypeContext, isFlink: Boolean): DataType = {
    val written = sparkType(FlinkTypes.spelled(source(ctx), isFlink))
    try types.parseDataType(written)
    catch {
      case e: org.apache.spark.sql.AnalysisException =>
        throw KafkalystException.caused(
          e,
          "UNKNOWN_TYPE",
          at(ctx) ++ Seq("column" -> column, "type" -> source(ctx)): _*
        )
    }
  }

  /** The type as Spark writes it: ksqlDB's BYTES and VARCHAR without a length have other names there. */
  private def sparkType(written: String): String = {
    val words = new Tokens(written).all
    val out = new java.lang.StringBuilder(written)
    words.zipWithIndex.reverse.foreach { case (word, i) =>
      val hasLength = i + 1 < words.size && words(i + 1).getType == KafkalystLexer.LPAREN
      val isField = i + 1 < words.size && startsType(words(i + 1))
      val replacement = word.getType match {
        case KafkalystLexer.QUOTED => Some(quoteIdentifier(Names.of(word)))
        case KafkalystLexer.IDENTIFIER if !isField =>
          word.getText.toUpperCase match {
            case "BYTES" => Some("BINARY")
            case "VARCHAR" if !hasLength => Some("STRING")
            case "VARCHAR" if words.lift(i + 2).exists(_.getText.equalsIgnoreCase("STRING")) =>
              out.delete(words(i + 1).getStartIndex, words(i + 3).getStopIndex + 1)
              Some("STRING")
            case other => namedType(other)
          }
        // Words of the language are names of fields, too.
        case _ if upper && isField && Names.isBare(word) => Some(Names.of(word, upper))
        case _ => None
      }
      replacement.foreach(out.replace(word.getStartIndex, word.getStopIndex + 1, _))
    }
    out.toString
  }

  /** Whether a word in a type is followed by a type, which makes it a field's name. */
  private def startsType(next: Token): Boolean =
    next.getType == KafkalystLexer.IDENTIFIER || next.getType == KafkalystLexer.COLON

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
