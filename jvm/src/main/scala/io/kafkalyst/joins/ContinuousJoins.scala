package io.kafkalyst.joins

import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.metadata.{Headers, MetadataKeys, PseudoColumns, WindowedKey}
import io.kafkalyst.model.{MetadataColumn, ObjectKind, Side, TopicColumn}
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.names.InternalSchema
import io.kafkalyst.write.SinkColumns
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.types.{BooleanType, LongType, TimestampType}

/**
 * Joins of unbounded topics with ksqlDB's semantics: records of all sources are processed in timestamp order, and rows
 * of tables replace each other. Spark's own stream joins do not support changing tables, so each join becomes a
 * stateful processor.
 */
object ContinuousJoins {

  /** Whether a query joins unbounded topics. */
  def isIn(plan: LogicalPlan): Boolean = plan.exists {
    case join: Join => join.isStreaming && join.collectLeaves().forall(topic(_).isDefined)
    case _ => false
  }

  /** Whether the result of a query with joins is a table. */
  def isTable(plan: LogicalPlan): Boolean = plan.collectLeaves().flatMap(topic).forall(_.topic.kind == ObjectKind.Table)

  /**
   * The query for its sink. After its columns, it outputs ROWTIME, which becomes the timestamp of the sink's records;
   * for a table, whether the row is a tombstone; and the order of the rows.
   *
   * @param plan the analysed query with the sink's columns
   * @throws io.kafkalyst.errors.KafkalystException if a join is not supported, see [[JoinRules]]
   */
  def forSink(session: SparkSession, plan: LogicalPlan): LogicalPlan = {
    val taken = new ContinuousJoins(session).take(StateColumns.used(plan))
    val bounds = WindowedKey.columns(None).map(_.name)
    val columns = taken.output.map { a =>
      // If a source's window bounds are values of the sink, they stay null where the source has no row.
      val isWindow = bounds.contains(a.name) && taken.window.exists(taken.meaning(_) == taken.meaning(a))
      val isKey = isWindow || TopicColumn.sideOf(a.metadata) == Side.Key
      val at = if (isKey) taken.meaning(a) else -1
      if (at < 0) a else Alias(taken.key(at), a.name)(a.exprId, a.qualifier, Some(a.metadata))
    }
    val tombstone = if (taken.isTable) Seq(Alias(taken.gone, PseudoColumns.tombstone.name)()) else Nil
    val record =
      Seq(Alias(taken.time, PseudoColumns.rowTime.name)(), Alias(taken.headers, PseudoColumns.headers.name)())
    Project(columns ++ record ++ tombstone :+ Alias(taken.stamp, SinkColumns.order)(), taken.plan)
  }

  /** The joined rows, as input for the rest of the query. */
  def rows(session: SparkSession, plan: LogicalPlan): JoinedRows = {
    val taken = new ContinuousJoins(session).take(plan)
    JoinedRows(taken.plan, taken.time, taken.stamp, Option.when(taken.isTable)(taken.gone), taken.key, taken.headers)
  }

  /** The query with the window bounds of its rows' key, if any, after its columns. */
  def windowed(plan: LogicalPlan): (LogicalPlan, Seq[Attribute]) = {
    val window = plan.collectLeaves().headOption.toSeq.collect { case StreamingTopic(relation, table) =>
      boundsOf(relation, table)
    }.flatten
    def carried(part: LogicalPlan): LogicalPlan = part match {
      case Project(list, child) =>
        Project(list ++ window.filterNot(w => list.exists(_.exprId == w.exprId)), carried(child))
      case f: Filter => f.withNewChildren(Seq(carried(f.child)))
      case other => other
    }
    (if (window.isEmpty) plan else carried(plan), window)
  }

  private def boundsOf(relation: StreamingRelationV2, table: TopicTable): Seq[Attribute] =
    relation.output.zip(table.topic.columns).collect { case (a, column) if WindowedKey.isBound(column) => a }

  /** Only checks the joins; throws as [[forSink]]. */
  def check(session: SparkSession, plan: LogicalPlan): Unit = {
    new ContinuousJoins(session).take(plan)
    ()
  }

  /** Plan for an interactive SELECT; a deleted row keeps only its key. */
  def forChanges(session: SparkSession, plan: LogicalPlan): LogicalPlan = plan match {
    case limit @ (_: GlobalLimit | _: LocalLimit) => limit.withNewChildren(limit.children.map(forChanges(session, _)))
    case _ =>
      val taken = new ContinuousJoins(session).take(plan)
      Project(
        taken.output.map { a =>
          if (!taken.isTable || taken.meaning(a) >= 0) a
          else
            Alias(If(taken.gone, Literal.create(null, a.dataType), a), a.name)(a.exprId, a.qualifier, Some(a.metadata))
        },
        taken.plan
      )
  }

