package io.kafkalyst.commands

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.joins.{TimeRange, WatermarkMark}
import io.kafkalyst.metadata.{MetadataKeys, MetadataWriter, PseudoColumns, WallTime}
import io.kafkalyst.model.{ObjectKind, Side, TopicColumn, TopicObject}
import io.kafkalyst.query.{PlannedQuery, ResultRows, Sink}
import io.kafkalyst.streams.{AnalyzedQuery, Carrying, Changes, SinkQuery}
import io.kafkalyst.streams.over.OverRows
import io.kafkalyst.write.{SinkColumns, TopicWrite}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{
  Alias,
  Attribute,
  Cast,
  CurrentTimestampLike,
  Expression,
  Literal,
  NamedExpression
}
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Deduplicate, Distinct, LogicalPlan, Project}
import org.apache.spark.sql.kafkalyst.Frames
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types.{ArrayType, MapType, StructType, TimestampNTZType}

/**
 * The rows of a continuous query whose columns are matched to an object's by position, as in Flink's INSERT and in
 * Spark's: into a TABLE, and into objects that Flink's DDL declared. The object determines which columns are the key.
 *
 * @param name    the object's name, for messages
 * @param named   the column list of the INSERT; empty for all columns
 * @param started the sink's columns when the query was started, if it goes on: those that it has got since are NULL
 */
private[commands] final class PlacedRows(
    session: SparkSession,
    query: SinkQuery,
    of: AnalyzedQuery,
    name: String,
    sink: TopicObject,
    named: Seq[String],
    started: Option[Seq[String]]
) {
  private val isTable = sink.kind == ObjectKind.Table

  /**
   * @throws io.kafkalyst.errors.KafkalystException INSERT_QUERY_KEY if the key of the result is not the TABLE's key,
   *         INSERT_QUERY_TARGET, GROUPED_BY_PROCTIME, RESULT_IS_AGGREGATE, RESULT_IS_TABLE, METADATA_READ_ONLY, and the
   *         errors of [[SinkColumns]]
   */
  def planned(to: Sink): PlannedQuery = {
    if (query.partitionBy.isDefined)
      throw Commands.noQueryInto(
        name,
        "the query has PARTITION BY, and the key of its records is its PRIMARY KEY",
        "Leave PARTITION BY out"
      )
    MetadataWriter.check(name, sink)
    of.checkChanges(name, takesThem = isTable || sink.value.isEvent)
    if (PlacedRows.areAppended(query, of)) {
      val rows = Project(columns(of.plan.output.map(a => a -> a)), of.plan)
      PlannedQuery(Frames.of(session, rows), to, OutputMode.Append(), stateful = false, of)
    } else {
      val result = new ResultRows(session, of, query, _ => (), inSql = true)
      check(result)
      val planned = result.planned(to, placed(_, result.isTable))
      val plan = planned.frame.queryExecution.analyzed
      val (columns, around) = plan.output.splitAt(sink.sinkColumns.size)
      if (!around.exists(isOwn)) planned
      else planned.copy(frame = Frames.of(session, Project(columns ++ around.filterNot(isOwn), plan)))
    }
  }

  private def check(result: ResultRows): Unit = {
    if (result.isTable && !isTable) {
      if (PlacedRows.groupsByClock(of.plan)) throw KafkalystException("GROUPED_BY_PROCTIME", "name" -> name)
      if (of.isGrouped) throw KafkalystException("RESULT_IS_AGGREGATE")
      else throw KafkalystException("RESULT_IS_TABLE", "name" -> of.leftmost.name)
    }
    if (isTable && result.result.window.nonEmpty) throw Commands.noQueryInto(
      name,
      "the keys of the query's rows have windows, which its PRIMARY KEY lacks",
      "GROUP BY window_start, window_end over a window table function, such as TUMBLE, has them as columns"
    )
    if (result.isTable && sink.value.isEvent) throw Commands.noQueryInto(
      name,
      s"${sink.value.format} has an event for the row before a change, which the query's result does not say",
      "Insert into a TABLE without events, as one of upsert-kafka, which needs the new row only"
    )
  }

  /**
   * The rows with the object's columns, in the order of the SELECT.
   *
   * @param plan the result's columns, keys first, and the carried metadata of the source's records
   */
  private def placed(plan: LogicalPlan, replaces: Boolean): LogicalPlan = plan match {
    case Project(list, _) =>
      val (around, given) = list.partition(e => Changes.isCarried(e.metadata))
      def from(a: Attribute) = given.find {
        case Alias(of: Attribute, _) => of.exprId == a.exprId
        case _ => false
      }
      val selected = of.plan.output.flatMap(a => from(a).map(a -> _))
      if (replaces) checkKey(given.filter(isKey), selected.map(_._2))
      Project(columns(selected.map { case (a, e) => a -> e.toAttribute }) ++ around.map(_.toAttribute), plan)
    case other => throw new IllegalStateException(s"${other.nodeName} is not a projection")
  }

  /** Whether the object's own column sets this metadata, instead of the source's record. */
  private def isOwn(a: Attribute): Boolean = {
    val written = sink.sinkColumns.flatMap(_.metadata).map(_.key)
    a.name match {
      case PseudoColumns.rowTime.name => written.contains(MetadataKeys.timestamp.name)
      case PseudoColumns.headers.name => written.exists(MetadataKeys.areHeaders)
      case _ => false
    }
  }

  /** For each column of the object, the index of its column in the SELECT; None for NULL. */
  private def places(selected: Seq[NamedExpression]): Seq[Option[Int]] = {
    def fields(names: Seq[String]) =
      names.zip(selected).map { case (n, e) => TopicColumn(n, e.dataType, Side.Value).field }
    val all = sink.sinkColumns
    if (named.isEmpty) {
      val (meant, gained) = all.partition(c => started.forall(_.exists(_.equalsIgnoreCase(c.name))))
      SinkColumns.byPosition(name, meant, fields(selected.map(_.name)))
      SinkColumns.checkLeftOut(name, sink, gained)
      all.map(c => Some(meant.indexOf(c)).filter(_ >= 0))
    } else {
      val listed = fields(named)
      SinkColumns.checkVirtual(name, sink.columns, listed)
      val meant = named.flatMap(n => all.find(_.name.equalsIgnoreCase(n)))
      if (meant.size == named.size) SinkColumns.byPosition(name, meant, fields(selected.map(_.name)))
      val found = SinkColumns.byName(name, all, listed)
      SinkColumns.checkLeftOut(name, sink, all.zip(found).collect { case (column, None) => column })
      found
    }
  }

  /** @param pairs the columns of the SELECT, each with the query's own column that it is */
  private def columns(pairs: Seq[(Attribute, Attribute)]): Seq[NamedExpression] = {
    val (origins, selected) = pairs.unzip
    val zoneOf = WallTime.zones(of.plan)
    sink.sinkColumns.zip(places(selected)).map {
      case (column, None) => TopicWrite.alias(Literal.create(null, column.dataType), column)
      case (column, Some(i)) =>
        val wanted = column.dataType
        val from = zoneOf(origins(i)).fold[Expression](selected(i)) { zone =>
          Cast(selected(i), TimestampNTZType, Some(zone))
        }
        val given = from.dataType
        SinkColumns.checkType(name, column, given, SinkColumns.isStorable(given, wanted))
        // The writer would cast these, too, but it matches fields by name, not by position.
        val value = given match {
          case _: StructType | _: ArrayType | _: MapType if given != wanted =>
            Cast(from, wanted, Some(session.sessionState.conf.sessionLocalTimeZone), ansiEnabled = true)
          case _ => from
        }
        TopicWrite.alias(value, column)
    }
  }

  /** Throws INSERT_QUERY_KEY unless the result's key is the TABLE's key: rows replace each other by key. */
  private def checkKey(keys: Seq[NamedExpression], selected: Seq[NamedExpression]): Unit = {
    val columns = sink.sinkColumns.zip(places(selected)).collect { case (to, Some(i)) => to -> selected(i) }
    val isSame = keys.forall(selected.contains) && columns.forall { case (to, e) => to.isIn(Side.Key) == isKey(e) }
    if (!isSame) throw KafkalystException(
      "INSERT_QUERY_KEY",
      "name" -> name,
      "given" -> keys.map(k => TopicColumn.quoted(k.name)).mkString(", "),
      "expected" -> sink.columns.filter(_.isIn(Side.Key)).map(_.sqlName).mkString(", "),
      "places" -> columns.map { case (to, e) => s"${TopicColumn.quoted(e.name)} for ${to.sqlName}" }.mkString(", ")
    )
  }

  private def isKey(e: NamedExpression) = TopicColumn.sideOf(e.metadata) == Side.Key
}

