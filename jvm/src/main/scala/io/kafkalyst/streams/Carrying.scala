package io.kafkalyst.streams

import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.joins.{ContinuousJoins, StateColumns}
import io.kafkalyst.metadata.{PseudoColumns, WindowedKey}
import io.kafkalyst.model.{ObjectKind, Side, TopicColumn}
import io.kafkalyst.write.SinkColumns
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.types.{BooleanType, LongType}

/** Interprets a query's result as changes. */
object Carrying {

  /**
   * Carries ROWTIME and change metadata up from the sources. Rows that a WHERE over a table or a HAVING filters out
   * become tombstones, because the key may have had a row before.
   *
   * @param analyzed the resolved query
   * @param window   its WINDOW clause
   * @param isFinal  whether the query has EMIT FINAL
   * @param isShown  whether the rows are only shown, so that they need no key
   * @param inSql    whether groups follow SQL where ksqlDB differs: a group without rows is deleted, and aggregates
   *                 over a table may keep all values of a group
   * @throws io.kafkalyst.errors.KafkalystException AGGREGATE_WITHOUT_GROUP, REPEATED_GROUP_BY, CONDITION_NOT_BOOLEAN,
   *         EMIT_FINAL_WITHOUT_WINDOW, CHANGES_AS_ROWS, TABLE_THROUGH_OPERATOR
   */
  def of(
      spark: SparkSession,
      analyzed: LogicalPlan,
      window: Option[GroupWindow] = None,
      isFinal: Boolean = false,
      isShown: Boolean = false,
      inSql: Boolean = false
  ): Changes = {
    if (isFinal && window.isEmpty) throw KafkalystException("EMIT_FINAL_WITHOUT_WINDOW")
    analyzed.foreach {
      case union: Union => withoutTables(union, "UNION ALL")
      case _ =>
    }
    val query = if (keepsRows(analyzed)) StateColumns.used(analyzed) else analyzed
    new Carrying(spark, window, isFinal, ChangeStream.namesChanges(analyzed), isShown, inSql).of(query)
  }

  /**
   * Throws TABLE_THROUGH_OPERATOR if an operator reads a table and carries neither its keys nor its tombstones:
   * replaced rows and tombstones would be rows of the result, and count in its groups.
   */
  private def withoutTables(operator: LogicalPlan, what: String): Unit =
    Sources.of(operator).find(_.topic.kind == ObjectKind.Table).foreach { table =>
      throw KafkalystException("TABLE_THROUGH_OPERATOR", "name" -> table.name, "what" -> what)
    }

  /** Whether a query's state stores its sources' rows. */
  private def keepsRows(analyzed: LogicalPlan): Boolean =
    analyzed.exists(_.isInstanceOf[Aggregate]) &&
      (ContinuousJoins.isIn(analyzed) || Sources.of(analyzed).exists(_.topic.kind == ObjectKind.Table))

  /** Whether a query's groups retract rows that a source deletes or replaces. */
  def retracts(analyzed: LogicalPlan): Boolean = Sources.of(analyzed).exists { source =>
    source.topic.kind == ObjectKind.Table || ChangeStream.combinesRows(source) && !ChangeStream.namesChanges(analyzed)
  }
}

/**
 * Walks a query's plan bottom-up.
 *
 * @param ofChanges see [[ChangeStream.namesChanges]]
 */
