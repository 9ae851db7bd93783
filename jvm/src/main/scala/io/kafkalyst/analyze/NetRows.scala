package io.kafkalyst.analyze

import io.kafkalyst.analyze.tables.LatestPerKey
import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.metadata.PseudoColumns
import io.kafkalyst.streams.{ChangeStream, UsedColumns}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.{MaxBy, Sum}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/**
 * In bounded queries, operators that combine rows of a [[ChangeStream]] (groups, joins, DISTINCT, window functions,
 * subqueries) see its current rows: each row as often as it was added and not deleted. Queries that only filter
 * and compute, or that use hidden columns of the records, see the changes.
 */
object NetRows extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.resolved || !plan.exists(reads)) plan
    else {
      val (used, shared) = (UsedColumns(plan), combinedDefinitions(plan))
      def net(plan: LogicalPlan, combined: Boolean): LogicalPlan = plan match {
        case r: DataSourceV2Relation if combined && hasRows(r) && !ofChanges(r, used) => netOf(r, used)
        case node =>
          val below = node.mapChildren(net(_, combined || combinesIn(node, shared)))
          if (!below.expressions.exists(SubqueryExpression.hasSubquery)) below
          else below.transformExpressions { case s: SubqueryExpression => s.withNewPlan(net(s.plan, combined = true)) }
      }
      AnalysisHelper.allowInvokingTransformsInAnalyzer(net(plan, combined = false))
    }

  /** The leaves of a plan that are below no combining operator. */
  private[analyze] def uncombined(plan: LogicalPlan): Seq[LogicalPlan] = {
    val shared = combinedDefinitions(plan)
    def of(node: LogicalPlan): Seq[LogicalPlan] =
      if (combinesIn(node, shared)) Nil else if (node.children.isEmpty) Seq(node) else node.children.flatMap(of)
    of(plan)
  }

  private def reads(node: LogicalPlan): Boolean = hasRows(node) || node.subqueries.exists(_.exists(reads))

  private def hasRows(node: LogicalPlan) = node match {
    case r: DataSourceV2Relation => ChangeStream.combinesRows(r.table)
    case _ => false
  }

  private def combines(node: LogicalPlan): Boolean = node match {
    case _: Aggregate | _: Window | _: Distinct | _: Deduplicate | _: LateralJoin | _: BinaryNode => true
    // Groups that a DataFrame function computes.
    case _: FlatMapGroupsInPandas | _: FlatMapGroupsInArrow | _: FlatMapGroupsInPandasWithState | _: MapGroups |
        _: FlatMapGroupsWithState => true
    case _ => false
  }

  /** Whether the rows below a node are combined; `shared` has the ids of CTEs that a combining operator reads. */
  private def combinesIn(node: LogicalPlan, shared: Set[Long]) = node match {
    case definition: CTERelationDef => shared(definition.id)
    case _ => combines(node)
  }

  /** The ids of the CTEs that are read below a combining operator. */
  @scala.annotation.tailrec
  private def combinedDefinitions(plan: LogicalPlan, known: Set[Long] = Set.empty): Set[Long] = {
    def read(node: LogicalPlan, combined: Boolean): Set[Long] = node match {
      case reference: CTERelationRef => if (combined) Set(reference.cteId) else Set.empty
      case _ =>
        (node.children.map(read(_, combined || combinesIn(node, known))) ++ node.subqueries.map(read(
          _,
          combined = true
        ))).flatten.toSet
    }
    val found = read(plan, combined = false)
    if (found == known) known else combinedDefinitions(plan, found)
  }

  /** Whether the query uses a column that only changes have. */
  private def ofChanges(relation: DataSourceV2Relation, used: UsedColumns) = {
    val (declared, hidden) = relation.output.splitAt(declaredOf(relation).size)
    hidden.exists(used(_)) || declared.exists(a => used(a) && ChangeStream.identifies(a))
  }

  private def declaredOf(relation: DataSourceV2Relation) = relation.table.asInstanceOf[TopicTable].topic.columns

  /**
   * Sums additions and deletions of each row, and repeats the row that often. Rows are compared by the columns that the
   * query uses; the other columns are NULL. If the query uses columns that vary by record, such as times, their values
   * are those of the last record that added the row, and rows are compared by all other columns.
   */
  private def netOf(relation: DataSourceV2Relation, used: UsedColumns): LogicalPlan = {
    val changes = LatestPerKey.exposed(relation.newInstance())
    val declared = relation.output.take(declaredOf(relation).size).zip(changes.output)
    val (passing, lasting) = declared.partition { case (a, _) => ChangeStream.variesByRecord(a) }
    val last = passing.filter(pair => used(pair._1)).map(_._2)
    val columns = lasting.collect { case (a, change) if last.nonEmpty || used(a) => change }
    val sign = ChangeStream.sign(LatestPerKey.own(changes.output, PseudoColumns.op.metadata.get.key).get)
    val times = Alias(new Sum(sign).toAggregateExpression(), "times")()
    val place = CreateNamedStruct(LatestPerKey.place(changes.output).flatMap(a => Seq(Literal(a.name), a)))
    val added = If(GreaterThan(sign, Literal(0)), place, Literal.create(null, place.dataType))
    val values = columns ++ last.map(a => Alias(MaxBy(a, added).toAggregateExpression(), a.name)())
    val rows = values.map(_.toAttribute.newInstance())
    val each = Generate(
      ReplicateRows(times.toAttribute +: values.map(_.toAttribute)),
      Nil,
      outer = false,
      qualifier = None,
      rows,
      Filter(GreaterThan(times.toAttribute, Literal(0L)), Aggregate(columns, values :+ times, changes))
    )
    val row = (columns ++ last).map(_.exprId).zip(rows).toMap
    val list = relation.output.zip(changes.output).map { case (a, change) =>
      val value = row.getOrElse(change.exprId, Literal.create(null, a.dataType))
      Alias(value, a.name)(a.exprId, a.qualifier, Some(a.metadata))
    }
    Project(list, each)
  }
}
