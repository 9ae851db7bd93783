package io.kafkalyst.lake

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.joins.ContinuousJoins
import io.kafkalyst.metadata.PseudoColumns
import io.kafkalyst.model.{Side, TopicColumn}
import io.kafkalyst.query._
import io.kafkalyst.streams.{AnalyzedQuery, Changes, SinkQuery}
import io.kafkalyst.write.SinkColumns
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, Project}
import org.apache.spark.sql.kafkalyst.Frames
import org.apache.spark.sql.streaming.OutputMode
import org.apache.spark.sql.types.{LongType, Metadata, StructField, StructType}

/**
 * A query into a table, analysed against the current catalog: a stream's rows are appended; a table's changes are
 * merged by key or, if the statement requests it, appended with their change kind.
 *
 * Its creation throws the errors of [[AnalyzedQuery]] and [[SinkProjection]], and LAKE_MERGE if append-only rows should
 * be merged.
 */
final class LakeQuery(session: SparkSession, query: SinkQuery, merge: Option[MergeMode]) {
  private val of = new AnalyzedQuery(session, query)
  private val result = new ResultRows(session, of, query, _ => (), inSql = true)
  private val isFinal = of.isGrouped && query.emitFinal

  private val mode: MergeMode = merge.getOrElse {
    // A final window result is written only once and replaces nothing.
    if (result.isTable && !isFinal) MergeMode.Upsert else MergeMode.Append
  }
  if (mode == MergeMode.Upsert && !result.isTable) {
    throw KafkalystException("LAKE_MERGE", "source" -> of.leftmost.name)
  }

  private[lake] val rows: LakeRows = if (result.isTable) changed else streamed

  /** The columns of the table that the query would create. */
  val schema: StructType =
    StructType(rows.columns.map(a => StructField(LakeColumns.nameOf(a), a.dataType, nullable = true, Metadata.empty)))

  /**
   * The planned query into a table, to which columns are added when the query starts, if requested.
   *
   * @param own the query's id, if it already has one
   * @throws io.kafkalyst.errors.KafkalystException LAKE_COLUMNS, LAKE_MERGE_TABLE, LAKE_GROUPS_TABLE, LAKE_STREAM_TABLE,
   *         INSERT_OF_CHANGES, CHANGES_AS_ROWS, HISTORY_WRITER
   */
  def planned(table: LakeTable, how: ColumnMatch, options: LakeOptions, own: Option[String]): PlannedQuery = {
    of.checkChanges(table.name.toString, takesThem = false)
    val isRewritten = result.mode == OutputMode.Update()
    if (mode == MergeMode.Upsert) MergeSink.check(table, isRewritten)
    else if (isRewritten) GroupSink.check(table)
    else TableSink.check(table)
    val handOver = if (mode == MergeMode.Append) HandOver.of(session, of, table, own) else None
    // A history has the topic's columns as they are.
    val all = aligned(table, how, options, fills = mode == MergeMode.Append && handOver.isEmpty)
    val into = LakeTarget(table, options, () => TableGrowth.run(session, table, all.changes))
    def default(field: StructField) = LakeTable.defaultOf(session, field)
    // Delta computes generated and identity columns only if no value is given for them.
    def otherwise(field: StructField) =
      if (table.provider == "delta") default(field)
      else default(field).orElse(Some(Literal.create(null, field.dataType)))
    val (plan, sink) = mode match {
      case MergeMode.Append =>
        val columns = all.filled(otherwise)
        handOver match {
          case Some(history) =>
            Frames.of(session, Project(columns, history.begun(rows.plan))) -> history.sink(columns, into)
          case None if isRewritten => Frames.of(session, Project(columns, rows.plan)) -> new GroupSink(into)
          case None =>
            TableSink.counted(Frames.of(session, Project(columns, rows.plan))) -> TableSink(into)
        }
      case MergeMode.Upsert =>
        // MERGE keeps what the query does not give, and fills it in new rows.
        val columns = all.given
        val keys = rows.keys.map(k => columns.find(_.references.contains(k)).get.name)
        val isDeleted = rows.deleted.getOrElse(Literal.FalseLiteral)
        val deleted = Alias(isDeleted, MergeSink.deleted)()
        // A delete has no values, not even for NOT NULL columns.
        val values = columns.map(c => if (keys.contains(c.name)) c else LakeColumns.requiredUnless(isDeleted, c))
        val order = Alias(rows.order.getOrElse(Literal(0L)), MergeSink.order)()
        val plan = LatestChanges.only(rows.plan, rows.keys)
        Frames.of(session, Project(values :+ deleted :+ order, plan)) -> new MergeSink(into, keys)
    }
    PlannedQuery(plan, sink, result.mode, stateful = of.isJoin, of)
  }