  private def topic(leaf: LogicalPlan): Option[TopicTable] = leaf match {
    case StreamingTopic(_, table) => Some(table)
    case _ => None
  }

  private object StreamingTopic {
    def unapply(plan: LogicalPlan): Option[(StreamingRelationV2, TopicTable)] = plan match {
      case r: StreamingRelationV2 => r.table match {
          case t: TopicTable => Some((r, t))
          case _ => None
        }
      case _ => None
    }
  }
}

private final class ContinuousJoins(session: SparkSession) {
  import ContinuousJoins.StreamingTopic

  private var topics = 0
  private lazy val isKsqldb = Settings.of(session.conf.getAll).isKsqldb

  /**
   * @param ahead whether a topic's rows come before all others with the same time, as a table's rows do for a stream
   */
  def take(plan: LogicalPlan, ahead: Boolean = false): JoinInput = plan match {
    case Project(list, child) => take(child, ahead).select(list)
    case Filter(condition, child) =>
      val taken = take(child, ahead)
      if (!taken.isTable) taken.copy(plan = Filter(condition, taken.plan)) else without(taken, condition)
    case SubqueryAlias(id, child) =>
      val taken = take(child, ahead)
      taken.copy(name = id.name, plan = taken.plan, output = plan.output)
    case rows: Generate =>
      val taken = take(rows.child, ahead)
      taken.copy(plan = rows.withNewChildren(Seq(taken.plan)), output = taken.output ++ rows.generatorOutput)
    case join: Join => joined(join)
    // A join orders its records by their own times, so the watermark is not needed.
    case marked: EventTimeWatermark => take(marked.child, ahead)
    case StreamingTopic(relation, table) => read(relation, table, ahead)
    case other => throw KafkalystException("JOIN_OVER", "operator" -> other.nodeName)
  }

  /** Turns a table's rows that do not match the condition into deletes. */
  private def without(taken: JoinInput, condition: Expression): JoinInput = {
    val gone = Alias(Or(taken.gone, Not(Coalesce(Seq(condition, Literal(false))))), Change.gone)()
    val others = taken.plan.output.filterNot(_.exprId == taken.gone.exprId)
    taken.copy(plan = Project(others :+ gone, taken.plan), gone = gone.toAttribute)
  }

  private def joined(join: Join): JoinInput = {
    val (rightPlan, window) = join.right match {
      case Within(child, given) => (child, Some(given))
      case child => (child, None)
    }
    val alone = JoinRules.alone(join.joinType)
    val left = take(join.left)
    val right = take(rightPlan, ahead = !left.isTable)
    if (left.window.size != right.window.size) throw KafkalystException(
      "JOIN_WINDOWED",
      "windowed" -> (if (left.window.isEmpty) right.name else left.name),
      "other" -> (if (left.window.isEmpty) left.name else right.name)
    )
    if (left.isSession != right.isSession) throw KafkalystException(
      "JOIN_WINDOW_TYPES",
      "session" -> (if (left.isSession) left.name else right.name),
      "other" -> (if (left.isSession) right.name else left.name)
    )
    // Windows are part of the key.
    val pairs = JoinRules.pairs(join) ++ left.window.zip(right.window)
    val (ofLeft, ofRight) = pairs.unzip
    val sides = Seq("left" -> left.name, "right" -> right.name)
    def onKey(): Unit = if (!right.isKey(ofRight)) throw notOnKey(right, ofRight)
    if ((left.isTable || right.isTable) && window.isDefined) throw KafkalystException("JOIN_WITHIN_TABLE", sides: _*)
    lazy val plan = new Joined(session, left, right, pairs)
    (left.isTable, right.isTable) match {
      case (false, false) =>
        val within = window.getOrElse(throw KafkalystException("JOIN_WITHOUT_WITHIN", sides: _*))
        partitioned(left, right)
        // ksqlDB swaps the sides of a RIGHT JOIN, so the spans count from the right row.
        val isTurned = isKsqldb && join.joinType == RightOuter
        plan.within(if (isTurned) within.turned else within, alone)
      case (false, true) =>
        JoinRules.only(join, "a stream with a table", Inner, LeftOuter)
        onKey()
        partitioned(left, right)
        plan.lookup(alone.head)
      case (true, false) => throw KafkalystException("JOIN_TABLE_WITH_STREAM", sides: _*)
      case (true, true) if left.isKey(ofLeft) && right.isKey(ofRight) =>
        partitioned(left, right)
        plan.tables(alone)
      case (true, true) =>
        onKey()
        JoinRules.only(join, "a table with the one whose keys it holds", Inner, LeftOuter)
        Seq(left, right).find(side => isKsqldb && !side.isTopic).foreach { side =>
          throw KafkalystException("JOIN_FOREIGN_KEY", sides :+ ("joined" -> side.name): _*)
        }
        plan.foreign(alone.head)
    }
  }

