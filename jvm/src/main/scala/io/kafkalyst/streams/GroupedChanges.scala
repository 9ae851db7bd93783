package io.kafkalyst.streams

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.metadata.PseudoColumns
import io.kafkalyst.model.TopicColumn
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{AggregateExpression, Max, Sum}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.types.DataTypeUtils.toAttributes
import org.apache.spark.sql.types.LongType

/**
 * The result of GROUP BY as a table's changes.
 *
 * @param below the grouped input
 */
private[streams] final class GroupedChanges(spark: SparkSession, aggregate: Aggregate, below: Changes) {
  private val (windows, groups) = aggregate.groupingExpressions.partition(GroupedChanges.isWindow)

  groups.zipWithIndex.find { case (g, i) => groups.indexWhere(_.semanticEquals(g)) < i }.foreach { case (g, _) =>
    val name = g match {
      case a: Attribute => TopicColumn.nameOf(a.name, a.metadata)
      case other => other.sql
    }
    throw KafkalystException("REPEATED_GROUP_BY", "expression" -> name)
  }

  // Like ksqlDB, ignores records without a value.
  private val keyed = (GroupedChanges.kept(aggregate) ++ below.empty.map(Not(_)))
    .reduceOption(And).fold(below.plan)(Filter(_, below.plan))
  private val deleted = PseudoColumns.tombstone.name

  /** Uses Spark's own aggregation: a group's row is written on each change, or once when its window is closed. */
  def changes(clause: Option[GroupWindow]): Changes = {
    val session = clause.filter(_.isSession)
    val latest = below.rowTime.map(time => Alias(Max(time).toAggregateExpression(), time.name)())
    val bounds = windows.flatMap(w => Seq(UnixMillis(GetStructField(w, 0)), end(w, session)).map(Alias(_, "bound")()))
    val kept = Alias(Literal.FalseLiteral, deleted)()
    val open = clause.fold(keyed)(inTime)
    val whole =
      aggregate.copy(aggregateExpressions = aggregate.aggregateExpressions ++ latest ++ bounds :+ kept, child = open)
    Changes(whole, latest.map(_.toAttribute), Some(kept.toAttribute), bounds.map(_.toAttribute))
  }

  /**
   * Drops rows that arrive after their window and its grace period have passed, because Spark's watermark only covers
   * earlier batches. Not for joins, whose rows have no time order within a batch. A row for sessions counts as a
   * session of its own, as for Spark's watermark, even if an older session could still include it.
   */
  private def inTime(clause: GroupWindow): LogicalPlan =
    below.rowTime.filter(_ => below.order.isEmpty).fold(keyed) { time =>
      val now = streamTime(time)
      val close = new Subtract(now.toAttribute, Literal(clause.lateness))
      val until = end(windows.head, None)
      val open = if (clause.isSession) GreaterThanOrEqual(until, close) else GreaterThan(until, close)
      Filter(open, Project(keyed.output :+ now, keyed))
    }

  private def streamTime(time: Expression) = Alias(StreamTime(time), "stream_time")()

  /**
   * Over a table: each change retracts the key's previous row.
   *
   * @param whole   see [[RowChanges]]
   * @param deletes whether a group without rows is deleted; otherwise it stays with the count 0
   */
  def overTable(keys: Seq[Attribute], whole: Boolean, deletes: Boolean): Changes = {
    val rows = RowChanges.of(spark, below, keys, whole)
    retracting(rows, if (deletes) isEmpty(rows) else Literal.FalseLiteral)
  }

  /** Over a [[ChangeStream]]: retracts deleted and replaced rows, and deletes groups without rows. */
  def overChanges(op: Attribute): Changes = {
    val rows = RowChanges.of(below, op)
    retracting(rows, isEmpty(rows))
  }

  private def isEmpty(rows: RowChanges) = LessThanOrEqual(new Sum(rows.sign).toAggregateExpression(), Literal(0L))

  private def retracting(rows: RowChanges, isGone: Expression): Changes = {
    val fresh = groups.map(rows.over)
    def renewed(e: Expression): Expression = e match {
      case f: AggregateExpression => rows.undoable(f)
      case other => other.mapChildren(renewed)
    }
    val list = aggregate.aggregateExpressions.map {
      case a: Alias => a.withNewChildren(Seq(rows.over(renewed(a.child)))).asInstanceOf[NamedExpression]
      case other => Alias(rows.over(other), other.name)(other.exprId)
    }
    val latest = below.rowTime.map(time => Alias(Max(rows.time).toAggregateExpression(), time.name)())
    val gone = Alias(isGone, deleted)()
    val keyed = fresh.map(IsNotNull(_): Expression).reduceOption(And).fold(rows.plan)(Filter(_, rows.plan))
    Changes(
      aggregate.copy(fresh, list ++ latest :+ gone, keyed),
      latest.map(_.toAttribute),
      Some(gone.toAttribute)
    )
  }

  /** The end of the window. Spark's session windows end a gap after their last row. */
  private def end(window: Expression, session: Option[GroupWindow]): Expression = {
    val open = UnixMillis(GetStructField(window, 1))
    session.fold[Expression](open)(s => new Subtract(open, Literal(s.size)))
  }

  /** Aggregates with [[Sessions]]: a session is rewritten as it grows and deleted when it is merged into another. */
  def bySession(session: GroupWindow): Changes = {
    val functions = aggregate.aggregateExpressions.flatMap(_.collect { case f: AggregateExpression => f })
      .foldLeft(Seq.empty[AggregateExpression])((all, f) => if (all.exists(_.semanticEquals(f))) all else all :+ f)
    functions.find(_.isDistinct).foreach { f =>
      throw KafkalystException("NOT_SUPPORTED", "what" -> s"DISTINCT in an aggregate of a stream (${f.sql})")
    }
    val batch = Alias(BatchStamp(), "batch")()
    val now =
      streamTime(if (below.order.isEmpty) UnixMillis(GetStructField(windows.head, 0)) else Literal(null, LongType))
    val aggregating = Sessions(
      UnixMillis(GetStructField(windows.head, 0)),
      batch.toAttribute,
      now.toAttribute,
      functions.map(_.aggregateFunction),
      functions.map(_.filter.getOrElse(Literal.TrueLiteral)),
      session.size,
      session.lateness
    )
    val keys = groups.map(g => Alias(g, "key")())
    val sessions = Alias(aggregating.toAggregateExpression(), "sessions")()
    val grouped = Aggregate(groups, keys :+ sessions, Project(keyed.output ++ Seq(batch, now), keyed))
    val fields = toAttributes(aggregating.element)
    val each = Generate(Inline(sessions.toAttribute), Nil, outer = false, None, fields, grouped)
    val Seq(start, end, gone) = fields.take(3)
    def result(e: Expression): Expression = e match {
      case f: AggregateExpression => fields.drop(3)(functions.indexWhere(_.semanticEquals(f)))
      case g if groups.exists(_.semanticEquals(g)) => keys(groups.indexWhere(_.semanticEquals(g))).toAttribute
      case w if GroupedChanges.isWindow(w) =>
        val times = Seq(start, new Add(end, Literal(session.size))).map(MillisToTimestamp(_))
        CreateNamedStruct(Seq("start", "end").zip(times).flatMap { case (n, t) => Seq(Literal(n), t) })
      case other => other.mapChildren(result)
    }
    val list = aggregate.aggregateExpressions.map {
      case a: Alias => a.withNewChildren(Seq(result(a.child))).asInstanceOf[NamedExpression]
      case other => Alias(result(other), other.name)(other.exprId)
    }
    val Seq(from, to, removed) =
      Seq("bound" -> start, "bound" -> end, deleted -> gone).map { case (name, a) => Alias(a, name)() }
    Changes(
      Project(list ++ Seq(from, to, removed), each),
      below.rowTime.map(_ => to.toAttribute),
      Some(removed.toAttribute),
      Seq(from, to).map(_.toAttribute)
    )
  }
}

private[streams] object GroupedChanges {

  /** The conditions that rows of ksqlDB's groups satisfy: no NULL group, and no window before 1970. */
  def kept(aggregate: Aggregate): Seq[Expression] = aggregate.groupingExpressions.map { group =>
    if (isWindow(group)) GreaterThanOrEqual(UnixMillis(GetStructField(group, 0)), Literal(0L)) else IsNotNull(group)
  }

  /** Whether a GROUP BY expression is one of Spark's windows. */
  def isWindow(e: Expression): Boolean = e match {
    case a: Attribute => a.metadata.contains("spark.timeWindow") || a.metadata.contains(SessionWindow.marker)
    case _ => false
  }
}
