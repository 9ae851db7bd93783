package io.kafkalyst.streams

import java.util.Locale

import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.metadata.{MetadataKeys, PseudoColumns}
import io.kafkalyst.model.{ObjectKind, Properties, TopicColumn}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.connector.catalog.Table

/**
 * A stream of change data capture. Its rows are changes: an update yields the old row and the new one. With
 * CHANGES.COMBINED = rows, operators that combine rows, such as groups and joins, see the current rows instead, unless
 * the query names a column that identifies changes.
 */
object ChangeStream {
  private val identifying = Seq(PseudoColumns.op, PseudoColumns.change, PseudoColumns.tombstone)
  private val names = identifying.map(_.name.toLowerCase(Locale.ROOT))
  private val keys = identifying.flatMap(_.metadata).map(_.key)

  def is(table: Table): Boolean = table match {
    case t: TopicTable => t.topic.value.isEvent && t.topic.kind == ObjectKind.Stream
    case _ => false
  }

  /**
   * Whether operators that combine rows see current rows. False with a HISTORY, whose table does not store the kinds of
   * changes.
   */
  def combinesRows(table: Table): Boolean = table match {
    case t: TopicTable => is(t) && t.topic.combinesRows && !t.topic.options.contains(Properties.history.name)
    case _ => false
  }

  /** Whether a resolved query uses a hidden column that identifies changes, or filters by a declared one. */
  def namesChanges(query: LogicalPlan): Boolean = {
    val used = UsedColumns(query)
    query.collectLeaves().exists(_.output.exists(a => names.contains(a.name.toLowerCase(Locale.ROOT)) && used(a))) ||
    query.exists(node => node.isInstanceOf[Filter] && node.references.exists(identifies))
  }

  /** Whether a name is that of a column of the resolved query, or a hidden one, that identifies changes. */
  def isIdentifying(query: LogicalPlan, name: String): Boolean = names.contains(name.toLowerCase(Locale.ROOT)) ||
    query.output.exists(a => a.name.equalsIgnoreCase(name) && identifies(a))

  /** Whether a column identifies changes, under any name. */
  private[kafkalyst] def identifies(a: Attribute): Boolean = keyOf(a).exists(keys.contains)

  /** Whether a column differs between the record that adds a row and the record that deletes it. */
  private[kafkalyst] def variesByRecord(a: Attribute): Boolean = keyOf(a).exists(key => ofRecord.exists(key.endsWith))

  private val ofRecord = Seq(
    MetadataKeys.timestamp,
    MetadataKeys.offset,
    MetadataKeys.headers,
    MetadataKeys.headerList,
    MetadataKeys.leaderEpoch
  ).map(_.name) :+ "source.properties"

  private def keyOf(a: Attribute) = TopicColumn.of(a).metadata.map(_.key)

  /** INT: 1 for an added row, -1 for a deleted or replaced one. */
  def sign(op: Expression): Expression = If(In(op, Seq("+I", "+U").map(Literal(_))), Literal(1), Literal(-1))

  /** Throws CHANGES_AS_ROWS for an unbounded query that joins the rows of a change stream. */
  def checkJoined(query: LogicalPlan): Unit =
    if (query.exists(node => node.isInstanceOf[Join] && node.isStreaming) && !namesChanges(query))
      withRows(query).foreach(refuse(_, "joined"))

  /** The first source of an unbounded query for which [[combinesRows]] holds. */
  private[streams] def withRows(query: LogicalPlan): Option[TopicTable] = Sources.of(query).find(combinesRows)

  /**
   * @param doing what the query does, after "deleted and replaced rows would be"
   * @throws io.kafkalyst.errors.KafkalystException CHANGES_AS_ROWS
   */
  private[streams] def refuse(source: TopicTable, doing: String): Nothing =
    throw KafkalystException("CHANGES_AS_ROWS", "source" -> source.name, "doing" -> doing)
}

/** The columns of a plan's leaves that its expressions or its result use, without those that are only passed on. */
final class UsedColumns private (ids: Set[ExprId]) {
  def apply(a: Attribute): Boolean = ids(a.exprId)
}

object UsedColumns {
  def apply(plan: LogicalPlan): UsedColumns = new UsedColumns(of(plan, plan.outputSet).map(_.exprId).toSet)

  private def of(node: LogicalPlan, above: AttributeSet): Seq[Attribute] = {
    val below = node match {
      case leaf: LeafNode => leaf.output.filter(above.contains)
      case Project(list, child) =>
        of(child, AttributeSet(list.filter(e => above.contains(e.toAttribute)).flatMap(_.references)))
      case a: Aggregate => of(a.child, a.references)
      case _: Filter | _: SubqueryAlias | _: View | _: Sort | _: GlobalLimit | _: LocalLimit | _: Window | _: Generate |
          _: Join | _: EventTimeWatermark =>
        node.children.flatMap(of(_, above ++ node.references))
      // Other operators match columns by position, so they use all of them.
      case _ => node.children.flatMap(child => of(child, child.outputSet))
    }
    below ++ node.subqueries.flatMap(s => of(s, s.outputSet))
  }
}