  /** Topics joined on their keys must have the same number of partitions, as in Kafka Streams. */
  private def partitioned(left: JoinInput, right: JoinInput): Unit = {
    val Seq(l, r) = Seq(left, right).map(side => side.table.admin.require(side.table.topic.topic).partitions)
    if (l != r) throw KafkalystException(
      "JOIN_PARTITIONS",
      "left" -> left.name,
      "left_partitions" -> l.toString,
      "right" -> right.name,
      "right_partitions" -> r.toString
    )
  }

  private def notOnKey(table: JoinInput, on: Seq[Expression]) = KafkalystException(
    "JOIN_NOT_ON_PRIMARY_KEY",
    "table" -> table.name,
    "given" -> on.map(JoinRules.external).mkString(", "),
    "key" -> table.same.map(_.collectFirst { case a: Attribute => JoinRules.name(a) }.getOrElse("?")).mkString(", ")
  )

  /** The topic's relation with the metadata of its records. */
  private def read(relation: StreamingRelationV2, table: TopicTable, ahead: Boolean): JoinInput = {
    val topic = table.topic
    val tombstone = TopicColumn(
      s"_${MetadataKeys.tombstone.name}_${topics}",
      BooleanType,
      Side.Value,
      Some(MetadataColumn(MetadataKeys.tombstone.name, virtual = true))
    )
    val columns = topic.columns :+ tombstone
    // By makeCopy, because the relation's parameters differ between Spark's versions.
    val leaf = relation.makeCopy(relation.productIterator.map {
      case _: TopicTable => table.joined(topic.copy(columns = columns))
      case _: Seq[_] => DataTypeUtils.toAttributes(InternalSchema.of(columns))
      case other => other.asInstanceOf[AnyRef]
    }.toArray).asInstanceOf[StreamingRelationV2].withMetadataColumns()
    def own(name: String) = leaf.output.find(_.name.equalsIgnoreCase(name)).get
    val output = relation.output.map(a =>
      Alias(own(TopicColumn.internalOf(a.name, a.metadata)), a.name)(a.exprId, a.qualifier, Some(a.metadata))
    )
    val isTable = topic.kind == ObjectKind.Table
    val time = own(PseudoColumns.rowTime.name) match {
      case a if a.dataType == TimestampType => UnixMillis(a)
      case a => a
    }
    val tie = if (isTable && ahead) -1L else topics.toLong
    topics += 1
    val at = Alias(Coalesce(Seq(time, Literal(0L))), Change.time)()
    val stamp = Alias(
      CreateArray(Seq(
        at.child,
        Literal(tie),
        Cast(own(PseudoColumns.rowPartition.name), LongType),
        own(PseudoColumns.rowOffset.name)
      )),
      Change.stamp
    )()
    // An event of a deleted row contains the row, so in a stream it is a record like any other.
    val isRow = !isTable && topic.value.isEvent
    val gone = Alias(if (isRow) Literal.FalseLiteral else own(tombstone.name), Change.gone)()
    val hasHeaders = !topic.columns.exists(_.name.equalsIgnoreCase(PseudoColumns.headers.name))
    val headers =
      Alias(
        if (hasHeaders) own(PseudoColumns.headers.name) else Literal.create(null, Headers.arrayType),
        Change.headers
      )()
    val key = relation.output.zip(topic.columns).collect { case (a, c) if isTable && PseudoColumns.isKey(c) => a }
    JoinInput(
      table.name.split('.').last,
      table,
      Project(output ++ Seq(at, stamp, gone, headers), leaf),
      relation.output,
      at.toAttribute,
      stamp.toAttribute,
      gone.toAttribute,
      headers.toAttribute,
      isTable,
      isTopic = true,
      key,
      key.map(Seq(_)),
      ContinuousJoins.boundsOf(relation, table),
      isSession = WindowedKey.isSession(topic)
    )
  }
}

/**
 * Output of a join.
 *
 * @param time  ROWTIME, BIGINT milliseconds
 * @param order ARRAY<BIGINT>, the rows' position in the processing order
 * @param gone  for tables, whether the row deletes its key
 * @param key   the columns of the rows' key
 * @param headers the headers of the record that produced a row
 */
final case class JoinedRows(
    plan: LogicalPlan,
    time: Attribute,
    order: Attribute,
    gone: Option[Attribute],
    key: Seq[Attribute],
    headers: Attribute
)
