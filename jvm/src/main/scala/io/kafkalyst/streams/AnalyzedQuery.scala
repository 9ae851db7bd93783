package io.kafkalyst.streams

import io.kafkalyst.catalog.{ObjectStore, TopicTable}
import io.kafkalyst.errors.{Conditions, KafkalystException}
import io.kafkalyst.formats.raw.KafkaFormat
import io.kafkalyst.joins.ContinuousJoins
import io.kafkalyst.metadata.{PseudoColumns, WindowedKey}
import io.kafkalyst.model.ObjectKind
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.streams.ksql.{ImplicitCasts, KsqlConf, KsqlOnly, TypeErrors}
import org.apache.spark.sql.{AnalysisException, SparkSession}
import org.apache.spark.sql.catalyst.ExtendedAnalysisException
import org.apache.spark.sql.catalyst.expressions.{And, VariableReference, VirtualColumn}
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, PivotFirst}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Distinct, Expand, Filter, LogicalPlan, Union}
import org.apache.spark.sql.kafkalyst.Frames

/**
 * A query into a topic, analysed against the current catalog.
 *
 * Its creation throws KafkalystException: SOURCE_NOT_FOUND for a name that is not in the catalog, NO_TOPIC_IN_QUERY if
 * the query reads no topic, NOT_IN_KSQLDB, IMPLICIT_CAST, SOURCE_HAS_SYSTEM_COLUMN, and any error of Spark's analyzer;
 * in ksqlDB's dialect also the errors of [[TypeErrors]] and [[KsqlOnly]].
 *
 * @param changed adapts the analysed plan to its sink
 */
final class AnalyzedQuery(session: SparkSession, val query: SinkQuery, changed: LogicalPlan => LogicalPlan = identity) {

  import AnalyzedQuery.GROUPING

  private val isKsqlOnly = Settings.of(session.conf.getAll).isKsqldb
  if (isKsqlOnly) KsqlOnly.checkClauses(query.child)

  /** The resolved plan, under ksqlDB's rules if its expressions are ksqlDB's. */
  val plan: LogicalPlan =
    try {
      def analyzed = InlinedQuery(Frames.of(session, query.ready).queryExecution.analyzed)
      val found = if (query.inKsql) KsqlConf.within(session)(analyzed) else analyzed
      changed(if (isKsqlOnly) KsqlOnly.ordered(found) else found)
    } catch {
      case e: AnalysisException if e.getCondition == "TABLE_OR_VIEW_NOT_FOUND" =>
        throw AnalyzedQuery.unknown(session, e.getMessageParameters.get("relationName")).at(e.line, e.startPosition)
      case e: AnalysisException if GROUPING(e.getCondition) && query.partitionBy.isDefined =>
        throw KafkalystException("PARTITION_BY_AGGREGATE").at(e.line, e.startPosition)
      case TypeErrors(ours) if isKsqlOnly => throw ours
      // The plan below Spark's message shows internal classes of this project, so it is removed.
      case e: ExtendedAnalysisException => throw new ExtendedAnalysisException(e, null)
    }

  if (isKsqlOnly) KsqlOnly.check(plan)
  if (query.inKsql) ImplicitCasts.check(plan)

  /**
   * The plan for rows that are shown, not written; its groups follow ksqlDB's rules, and `*` has PARTITION BY's key
   * first. Throws REKEY_OF_TABLE, WINDOWED_REKEY and REPEATED_PARTITION_BY.
   */
  def shown: LogicalPlan = {
    if (query.partitionBy.isDefined) checkKey()
    SinkProjection.shown(plan).transformUp {
      case grouped: Aggregate if grouped.isStreaming =>
        val kept = GroupedChanges.kept(grouped).reduceOption(And)
        kept.fold[LogicalPlan](grouped)(condition => grouped.withNewChildren(Seq(Filter(condition, grouped.child))))
    }
  }

  private def checkKey(): Unit = sources match {
    case Seq(one) if one.topic.kind == ObjectKind.Table =>
      throw KafkalystException("REKEY_OF_TABLE", "name" -> one.name)
    case Seq(one) if one.topic.columns.exists(WindowedKey.isBound) =>
      throw KafkalystException("WINDOWED_REKEY", "name" -> one.name)
    case _ =>
  }

  /** The topics that the query reads, leftmost first. */
  val sources: Seq[TopicTable] = Sources.of(plan)
  // The query must be able to start again in another session, so its objects must not be temporary.
  if (!query.isShown) sources.map(_.name).foreach(new ObjectStore(session).requireLasting)

  // The query may instead read another catalog's table as a stream: FROM STREAM lake.db.t.
  if (sources.isEmpty && !plan.isStreaming) throw KafkalystException("NO_TOPIC_IN_QUERY")

  /** Throws NO_TOPIC_IN_QUERY if the query only reads streams of other catalogs' tables. */
  lazy val leftmost: TopicTable = sources.headOption.getOrElse(throw KafkalystException("NO_TOPIC_IN_QUERY"))

  // A key column ROWOFFSET (from PARTITION BY ROWOFFSET) contains another topic's offsets and would shadow this topic's
  // own.
  sources.flatMap(s => s.topic.columns.find(PseudoColumns.isKeyOf).map(s -> _)).foreach { case (source, column) =>
    throw KafkalystException("SOURCE_HAS_SYSTEM_COLUMN", "name" -> source.name, "column" -> column.name)
  }

  val isJoin: Boolean = ContinuousJoins.isIn(plan)
  val isGrouped: Boolean = plan.exists(_.isInstanceOf[Aggregate])