private final class Carrying(
    spark: SparkSession,
    clause: Option[GroupWindow],
    isFinal: Boolean,
    ofChanges: Boolean,
    isShown: Boolean,
    inSql: Boolean
) {
  private var keysOfJoin = Seq.empty[Attribute]

  /** @param keyed whether to carry the tables' key columns, which groups need */
  def of(analyzed: LogicalPlan, keyed: Boolean = false): Changes = analyzed match {
    case relation: StreamingRelationV2 => source(relation)
    case Project(list, child) =>
      val below = of(child, keyed)
      // `*` over a windowed source includes the window, which is already part of the key.
      val kept = list.filterNot(e => below.window.exists(_.exprId == e.exprId))
      val keys = if (keyed && below.isTable) keysOf(child) else Nil
      val more = (below.attributes ++ keys).filterNot(a => kept.exists(_.exprId == a.exprId))
      below.copy(plan = Project(kept ++ more, below.plan))
    case Filter(condition, child) =>
      if (condition.dataType != BooleanType) {
        throw KafkalystException(
          "CONDITION_NOT_BOOLEAN",
          "condition" -> condition.sql,
          "type" -> condition.dataType.sql
        )
      }
      val below = of(child, keyed)
      below.tombstone match {
        // A record without a value matches no condition.
        case None =>
          val whole = below.empty.fold(condition)(absent => And(Not(absent), condition))
          below.copy(plan = Filter(whole, below.plan))
        // Changes without a key are ignored, and with EMIT FINAL a window is written once, so neither has a row to
        // delete.
        case Some(_) if isFinal || isHasKey(condition, child) => below.copy(plan = Filter(condition, below.plan))
        case Some(deleted) =>
          val passes = Coalesce(Seq(condition, Literal.FalseLiteral))
          val either = Alias(Or(deleted, Not(passes)), deleted.name)()
          val others = below.plan.output.filterNot(_.exprId == deleted.exprId)
          below.copy(plan = Project(others :+ either, below.plan), tombstone = Some(either.toAttribute))
      }
    case aggregate: Aggregate =>
      val below = of(aggregate.child, keyed = true)
      if (aggregate.groupingExpressions.isEmpty && !isShown && !TopRows.areIn(aggregate))
        throw KafkalystException("AGGREGATE_WITHOUT_GROUP")
      val grouped = new GroupedChanges(spark, aggregate, below)
      if (below.isTable) grouped.overTable(keysOf(aggregate.child), whole = isShown || inSql, deletes = inSql)
      else if (below.op.isDefined && ChangeStream.withRows(aggregate).isDefined) {
        if (aggregate.groupingExpressions.exists(GroupedChanges.isWindow))
          ChangeStream.withRows(aggregate).foreach(ChangeStream.refuse(_, "grouped by windows"))
        grouped.overChanges(below.op.get)
      } else clause.filter(_.isSession) match {
        case Some(session) if !isFinal => grouped.bySession(session)
        case _ => grouped.changes(clause)
      }
    case join: Join if ContinuousJoins.isIn(join) =>
      val joined = ContinuousJoins.rows(spark, join)
      keysOfJoin = joined.key
      Changes(joined.plan, Some(joined.time), joined.gone, order = Some(joined.order), headers = Some(joined.headers))
    case join: Join =>
      // A join with a non-topic has no event time. Its sides are still checked.
      join.children.foreach(of(_))
      Carrying.withoutTables(join, "JOIN with rows that are not a topic's")
      Changes(join)
    case rows: Expand =>
      // Expand of hopping windows: one row becomes several.
      val below = of(rows.child, keyed)
      val more = below.attributes.filterNot(a => rows.outputSet.contains(a))
      below.copy(plan = Expand(rows.projections.map(_ ++ more), rows.output ++ more, below.plan))
    case rows: Generate =>
      val below = of(rows.child, keyed)
      val made = rows.withNewChildren(Seq(below.empty.fold(below.plan)(a => Filter(Not(a), below.plan))))
      below.tombstone match {
        case None => below.copy(plan = made)
        case Some(deleted) if TopRows.are(rows) =>
          val either = Alias(Or(deleted, rows.generatorOutput.last), deleted.name)()
          val others = made.output.filterNot(_.exprId == deleted.exprId)
          below.copy(plan = Project(others :+ either, made), tombstone = Some(either.toAttribute))
        case Some(_) => throw KafkalystException(
            "TABLE_FUNCTION_PLACE",
            "function" -> "EXPLODE",
            "reason" -> "the query reads a table, and several rows cannot have a row's key"
          )
      }
    case one: UnaryNode if one.child.outputSet.subsetOf(one.outputSet) =>
      val below = of(one.child, keyed)
      below.copy(plan = one.withNewChildren(Seq(below.plan)))
    case other =>
      Carrying.withoutTables(other, other.nodeName)
      Changes(other)
  }

  private def isHasKey(condition: Expression, child: LogicalPlan) = child.isInstanceOf[StreamingRelationV2] &&
    !condition.exists { case _: IsNotNull | _: Or | _: Attribute => false; case _ => true }

  /** The key columns of the sources below. */
  private def keysOf(plan: LogicalPlan): Seq[Attribute] =
    if (keysOfJoin.nonEmpty) keysOfJoin
    else plan.collectLeaves().flatMap(_.output).filter(a => TopicColumn.sideOf(a.metadata) == Side.Key)

  private def source(relation: StreamingRelationV2): Changes = relation.table match {
    case table: TopicTable =>
      val exposed = relation.withMetadataColumns()
      def named(name: String) = exposed.output.find(_.name.equalsIgnoreCase(name))
      val window = table.topic.columns.filter(WindowedKey.isBound).flatMap(c => named(c.name))
      val missing = named(PseudoColumns.tombstone.name)
      val isChange = ChangeStream.is(table)
      val (deleted, absent) =
        if (table.topic.kind == ObjectKind.Table) (missing, None)
        else (None, missing.filter(_ => !(isChange && ofChanges)))
      val op = named(PseudoColumns.op.name).filter(_ => isChange && !ofChanges)
      val time = named(PseudoColumns.rowTime.name).filter(_.dataType == LongType)
      val offset = deleted.flatMap(_ => named(PseudoColumns.rowOffset.name))
      val headers = SourceRecord.pseudo(PseudoColumns.headers, exposed, table.topic)
      val changes =
        Changes(exposed, time, deleted, window, absent, offset, headers, SourceRecord.of(exposed, table.topic), op)
      // All changes of one event have its offset.
      offset.zip(named(PseudoColumns.change.name).filter(ChangeStream.identifies)).fold(changes) { case (at, change) =>
        val order = Alias(CreateArray(Seq(at, Cast(change, LongType))), SinkColumns.order)()
        changes.copy(plan = Project(exposed.output :+ order, exposed), order = Some(order.toAttribute))
      }
    case _ => Changes(relation)
  }
}
