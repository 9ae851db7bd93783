package io.kafkalyst.catalog

import java.util.Locale

import io.kafkalyst.model.TopicObject
import io.kafkalyst.names.InternalSchema
import org.apache.spark.sql.{classic, SparkSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.execution.command.{AlterTableSetPropertiesCommand, AlterTableUnsetPropertiesCommand}

import scala.jdk.CollectionConverters._
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier

/** A named object of ours with what its catalog entry says beyond the definition. */
final case class StoredObject(name: ObjectName, topic: TopicObject, properties: Map[String, String])

/** The full name of an object in the session catalog, which may know it in another case than a statement. */
final case class ObjectName(database: String, table: String) {
  def identifier: TableIdentifier = TableIdentifier(table, Some(database))
  def sql: String = Seq(database, table).map(quoteIdentifier).mkString(".")
  override def toString: String = s"$database.$table"

  override def equals(other: Any): Boolean = other match {
    case o: ObjectName => o.database.equalsIgnoreCase(database) && o.table.equalsIgnoreCase(table)
    case _ => false
  }
  override def hashCode: Int = toString.toLowerCase(Locale.ROOT).hashCode
}

/** Our objects as entries of Spark's session catalog, by public ways and whoever owns `spark_catalog`. */
final class ObjectStore(session: SparkSession) {
  private def catalog = session.sessionState.catalog

  /** The full name that the parts mean; None where they point into another catalog. */
  def name(parts: Seq[String]): Option[ObjectName] = parts match {
    case Seq(table) if isSessionCatalog(session.catalog.currentCatalog()) =>
      Some(ObjectName(session.catalog.currentDatabase, table))
    case Seq(database, table) if isSessionCatalog(session.catalog.currentCatalog()) => Some(ObjectName(database, table))
    case Seq(owner, database, table) if isSessionCatalog(owner) => Some(ObjectName(database, table))
    case _ => None
  }

  /** The object of that name; None where there is nothing, a view, or somebody else's table. */
  def find(parts: Seq[String]): Option[StoredObject] =
    if (catalog.isTempView(parts)) None
    else name(parts).flatMap(n => entry(n).filter(isOurs).map(stored(n, _)))

  def isTopic(parts: Seq[String]): Boolean = find(parts).isDefined

  /** Whether there is a table or view of that name, of whatever kind; what other catalogs have counts as there. */
  def isThere(parts: Seq[String]): Boolean = catalog.isTempView(parts) || name(parts).forall(entry(_).isDefined)

  /** What stands under the name, of whatever kind: "STREAM", "TABLE", "VIEW" or a provider's table. */
  def kindAt(name: ObjectName): Option[String] = entry(name).map { e =>
    if (isOurs(e)) stored(name, e).topic.kind.name
    else e.provider.fold(e.tableType.name)(p => s"$p ${e.tableType.name}")
  }

  /** All our objects of the current database. */
  def list(): Seq[StoredObject] = {
    val database = session.catalog.currentDatabase
    catalog.listTables(database).sortBy(_.table).flatMap { id =>
      val n = ObjectName(database, id.table)
      entry(n).filter(isOurs).map(stored(n, _))
    }
  }

  /** All our objects of all databases. */
  def listAll(): Seq[StoredObject] = catalog.listDatabases().flatMap { database =>
    catalog.listTables(database).flatMap { id =>
      val n = ObjectName(database, id.table)
      entry(n).filter(isOurs).map(stored(n, _))
    }
  }

  /** Names of all tables and views, ours and others', of a database; of the current one if None. */
  def sources(database: Option[String]): Seq[String] = {
    val in = database.getOrElse(session.catalog.currentDatabase)
    if (catalog.databaseExists(in)) catalog.listTables(in).map(_.table) else Nil
  }

  def create(name: ObjectName, topic: TopicObject, more: Map[String, String]): Unit = {
    val schema = InternalSchema.of(topic.columns)
    session.catalog.createTable(name.sql, KafkalystProvider.name, schema, ObjectCodec.encode(topic) ++ more)
    ()
  }

  /** Adds properties to an entry, or gives them other values. */
  def setProperties(name: ObjectName, properties: Map[String, String]): Unit = {
    AlterTableSetPropertiesCommand(name.identifier, properties, isView = false).run(own)
    ()
  }

  def unsetProperties(name: ObjectName, properties: Seq[String]): Unit = {
    AlterTableUnsetPropertiesCommand(name.identifier, properties, ifExists = true, isView = false).run(own)
    ()
  }

  private def own = session.asInstanceOf[classic.SparkSession]

  def drop(name: ObjectName): Unit = catalog.dropTable(name.identifier, ignoreIfNotExists = true, purge = false)

  private def isSessionCatalog(owner: String) = owner == "spark_catalog"

  private def entry(name: ObjectName): Option[CatalogTable] =
    if (catalog.databaseExists(name.database) && catalog.tableExists(name.identifier))
      Some(catalog.getTableMetadata(name.identifier))
    else None

  private def isOurs(entry: CatalogTable) = entry.provider.exists(_.equalsIgnoreCase(KafkalystProvider.name))

  private def stored(name: ObjectName, entry: CatalogTable): StoredObject = {
    val properties = entry.properties.map { case (k, v) => k.toLowerCase(Locale.ROOT) -> v }
    val table = new KafkalystProvider().getTable(entry.schema, Array.empty, properties.asJava).asInstanceOf[TopicTable]
    StoredObject(name, table.topic, properties)
  }
}
