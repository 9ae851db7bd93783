package io.kafkalyst.analyze
package tables

import io.kafkalyst.catalog.{ObjectName, ObjectStore, TopicTable}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{ResolvedNamespace, ResolvedTable}
import org.apache.spark.sql.catalyst.expressions.{Alias, CaseWhen, EqualTo, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project, ShowTables}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.connector.catalog.{DelegatingCatalogExtension, Identifier, Table, TableCatalog, TableChange}
import org.apache.spark.sql.execution.command.ShowTablesCommand
import org.apache.spark.sql.execution.datasources.v2.V2SessionCatalog
import org.apache.spark.sql.util.CaseInsensitiveStringMap

/**
 * SHOW TABLES with the user's names of Kafkalyst objects whose catalog entries have other names. It stays Spark's
 * command where that asks the catalog for its tables only, because spark-sql prints just the names of this command.
 * A table that `spark.catalog` looks up gets its entry's comment, which Spark's session catalog does not pass.
 */
final class ShownTables(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case show: ShowTables =>
      show.namespace match {
        case in: ResolvedNamespace if in.catalog.name == ObjectName.sessionCatalog && in.namespace.size == 1 =>
          val names = derived(in.namespace.head)
          in.catalog match {
            case _: ShownTables.Named => show
            case _ if names.isEmpty => show
            case listed @ (_: V2SessionCatalog | _: DelegatingCatalogExtension) =>
              show.withNewChildren(Seq(named(in, listed.asInstanceOf[TableCatalog], names)))
            case _ => renamed(show, names)
          }
        case _ => show
      }
    // `SHOW TABLES NOT LIKE 'a%'`, see FlinkStatements.
    case like: Filter if like.child.isInstanceOf[ShowTables] =>
      this(like.child) match {
        case named: ShowTables => like.withNewChildren(Seq(named))
        case _ => like
      }
    // The command under spark.sql.legacy.useV1Command.
    case show: ShowTablesCommand =>
      val names = derived(show.databaseName.getOrElse(session.catalog.currentDatabase))
      if (names.isEmpty) show else renamed(show, names)
    // Only Spark's Catalog analyzes a table that is not part of a statement.
    case found @ ResolvedTable(catalog, at, table: TopicTable, _) if catalog.name == ObjectName.sessionCatalog =>
      val parts = ObjectName.sessionCatalog +: at.namespace.toSeq :+ at.name
      new ObjectStore(session).readable(parts).flatMap(_.comment)
        .fold[LogicalPlan](found)(text => replaced(found, table, table.commented(text)))
    case other => other
  }

  private def derived(database: String) = new ObjectStore(session).derived(database)

  private def named(in: ResolvedNamespace, catalog: TableCatalog, names: Map[String, String]): LogicalPlan =
    replaced(in, catalog, new ShownTables.Named(catalog, names))

  private def replaced(node: LogicalPlan, part: AnyRef, by: AnyRef): LogicalPlan =
    node.makeCopy(node.productIterator.map(_.asInstanceOf[AnyRef]).map(p => if (p eq part) by else p).toArray)

  private def renamed(show: LogicalPlan, names: Map[String, String]): LogicalPlan = Project(
    show.output.map {
      case a if a.name == "tableName" =>
        val branches = names.toSeq.sorted.map { case (entry, name) => EqualTo(a, Literal(entry)) -> Literal(name) }
        Alias(CaseWhen(branches, a), a.name)()
      case a => a
    },
    show
  )
}

private object ShownTables {

  /** A catalog that only lists its tables, by the users' names. */
  private final class Named(catalog: TableCatalog, names: Map[String, String]) extends TableCatalog {
    override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = ()
    override def name(): String = catalog.name
    override def listTables(namespace: Array[String]): Array[Identifier] = catalog.listTables(namespace).map { at =>
      names.get(at.name).fold(at)(Identifier.of(at.namespace, _))
    }
    override def loadTable(at: Identifier): Table = catalog.loadTable(at)
    override def alterTable(at: Identifier, changes: TableChange*): Table = catalog.alterTable(at, changes: _*)
    override def dropTable(at: Identifier): Boolean = catalog.dropTable(at)
    override def renameTable(from: Identifier, to: Identifier): Unit = catalog.renameTable(from, to)
  }
}