private[commands] object PlacedRows {

  /**
   * Whether columns of a query into an object are matched by position; not with PARTITION BY, which defines the key
   * itself.
   */
  def areFor(sink: TopicObject, query: SinkQuery): Boolean =
    sink.kind == ObjectKind.Table || sink.isFlinks && query.partitionBy.isEmpty

  /** DISTINCT and UNION over streams keep the first of equal rows: a later equal row changes nothing. */
  def onceEach(plan: LogicalPlan): LogicalPlan = plan.transformUp {
    case distinct @ Distinct(child)
        if child.isStreaming && !Carrying.retracts(distinct) && !distinct.exists(_.isInstanceOf[Aggregate]) =>
      Deduplicate(child.output, child)
  }

  /** Whether rows are grouped by the time of processing, such as PROCTIME(), or by windows of it. */
  private def groupsByClock(plan: LogicalPlan): Boolean = {
    def isClock(e: Expression, below: LogicalPlan): Boolean = e.exists {
      case _: CurrentTimestampLike => true
      case a: Attribute => below.exists(node => definitions(node, a).exists(d => node.children.exists(isClock(d, _))))
      case _ => false
    }
    plan.exists {
      case group: Aggregate => group.groupingExpressions.exists(isClock(_, group.child))
      case _ => false
    }
  }

  /** The expressions from which the node computes the attribute; an Expand has those of overlapping windows. */
  private def definitions(node: LogicalPlan, a: Attribute): Seq[Expression] = node.expressions.collect {
    case alias: Alias if alias.exprId == a.exprId => alias.child
    case e if node.producedAttributes.contains(a) => e
  }

  /**
   * Whether Spark itself emits each row once and finally: groups by windows that the watermark completes, interval
   * joins, and window functions.
   */
  def areAppended(query: SinkQuery, of: AnalyzedQuery): Boolean = !Carrying.retracts(of.plan) && {
    val groups = of.plan.collect { case group: Aggregate => group }
    def isComplete(group: Aggregate) = group.groupingExpressions.exists {
      case a: Attribute => WatermarkMark.isOn(a)
      case _ => false
    }
    val isOver = of.plan.exists(OverRows.are)
    query.window.isEmpty && (!of.isJoin || TimeRange.ofAll(of.plan)) && (of.isJoin || groups.nonEmpty || isOver) &&
    groups.forall(isComplete)
  }
}