  /**
   * Throws SINK_QUERY_SHAPE for an operator whose rows have no key under which a topic could store them.
   *
   * @param completes as in [[checkContinuous]]
   */
  def checkShape(completes: Boolean = false): Unit = plan.foreach {
    case Distinct(_: Union) => AnalyzedQuery.shape("UNION", "UNION ALL passes all rows on")
    case _: Distinct =>
      AnalyzedQuery.shape("SELECT DISTINCT", "CREATE TABLE … AS SELECT with GROUP BY has one row for each group")
    case other => if (!completes) AnalyzedQuery.checkSets(other)
  }

  /** Throws WINDOW_FUNCTION for groups by windows without a WINDOW clause: the sink's keys would lack the bounds. */
  def checkWindows(): Unit = plan.foreach {
    case grouped: Aggregate => grouped.groupingExpressions.find(GroupedChanges.isWindow).foreach { window =>
        throw KafkalystException("WINDOW_FUNCTION").at(window.origin.line, window.origin.startPosition)
      }
    case _ =>
  }

  /**
   * Throws VARIABLE_IN_CONTINUOUS for a variable of the session or of a script, because the query restarts without
   * them; GROUPS_OF_GROUPS; and SINK_QUERY_SHAPE for PIVOT, which Spark plans as two aggregations.
   *
   * @param completes whether groups are emitted only when they are complete, so that they may be grouped again
   */
  def checkContinuous(completes: Boolean = false): Unit = plan.foreach { operator =>
    operator.expressions.foreach(_.foreach {
      case variable: VariableReference =>
        throw KafkalystException("VARIABLE_IN_CONTINUOUS", "name" -> variable.originalNameParts.mkString("."))
          .at(variable.origin.line, variable.origin.startPosition)
      case _ =>
    })
    if (!completes) AnalyzedQuery.checkNested(operator)
  }

  /**
   * Throws INSERT_OF_CHANGES if the sink would store changes of a [[ChangeStream]] as rows, and CHANGES_AS_ROWS if the
   * query joins changes.
   *
   * @param takesThem whether the sink can represent deleted rows
   */
  def checkChanges(sink: String, takesThem: Boolean): Unit = sources.find(ChangeStream.is).foreach { source =>
    ChangeStream.checkJoined(plan)
    val isRight = if (isGrouped) ChangeStream.combinesRows(source) else takesThem && !isJoin
    if (!isRight && !ChangeStream.namesChanges(plan))
      throw KafkalystException("INSERT_OF_CHANGES", "object" -> sink, "source" -> source.name)
  }

  /** Throws VALUE_FORMAT_NOT_COMBINED for a source whose value format cannot be used in ksqlDB's joins and groups. */
  def checkFormats(): Unit = {
    val what = if (isJoin) Some("JOIN") else if (isGrouped) Some("GROUP BY") else None
    what.zip(sources.find(_.topic.value.format == KafkaFormat.name)).foreach { case (what, source) =>
      throw KafkalystException("VALUE_FORMAT_NOT_COMBINED", "name" -> source.name, "what" -> what)
    }
  }
}

object AnalyzedQuery {

  /** Throws GROUPS_OF_GROUPS or SINK_QUERY_SHAPE for groups that cannot retract rows. */
  def checkGroups(plan: LogicalPlan): Unit = plan.foreach { operator =>
    checkSets(operator)
    checkNested(operator)
  }

  /** Throws NOT_WITHOUT_END. Spark would refuse these only when the query starts, with the plan as the message. */
  def checkDistinct(plan: LogicalPlan): Unit = plan.foreach {
    case grouped: Aggregate if grouped.isStreaming =>
      grouped.expressions.foreach(_.foreach {
        case f: AggregateExpression if f.isDistinct =>
          val what = "An aggregate of DISTINCT values, which COUNT_DISTINCT(x) counts approximately,"
          throw KafkalystException("NOT_WITHOUT_END", "what" -> what).at(f.origin.line, f.origin.startPosition)
        case _ =>
      })
    case _ =>
  }

  private def checkSets(operator: LogicalPlan): Unit = operator match {
    case e: Expand if e.output.exists(_.name == VirtualColumn.groupingIdName) =>
      shape("CUBE, ROLLUP or GROUPING SETS", "write one query for each set of columns")
    case _ =>
  }

  private def checkNested(operator: LogicalPlan): Unit = operator match {
    case outer: Aggregate if outer.child.exists(inner => inner.isInstanceOf[Aggregate] && inner.isStreaming) =>
      if (outer.aggregateExpressions.exists(_.exists(_.isInstanceOf[PivotFirst])))
        shape("PIVOT", "aggregate CASE WHEN … END for each column")
      throw KafkalystException("GROUPS_OF_GROUPS").at(outer.origin.line, outer.origin.startPosition)
    case _ =>
  }

  private def shape(what: String, instead: String) =
    throw KafkalystException("SINK_QUERY_SHAPE", "what" -> what, "instead" -> instead)

  private val GROUPING = Set("MISSING_GROUP_BY", "KAFKALYST_NOT_GROUPED")

  /** @param name the name as Spark writes it, each part between backticks */
  private def unknown(session: SparkSession, name: String): KafkalystException =
    unknown(session, name.stripPrefix("`").stripSuffix("`").split("`\\.`").toSeq.map(_.replace("``", "`")))

  /** SOURCE_NOT_FOUND with the nearest name. */
  def unknown(session: SparkSession, given: Seq[String]): KafkalystException = KafkalystException(
    "SOURCE_NOT_FOUND",
    "name" -> given.mkString("."),
    "database" -> given.dropRight(1).lastOption.getOrElse(session.catalog.currentDatabase),
    "nearest" -> Conditions.nearest(given.last, new ObjectStore(session).sources(given.dropRight(1).lastOption))
  )
}
