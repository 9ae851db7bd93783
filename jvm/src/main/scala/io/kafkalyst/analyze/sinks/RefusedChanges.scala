package io.kafkalyst.analyze.sinks

import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.commands.StagedTopics
import io.kafkalyst.streams.ChangeStream
import org.apache.spark.sql.catalyst.analysis.{NamedRelation, ResolvedIdentifier, UnresolvedAttribute}
import org.apache.spark.sql.catalyst.catalog.HiveTableRelation
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.execution.datasources.{CreateTable, LogicalRelationWithTable}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/**
 * Refuses INSERT, MERGE and CREATE TABLE … AS into a table of another provider, which stores rows but no deletes, if
 * the query sees the changes of a stream. [[RewriteTopicInserts]] decides for topics.
 */
object RefusedChanges extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    def refuse(statement: LogicalPlan): Unit = statement match {
      // FROM … INSERT INTO … INSERT INTO …
      case several: Union => several.children.foreach(refuse)
      case insert: InsertIntoStatement => check(insert.table, insert.query)
      case append: AppendData => check(append.table, append.query)
      case overwrite: OverwriteByExpression => check(overwrite.table, overwrite.query)
      case overwrite: OverwritePartitionsDynamic => check(overwrite.table, overwrite.query)
      case create: V2CreateTableAsSelectPlan if create.query.resolved =>
        create.name match {
          case id: ResolvedIdentifier if !id.catalog.isInstanceOf[StagedTopics] =>
            WrittenChanges.refuse(create.query, (id.identifier.namespace :+ id.identifier.name).mkString("."))
          case _ =>
        }
      case CreateTable(table, _, Some(query)) if query.resolved =>
        WrittenChanges.refuse(query, table.identifier.unquotedString)
      case merge: MergeIntoTable => OfMerges.check(merge)
      case _ =>
    }
    // A statement is always the root of its plan.
    refuse(plan)
    plan
  }

  /** For MERGE from a topic itself, before Spark may resolve and rewrite the statement in one step. */
  object OfMerges extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan = {
      plan match {
        case merge: MergeIntoTable => check(merge)
        case _ =>
      }
      plan
    }

    private[RefusedChanges] def check(merge: MergeIntoTable): Unit = if (merge.sourceTable.resolved) {
      // WHEN MATCHED AND _op = '-D' THEN DELETE
      val chosen = merge.expressions.flatMap(_.collect {
        case name: UnresolvedAttribute => name.nameParts.last
        case column: Attribute => column.name
      })
      if (!chosen.exists(ChangeStream.isIdentifying(merge.sourceTable, _)))
        RefusedChanges.check(merge.targetTable, merge.sourceTable)
    }
  }

  private def check(table: LogicalPlan, query: LogicalPlan): Unit = if (query.resolved) table match {
    case SubqueryAlias(_, child) => check(child, query)
    case topic: DataSourceV2Relation if topic.table.isInstanceOf[TopicTable] =>
    // Sinks outside a catalog (files, `noop`) are not checked.
    case other: DataSourceV2Relation if other.catalog.isEmpty =>
    case named: NamedRelation => WrittenChanges.refuse(query, named.name)
    case LogicalRelationWithTable(_, Some(entry)) => WrittenChanges.refuse(query, entry.identifier.unquotedString)
    case hive: HiveTableRelation => WrittenChanges.refuse(query, hive.tableMeta.identifier.unquotedString)
    case _ =>
  }
}
