package io.kafkalyst.analyze
package sinks

import io.kafkalyst.catalog.{ObjectCodec, ObjectName, ObjectStore, SessionObjects, TopicSource}
import io.kafkalyst.commands.{SessionTopics, StagedTopic, StagedTopics}
import io.kafkalyst.model.Properties
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.ResolvedIdentifier
import org.apache.spark.sql.catalyst.plans.logical.{
  CreateTable,
  CreateTableAsSelect,
  LogicalPlan,
  ReplaceTable,
  ReplaceTableAsSelect,
  TableSpec,
  TableSpecBase,
  UnresolvedTableSpec,
  V2CreateTablePlan
}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.connector.catalog.CatalogPlugin

/**
 * Stages CREATE TABLE … USING kafkalyst in the session catalog, which cannot stage topics itself, if it has AS SELECT
 * or PARTITIONS. Without either, the statement declares a table over an existing topic.
 *
 * Spark's session catalog replaces a table by dropping its entry, and with it the records of the queries into it. So an
 * existing object is not replaced by Spark's statement.
 */
final class StageTopics(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case c: CreateTableAsSelect => staged(c, c.tableSpec)
    case r: ReplaceTableAsSelect => staged(r, r.tableSpec)
    case r: ReplaceTable =>
      checkClauses(r, r.tableSpec)
      checkQueries(r.name, r.tableSpec)
      checkNew(r.name)
      r
    case c: CreateTable =>
      checkClauses(c, c.tableSpec)
      checkQueries(c.name, c.tableSpec)
      if (properties(c.tableSpec).exists(Properties.partitions.name.equalsIgnoreCase)) staged(c, c.tableSpec) else c
    case like if like.getClass.getSimpleName.startsWith("CreateTableLike") =>
      checkLike(like)
      like
    case other => other
  }

  /**
   * Spark would keep these clauses in the entry, where they have no effect, or refuse them without saying what a topic
   * has instead.
   */
  private def checkClauses(created: V2CreateTablePlan, table: TableSpecBase): Unit = if (becomesTopic(created, table)) {
    val name = shown(created.name)
    val primary = "'key.fields' = 'id' among its TBLPROPERTIES names the key's columns, and CREATE TABLE … (id INT " +
      "PRIMARY KEY, …) WITH (…) makes a table of the latest row of each key"
    StagedTopic.checkPartitions(name, created.partitioning)
    if (isElsewhere(table)) StagedTopic.refuseLocation(name)
    constraints(table).foreach { constraint =>
      if (constraint.startsWith("PrimaryKey")) StagedTopic.refuseClause(name, "PRIMARY KEY", primary)
      else StagedTopic.refuseClause(
        name,
        "a constraint",
        "Nobody checks the records of other writers: filter in the queries that read it, or in a view"
      )
    }
    created.columns.foreach { column =>
      val computed = s"Compute ${quoteIfNeeded(column.name)} in the queries that write into it, or in a view"
      if (column.generationExpression.isDefined) StagedTopic.refuseClause(name, "GENERATED ALWAYS AS", computed)
      if (column.identityColumnSpec.isDefined) StagedTopic.refuseClause(name, "IDENTITY", computed)
    }
  }

  private def becomesTopic(created: V2CreateTablePlan, table: TableSpecBase): Boolean = isTopics(table) ||
    (created.name match {
      case id: ResolvedIdentifier => id.catalog.isInstanceOf[StagedTopics]
      case _ => false
    })

  private def isElsewhere(table: TableSpecBase): Boolean = table match {
    case spec: TableSpec => spec.external || spec.location.isDefined
    case spec: UnresolvedTableSpec => spec.external || spec.location.isDefined
    case _ => false
  }

  /** The classes of a table's constraints, which Spark 4.0 does not have. */
  private def constraints(table: TableSpecBase): Seq[String] = table match {
    case spec: Product => spec.productIterator.collect { case several: Seq[_] => several }.flatten
        .map(_.getClass.getSimpleName).toSeq
    case _ => Nil
  }

  /** RESUME would run a query with whatever text and checkpoint such a property has. */
  private def checkQueries(name: LogicalPlan, table: TableSpecBase): Unit =
    if (isTopics(table) && !SessionObjects.isCreating) ObjectCodec.checkCreation(shown(name), properties(table))

  private def shown(name: LogicalPlan): String = name match {
    case id: ResolvedIdentifier if id.catalog.name == ObjectName.sessionCatalog => id.identifier.toString
    case id: ResolvedIdentifier => s"${id.catalog.name}.${id.identifier}"
    case other => other.toString
  }

  private def checkNew(name: LogicalPlan): Unit = name match {
    case id: ResolvedIdentifier if id.catalog.name == ObjectName.sessionCatalog =>
      val store = new ObjectStore(session)
      val parts = ObjectName.sessionCatalog +: id.identifier.namespace.toSeq :+ id.identifier.name
      if (store.isTopic(parts)) store.name(parts).foreach(StagedTopics.refuseReplacement(session, _))
    case _ =>
  }

  /** The plans of CREATE TABLE … LIKE, whose classes and parts differ between Spark versions. */
  private def checkLike(like: LogicalPlan): Unit = {
    val names = like.productIterator.collect {
      case table: TableSpecBase => properties(table)
      case given: Map[_, _] => given.keys.collect { case name: String => name }
    }
    val table = like.productElement(0) match {
      case id: ResolvedIdentifier => id.identifier.name
      case id: TableIdentifier => id.table
      case other => other.toString
    }
    ObjectCodec.checkCreation(table, names.flatten.toSeq)
  }

  private def properties(table: TableSpecBase): Iterable[String] = table match {
    case spec: TableSpec => (spec.properties ++ spec.options).keys
    case _ => Nil
  }

  private def isTopics(table: TableSpecBase) = table.provider.exists(_.equalsIgnoreCase(TopicSource.name))

  private def staged(plan: LogicalPlan, table: TableSpecBase): LogicalPlan =
    if (!isTopics(table)) plan
    else plan.mapChildren {
      case id: ResolvedIdentifier
          if id.catalog.name == ObjectName.sessionCatalog && !id.catalog.isInstanceOf[SessionTopics] =>
        // Rebuilt from its own parts, because the number of arguments differs between Spark versions.
        id.makeCopy(id.productIterator.map {
          case _: CatalogPlugin => new SessionTopics(session)
          case part => part.asInstanceOf[AnyRef]
        }.toArray)
      case other => other
    }
}
