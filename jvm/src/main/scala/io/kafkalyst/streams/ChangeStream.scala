package io.kafkalyst.streams

import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.metadata.{MetadataKeys, PseudoColumns}
import io.kafkalyst.model.{ObjectKind, Properties, TopicColumn}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.connector.catalog.Table

/**
 * A stream of change data capture. Its rows are changes: an update is the row as it was and the row as it is. If it says so
 * (CHANGES.COMBINED), what combines them means the rows that are left, unless the query names a column that tells changes
 * apart.
 */
object ChangeStream {
  private val telling = Seq(PseudoColumns.op, PseudoColumns.change, PseudoColumns.tombstone)
  private val names = telling.map(_.name.toLowerCase)
  private val keys = telling.flatMap(_.metadata).map(_.key)

  def is(table: Table): Boolean = table match {
    case t: TopicTable => t.topic.value.isEvent && t.topic.kind == ObjectKind.Stream
    case _ => false
  }

  /** Whether it is one whose rows are combined as they are; never with a HISTORY, whose table has no kinds of changes. */
  def hasRows(table: Table): Boolean = table match {
    case t: TopicTable => is(t) && t.topic.combinesRows && !t.topic.options.contains(Properties.history.name)
    case _ => false
  }

  /** Whether a resolved query uses the columns that tell changes apart: by their own names, or to choose rows. */
  def isNamed(query: LogicalPlan): Boolean = {
    val used = UsedColumns(query)
    query.collectLeaves().exists(_.output.exists(a => names.contains(a.name.toLowerCase) && used(a))) ||
    query.exists(node => node.isInstanceOf[Filter] && node.references.exists(tells))
  }

  /** Whether a column tells changes apart, under any name. */
  private[kafkalyst] def tells(a: Attribute): Boolean = keyOf(a).exists(keys.contains)

  /** Whether a column differs between the record that adds a row and the one that deletes it. */
  private[kafkalyst] def isOfRecord(a: Attribute): Boolean = keyOf(a).exists(key => ofRecord.exists(key.endsWith))

  private val ofRecord = Seq(
    MetadataKeys.timestamp,
    MetadataKeys.offset,
    MetadataKeys.headers,
    MetadataKeys.headerList,
    MetadataKeys.leaderEpoch
  ).map(_.name) :+ "source.properties"

  private def keyOf(a: Attribute) = TopicColumn.of(a).metadata.map(_.key)

  /** INT: 1 for a row that is added, -1 for one that is deleted or replaced. */
  def sign(op: Expression): Expression = If(In(op, Seq("+I", "+U").map(Literal(_))), Literal(1), Literal(-1))

  /** Throws CHANGES_AS_ROWS for a query without end that joins rows as they are. */
  def checkJoined(query: LogicalPlan): Unit =
    if (query.exists(node => node.isInstanceOf[Join] && node.isStreaming) && !isNamed(query))
      withRows(query).foreach(refuse(_, "joined"))

  /** The first stream whose rows a query without end combines as they are. */
  private[streams] def withRows(query: LogicalPlan): Option[TopicTable] = Sources.of(query).find(hasRows)

  /**
   * @param doing what the query does, after "deleted and replaced rows would be"
   * @throws io.kafkalyst.errors.KafkalystException CHANGES_AS_ROWS
   */
  private[streams] def refuse(source: TopicTable, doing: String): Nothing =
    throw KafkalystException("CHANGES_AS_ROWS", "source" -> source.name, "doing" -> doing)
}

/** The columns of leaves, as relations are, that a resolved plan uses; a column that is only passed on is not used. */
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
      // All others use their rows by the places of the columns.
      case _ => node.children.flatMap(child => of(child, child.outputSet))
    }
    below ++ node.subqueries.flatMap(s => of(s, s.outputSet))
  }
}
