package io.kafkalyst.analyze
package tables

import io.kafkalyst.metadata.{MetadataKeys, PseudoColumns}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.Last
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types.IntegerType

/**
 * All versions of a table's rows.
 *
 * @param plan  the table's columns, followed by the interval
 * @param from  the time from which the version is valid
 * @param until the time at which another row of the key, or a delete, ended the version; null for the last version
 * @param key   the key's columns; `plan` does not output those that a projection left out
 */
private[tables] final case class Versions(plan: LogicalPlan, from: Attribute, until: Attribute, key: Seq[Attribute])

private[tables] object Versions {
  private val (from, until) = ("kafkalyst_from", "kafkalyst_until")

  /**
   * The versions of a table with a key and a watermark, or of a view that numbers a stream's rows by time; None for any
   * other plan.
   */
  def of(plan: LogicalPlan): Option[Versions] = plan match {
    case alias: SubqueryAlias => of(alias.child)
    case view: View => of(view.child)
    case table: TopicRelation if table.isTable && !table.isStreaming => ofTable(table)
    case Project(list, child) => of(child).map(projected(list, _))
    case Filter(First(number), child) => numbered(child, number)
    case Filter(condition, child) => of(child).map(v => v.copy(plan = Filter(condition, v.plan)))
    case _ => None
  }

  private def projected(list: Seq[NamedExpression], below: Versions) = below.copy(
    plan = Project(list ++ Seq(below.from, below.until), below.plan),
    key = below.key.map(k => list.collectFirst { case a: Alias if isOf(a.child, k) => a.toAttribute }.getOrElse(k))
  )

  /** Whether the expression is the column, ignoring the casts of views to the column's own type. */
  private def isOf(e: Expression, column: Attribute): Boolean = e match {
    case cast: Cast => cast.dataType == cast.child.dataType && isOf(cast.child, column)
    case other => other.semanticEquals(column)
  }

  private def ofTable(table: TopicRelation): Option[Versions] = {
    val changes = LatestPerKey.exposed(table.relation)
    val (declared, hidden) = changes.output.splitAt(table.columns.size)
    val key = declared.zip(table.columns).collect { case (a, column) if PseudoColumns.isKey(column) => a }
    val views = if (table.exposed) table.views.map(_.over(changes.output, table.columns)) else Nil
    val rows = Project(
      table.derived.placed(declared) ++ hidden ++ views,
      Filter(LatestPerKey.hasKey(declared, table.columns), changes)
    )
    table.derived.time.flatMap { case (column, _) => rows.output.find(_.name == column) }.map { time =>
      val place = LatestPerKey.place(changes.output)
      // A tombstone has only key columns, so its time is that of the row that it deletes.
      val last = Last(time, ignoreNulls = true).toAggregateExpression()
      val order = place.map(SortOrder(_, Ascending))
      val before = over(last, key, order, SpecifiedWindowFrame(RowFrame, UnboundedPreceding, CurrentRow), "before")
      val begin = Alias(Coalesce(Seq(time, before.toAttribute)), from)()
      val timed = Project(rows.output :+ begin, Window(Seq(before), key, order, rows))
      val byTime = SortOrder(begin.toAttribute, Ascending) +: order
      val next = lead(begin.toAttribute, key, byTime)
      val all = Window(Seq(next), key, byTime, Filter(IsNotNull(begin.toAttribute), timed))
      val gone = LatestPerKey.own(changes.output, MetadataKeys.tombstone.name).get
      Versions(
        Project(table.output ++ Seq(begin.toAttribute, next.toAttribute), Filter(Not(gone), all)),
        begin.toAttribute,
        next.toAttribute,
        key
      )
    }
  }

  /** `number = 1`, or an equivalent condition. */
  private object First {
    def unapply(e: Expression): Option[Attribute] = e match {
      case EqualTo(number: Attribute, Literal(1, IntegerType)) => Some(number)
      case EqualTo(Literal(1, IntegerType), number: Attribute) => Some(number)
      case LessThanOrEqual(number: Attribute, Literal(1, IntegerType)) => Some(number)
      case LessThan(number: Attribute, Literal(2, IntegerType)) => Some(number)
      case _ => None
    }
  }

  private def numbered(plan: LogicalPlan, number: Attribute): Option[Versions] = plan match {
    case alias: SubqueryAlias => numbered(alias.child, number)
    case Project(list, child) =>
      val below = list.collectFirst { case Alias(a: Attribute, _) if number.exprId == a.exprId => a }.getOrElse(number)
      numbered(child, below).map(projected(list, _))
    case Window(
          Seq(rows @ Alias(WindowExpression(RowNumber(), _), _)),
          partition,
          Seq(SortOrder(time: Attribute, Descending, _, _)),
          child,
          _
        ) if rows.exprId == number.exprId && partition.forall(_.isInstanceOf[Attribute]) =>
      val key = partition.map(_.asInstanceOf[Attribute])
      val next = lead(time, key, Seq(SortOrder(time, Ascending)))
      val all = Window(Seq(next), partition, Seq(SortOrder(time, Ascending)), Filter(IsNotNull(time), child))
      val begin = Alias(time, from)()
      val first = Alias(Literal(1), rows.name)(rows.exprId)
      val plan = Project(child.output ++ Seq(first, begin, next.toAttribute), all)
      Some(Versions(plan, begin.toAttribute, next.toAttribute, key))
    case _ => None
  }

  private def lead(time: Attribute, key: Seq[Attribute], order: Seq[SortOrder]) = {
    val next = Lead(time, Literal(1), Literal.create(null, time.dataType), ignoreNulls = false)
    over(next, key, order, next.frame, until)
  }

  private def over(function: Expression, key: Seq[Attribute], order: Seq[SortOrder], frame: WindowFrame, name: String) =
    Alias(WindowExpression(function, WindowSpecDefinition(key, order, frame)), name)()
}
