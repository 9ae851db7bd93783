package io.kafkalyst.analyze
package tables

import io.kafkalyst.catalog.{ObjectName, ObjectStore, TopicTable}
import io.kafkalyst.commands.DropObject
import io.kafkalyst.errors.KafkalystException
import org.apache.spark.sql.{SaveMode, SparkSession}
import org.apache.spark.sql.catalyst.analysis.ResolvedTable
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.plans.logical.{
  AlterTableCommand,
  DeleteFromTable,
  LogicalPlan,
  MergeIntoTable,
  OverwriteByExpression,
  OverwritePartitionsDynamic,
  SetTableLocation,
  TruncateTable,
  UpdateTable,
  V2PartitionCommand,
  View
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.catalog.{StagedTable, Table, TableChange}
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

import scala.util.Try

/**
 * Rejects statements that Spark would apply to the catalog entry of a Kafkalyst object but not to the topic, such as
 * DROP COLUMN, those that would replace the entry while queries use it, and statements for which Spark has no readable
 * error.
 */
final class RefusedOnTopics(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    // A statement is always the root of its plan.
    plan match {
      case TruncateTable(Topic(name)) => throw KafkalystException("TRUNCATE_OF_TOPIC", "name" -> name)
      case overwrite: OverwriteByExpression => refuseOverwrite(overwrite.table)
      case overwrite: OverwritePartitionsDynamic => refuseOverwrite(overwrite.table)
      case update: UpdateTable => Topic.unapply(update.table).foreach(refuseUpdate(_, "UPDATE"))
      case merge: MergeIntoTable => Topic.unapply(merge.targetTable).foreach(refuseUpdate(_, "MERGE INTO"))
      case delete: DeleteFromTable => refuseDelete(delete.table)
      case alter: AlterTableCommand if !isOfEntry(alter) =>
        Topic.unapply(alter.table).foreach(refuseAlter)
      // Spark 4.0 does not have this class, which is matched by no case above.
      case added if added.getClass.getSimpleName == "AddCheckConstraint" => Topic.unapply(added).foreach(refuseAlter)
      // The same. An overwriting saveAsTable drops the table, whatever its provider is.
      case saved if saved.getClass.getSimpleName == "SaveAsV1TableCommand" =>
        val parts = saved.productIterator.toSeq
        if (parts.contains(SaveMode.Overwrite))
          parts.collectFirst { case made: CatalogTable => DropObject.replaced(session, made.identifier.nameParts) }
      case p: V2PartitionCommand =>
        Topic.unapply(p.table).foreach(name => throw RefusedOnTopics.partitions(name))
      case _ =>
    }
    plan
  }

  /**
   * Whether only properties of the catalog entry change, as with COMMENT ON TABLE. Spark throws for invalid changes.
   */
  private def isOfEntry(alter: AlterTableCommand): Boolean = !alter.isInstanceOf[SetTableLocation] &&
    Try(alter.changes).toOption.exists(_.forall {
      case _: TableChange.SetProperty | _: TableChange.RemoveProperty => true
      case _ => false
    })

  private def refuseAlter(name: String): Unit = throw KafkalystException("ALTER_OF_TOPIC", "name" -> name)

  private def refuseOverwrite(table: LogicalPlan): Unit =
    Topic.unapply(table).foreach(name => throw KafkalystException("OVERWRITE_OF_TOPIC", "name" -> name))

  private def refuseUpdate(name: String, statement: String): Unit =
    throw KafkalystException("UPDATE_OF_TOPIC", "name" -> name, "statement" -> statement)

  /** The topic's own DELETE is a command by now, so this is a view over it. */
  private def refuseDelete(table: LogicalPlan): Unit = for {
    view <- table.collectFirst { case found: View =>
      (found.desc.identifier.database.toSeq :+ found.desc.identifier.table).mkString(".")
    }
    name <- Topic.unapply(table)
  } throw KafkalystException("DELETE_FROM_VIEW", "view" -> view, "name" -> name)

  /** The name of the Kafkalyst object that a statement is about. */
  private object Topic {
    def unapply(plan: LogicalPlan): Option[String] = plan.collectFirst {
      case found: ResolvedTable => nameOf(found.table).map(name => written(found).getOrElse(name))
      case relation: DataSourceV2Relation => nameOf(relation.table)
      case topic: TopicRelation => topic.relation.collectFirst { case r: DataSourceV2Relation =>
          nameOf(r.table)
        }.flatten
    }.flatten

    /** Excludes tables being created: they have no rows yet, and Spark overwrites those of CREATE OR REPLACE. */
    private def nameOf(table: Table): Option[String] = Some(table).collect {
      case topic: TopicTable if !topic.isInstanceOf[StagedTable] => topic.name
    }

    /** The user's name of an entry in the session catalog; Spark's lookup returns the stored name. */
    private def written(found: ResolvedTable): Option[String] = {
      val in = found.identifier.namespace.mkString(".")
      Option.when(found.catalog.name == ObjectName.sessionCatalog) {
        val entry = found.identifier.name
        s"$in.${new ObjectStore(session).derived(in).getOrElse(entry, entry)}"
      }
    }
  }
}

private[tables] object RefusedOnTopics {

  /** A statement about partitions of a table. */
  def partitions(name: String): KafkalystException = KafkalystException("PARTITIONS_OF_TOPIC", "name" -> name)
}