  /** The query's columns, each with the table's column for it; throws LAKE_COLUMNS. */
  def places(table: LakeTable, how: ColumnMatch, options: LakeOptions): Seq[(String, String)] =
    aligned(table, how, options, fills = mode == MergeMode.Append).places

  /** @param fills not in a merge, which would delete what the table's rows have in nested fields that are not given */
  private def aligned(table: LakeTable, how: ColumnMatch, options: LakeOptions, fills: Boolean) =
    LakeColumns.aligned(table, rows, how, options.addColumns, fills)

  private def streamed: LakeRows = {
    val plan = if (of.isJoin) ContinuousJoins.forChanges(session, of.plan) else of.plan
    LakeRows(plan, plan.output, plan.output, Nil, Nil, None, None)
  }

  private def changed: LakeRows = {
    val plan = result.ordered.queryExecution.analyzed
    val list = result.projection.plan match {
      case Project(all, _) => all
      case other => throw new IllegalStateException(s"${other.nodeName} is no projection")
    }
    // A join's metadata columns follow the projection's, as does the order of a table's changes.
    val (own, more) = plan.output.splitAt(list.size)
    val (carried, selected) = own.partition(a => Changes.isCarried(a.metadata))
    val around = carried ++ more
    def hidden(name: String) = around.find(_.name == name)
    // The window is part of a windowed key.
    val bounds = PseudoColumns.bounds.flatMap(hidden).map { bound =>
      selected.find(_.name.equalsIgnoreCase(bound.name)).getOrElse(bound)
    }
    val unlisted = bounds.filterNot(b => selected.exists(_.exprId == b.exprId))
    // By the order of the SELECT, whose columns are below the projection.
    val shown = result.result.plan.output
    val places = own.zip(list).map { case (a, e) => a.exprId -> shown.indexWhere(e.references.contains) }.toMap
    val (leftOut, listed) = selected.sortBy(a => places(a.exprId)).partition(a => places(a.exprId) < 0)
    // Earlier versions took a join's metadata for columns of the query.
    val former = selected ++ more.filterNot(a => LakeQuery.around(a.name))
    val keys = selected.filter(a => TopicColumn.sideOf(a.metadata) == Side.Key) ++ bounds
    val deleted = hidden(PseudoColumns.tombstone.name)
    val order = hidden(SinkColumns.order)
    val changes =
      LakeRows(plan, listed ++ leftOut ++ unlisted, former ++ unlisted, leftOut, keys.distinct, deleted, order)
    if (mode == MergeMode.Upsert) changes
    else if (isFinal) changes.copy(plan = changes.deleted.fold(plan)(gone => Filter(Not(gone), plan)))
    else withKinds(changes, hidden(PseudoColumns.rowTime.name))
  }

  /** Changes as separate rows with their change kind. */
  private def withKinds(changes: LakeRows, time: Option[Attribute]): LakeRows = {
    val kind = If(changes.deleted.getOrElse(Literal.FalseLiteral), Literal("delete"), Literal("upsert"))
    // The changes of an event are at its offset and a place in it; rows of a join are at several offsets.
    val offset = changes.order.filterNot(_ => of.isJoin).map {
      case at if at.dataType == LongType => at
      case places => GetArrayItem(places, Literal(0))
    }
    val known = Seq(
      Alias(kind, LakeQuery.kind)(),
      Alias(offset.getOrElse(Literal.create(null, LongType)), PseudoColumns.rowOffset.name)(),
      Alias(time.getOrElse(Literal.create(null, LongType)), PseudoColumns.rowTime.name)()
    ).filterNot(a => changes.columns.exists(_.name.equalsIgnoreCase(a.name)))
    val more = known.map(_.toAttribute)
    changes.copy(
      plan = Project((changes.columns ++ changes.keysFirst).distinct ++ known, changes.plan),
      columns = changes.columns ++ more,
      keysFirst = changes.keysFirst ++ more.filterNot(a => changes.keysFirst.exists(_.name.equalsIgnoreCase(a.name)))
    )
  }
}

private object LakeQuery {

  /** The change kind: `upsert` or `delete`. */
  val kind = "ROWKIND"

  /** Names of the metadata columns around a join's columns. */
  private val around = Set(PseudoColumns.tombstone.name, SinkColumns.order)
}
