package io.kafkalyst.analyze
package statements

import org.apache.spark.sql.catalyst.analysis.{ParameterizedQuery, PlanWithUnresolvedIdentifier}
import org.apache.spark.sql.catalyst.plans.logical.{
  AnalyzeTable,
  DeleteFromTable,
  DescribeColumn,
  DescribeRelation,
  DropNamespace,
  DropTable,
  InsertIntoStatement,
  LogicalPlan,
  RenameTable,
  ShowColumns,
  ShowCreateTable,
  SubqueryAlias
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.PARAMETER

/**
 * Statements over `IDENTIFIER(…)`. Spark applies the early rules to what the name stands for once it knows the name; in
 * these statements that is a part of the statement only, and the rules of [[ResolveTopicTables]] match the whole. So
 * the whole statement becomes what the name stands for, as Spark itself makes it for CREATE.
 */
object ComputedNames extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case query: ParameterizedQuery => query.mapChildren(apply)
    case i: InsertIntoStatement => inserted(i)
    case statement @ (_: DropTable | _: DeleteFromTable | _: RenameTable | _: DescribeRelation | _: DescribeColumn |
        _: ShowCreateTable | _: ShowColumns | _: AnalyzeTable | _: DropNamespace)
        // Spark 4.0 binds arguments in the plan, and would not find those of a statement that is not made yet.
        if !statement.expressions.exists(_.containsPattern(PARAMETER)) => raised(statement)
    case other => other
  }

  private def raised(statement: LogicalPlan): LogicalPlan =
    statement.children.flatMap(computed(_)).headOption.fold(statement) { name =>
      new PlanWithUnresolvedIdentifier(
        name.identifierExpr,
        name.children,
        (parts, on) =>
          statement.mapChildren(_.transformDown { case p if p eq name => name.planBuilder(parts, on) })
      )
    }

  @scala.annotation.tailrec
  private def computed(plan: LogicalPlan): Option[PlanWithUnresolvedIdentifier] = plan match {
    case name: PlanWithUnresolvedIdentifier => Some(name)
    case alias: SubqueryAlias => computed(alias.child)
    case _ => None
  }

  /** Spark 4.2 has the name of INSERT's table beside its children; earlier versions make the whole statement. */
  private def inserted(i: InsertIntoStatement): LogicalPlan = i.table match {
    case name: PlanWithUnresolvedIdentifier =>
      def of(parts: Seq[String], on: Seq[LogicalPlan]) =
        i.makeCopy(i.productIterator.map {
          case part: LogicalPlan if part eq name => name.planBuilder(parts, on)
          case part => part.asInstanceOf[AnyRef]
        }.toArray)
      new PlanWithUnresolvedIdentifier(name.identifierExpr, name.children, of)
    case _ => i
  }
}
