package io.kafkalyst.parse

import io.kafkalyst.parse.door.{DoorSession, QueryTexts, Reads, ScriptStatements, ScriptTexts, StatementTexts}
import io.kafkalyst.parse.flink.{
  FlinkClauses,
  FlinkDrops,
  FlinkExecute,
  FlinkHints,
  FlinkRefusals,
  FlinkStatements,
  FlinkViews,
  FlinkWindows,
  FlinkWords
}
import io.kafkalyst.bridge.ParserShell
import io.kafkalyst.commands.{CreateObject, ExplainPlan}
import io.kafkalyst.commands.flink.{CreateLike, ExplainSet, StatementSet}
import io.kafkalyst.commands.show.ShowColumnNames
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.functions.RowValue
import io.kafkalyst.model.{TimeOfDay, Variables}
import io.kafkalyst.parse.quotes.{Backslashes, TypographicQuotes}
import io.kafkalyst.streams.ksql.KsqlConf
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedFunction, UnresolvedInlineTable}
import org.apache.spark.sql.catalyst.expressions.Literal
import org.apache.spark.sql.catalyst.parser.{ParseException, ParserInterface}
import org.apache.spark.sql.catalyst.plans.logical.{
  Command,
  CompoundBody,
  DeleteFromTable,
  InsertIntoStatement,
  LogicalPlan
}
import org.apache.spark.sql.execution.command.ExplainCommand

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
  private val door = new DoorSession(session)
  private val queries = new QueryTexts(session, door, below, early)
  private val statements = new StatementTexts(session, door, below, queries)
  import door.{foldsNames, isKsqldb, store, views}
  import queries.{prepared, unnested}

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
        plan => {
          val meant = ofAccepted(substituted, streamed(substituted, unnested(substituted, plan)), delegate)
          late(substituted, meant, delegate)
        }
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

  /**
   * `FROM STREAM name` reads a topic as a stream; a table named `stream` stays one. Plans of other texts are not
   * traversed.
   */
  private def streamed(text: String, plan: LogicalPlan): LogicalPlan =
    if (!Mentions(text, "stream") || plan.isInstanceOf[CompoundBody]) plan
    else Reads.streamed(plan, name => store.isTopic(Seq(name)) && !session.catalog.tableExists("stream"))

  /** What the statements of Spark's scripts mean is known when they run, and what `IDENTIFIER(…)` names is, too. */
  private def late(text: String, plan: LogicalPlan, delegate: ParserShell.Below): LogicalPlan = plan match {
    case script: CompoundBody =>
      def isMeant(statement: LogicalPlan) = statements.mayBeOfScript(statement) || Reads.hasStream(statement) ||
        door.isByHand && (Reads.names(statement).nonEmpty || Reads.hasComputedName(statement) ||
          Reads.dropsAll(statement))
      ScriptStatements.late(script, isMeant) { (text, statement) =>
        statements.ofScript(text, statement, delegate).getOrElse(prepared(streamed(text, statement), delegate))
      }
    case other => other
  }

  /** Spark's plan, unless the text has another meaning in Kafkalyst's language. */
  private def ofAccepted(text: String, plan: LogicalPlan, delegate: ParserShell.Below): LogicalPlan = {
    lazy val topics = Reads.names(plan).filter(store.isTopic)
    lazy val isKsqls = foldsNames && isQuery(plan)
    statements.ofAccepted(text, plan, delegate).getOrElse {
      def isFlinks = FlinkWords.isIn(text) && (topics.nonEmpty || Reads.names(plan).exists(views.isOverTopics))
      if ((text.contains("->") || isKsqls) && topics.nonEmpty || isFlinks)
        queries.reread(text, plan, topics, isKsqls, delegate)
      else {
        def isMeant = Reads.quotes(text, plan, views) || Reads.caches(plan, views) ||
          Reads.dropsAll(plan) || Mentions(text, "identifier") && Reads.hasComputedName(plan) ||
          Mentions(text, "default_database") || Mentions(text, "default_catalog")
        def isByHand = door.isByHand && (topics.nonEmpty || isMeant)
        plan match {
          case explain: ExplainCommand if topics.nonEmpty || isByHand =>
            ExplainPlan(ExplainCommand(prepared(explain.logicalPlan, delegate), explain.mode))
          case _ => if (isByHand) prepared(plan, delegate) else plan
        }
      }
    }
  }

  /** In ksqlDB's dialect, the VALUES of an INSERT into a topic use ksqlDB's language. */
  private def ksqlValues(plan: LogicalPlan): LogicalPlan = plan match {
    case i: InsertIntoStatement if isKsqldb && i.query.isInstanceOf[UnresolvedInlineTable] =>
      if (!Reads.names(i.table).exists(store.isTopic)) i
      else
        i.withNewChildren(Seq(KsqlConf.within(session)(i.query.mapExpressions {
          case simple @ (_: Literal | _: UnresolvedAttribute) => simple
          // `array()` and `map()` take the column's type.
          case f: UnresolvedFunction if f.arguments.isEmpty && KsqlLanguage.isConstructor(f) => f
          case other => RowValue(KsqlLanguage.value(other))
        })))
    case other => other
  }

  private def isQuery(plan: LogicalPlan): Boolean = plan match {
    case _: DeleteFromTable | _: ExplainCommand => true
    case other => !other.isInstanceOf[Command]
  }

  /** Handles a text that Spark rejected. */
  private def ofRefused(text: String, refused: ParseException, delegate: ParserShell.Below): LogicalPlan = {
    val words = new Tokens(Backslashes.rewritten(text)).withoutComments
    FlinkExecute.single(words).orElse(FlinkStatements.rewritten(words, store)).map(parse(_, delegate))
      .orElse(FlinkExecute.several(words).map(StatementSet(_)))
      .orElse(FlinkExecute.explained(words).map(ExplainSet(_)))
      .orElse(FlinkStatements.temporary(words).map(parse(_, delegate)).collect {
        case create: CreateObject if create.options.isFlink =>
          create.copy(options = create.options.copy(temporary = true))
        case like: CreateLike => like.copy(temporary = true)
      })
      .orElse(FlinkDrops.plan(words, store, parse(_, delegate)))
      .orElse(FlinkViews.plan(words, store, parse(_, delegate)))
      .orElse(FlinkStatements.unlike(words, parse(_, delegate)))
      .orElse(FlinkStatements.columnsLike(words).collect {
        case (table, like) if store.isTopic(table) => ShowColumnNames(table, Some(like))
      })
      .getOrElse(ofStatement(text, refused, delegate))
  }

  /** Whether a statement that Spark rejects is Kafkalyst's, or a query with Kafkalyst's clauses. */
  private def isOurs(text: String, refused: ParseException, delegate: ParserShell.Below): Boolean =
    Statements.parse(door.bound(text, delegate)).exists(statements.isOurs(_, text, delegate)) ||
      Try(queries.withClauses(FlinkClauses.rewritten(text), refused, delegate))
        .fold(_.isInstanceOf[KafkalystException], _ => true)

  private def ofStatement(text: String, refused: ParseException, delegate: ParserShell.Below): LogicalPlan = {
    val given = Backslashes.rewritten(FlinkWindows.rewritten(FlinkHints.rewritten(text)))
    ScriptTexts.refusal(given, isOurs(_, refused, delegate), below => Try(delegate.parse(below)).isSuccess)
      .foreach(throw _)
    lazy val refusal = FlinkRefusals.of(given).orElse(KsqlRefusals.of(given))
    Statements.parse(door.bound(given, delegate)) match {
      case Right(tree) if statements.isOurs(tree, given, delegate) => statements.build(tree, given, delegate)
      case Left(_) if refusal.isDefined => throw refusal.get
      case Left(misfit) if Statements.saysMore(misfit, new Tokens(given)) =>
        throw TypographicQuotes.fault(new Tokens(given)).getOrElse(misfit.error)
      case _ =>
        try prepared(queries.withClauses(FlinkClauses.rewritten(given), refused, delegate), delegate)
        catch { case e: ParseException => throw FlinkRefusals.ofQuery(given).getOrElse(e) }
    }
  }
}
