package io.kafkalyst.catalog

import java.util.Locale

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{Settings, TopicObject}
import io.kafkalyst.names.InternalSchema
import org.apache.spark.sql.{classic, SparkSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.{ResolvedIdentifier, TableAlreadyExistsException, UnresolvedIdentifier}
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.connector.catalog.{Identifier, TableCatalog, TableChange}
import org.apache.spark.sql.execution.command.{AlterTableSetPropertiesCommand, AlterTableUnsetPropertiesCommand}

import scala.jdk.CollectionConverters._
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.types.StructField

/** A named object of ours with what its catalog entry says beyond the definition. */
final case class StoredObject(name: ObjectName, topic: TopicObject, properties: Map[String, String])

/**
 * The full name of an object in the session catalog, which may know it in another case than a statement.
 *
 * @param stored the entry's own name, see [[StoredNames]]
 */
final case class ObjectName(database: String, table: String, stored: String) {
  def identifier: TableIdentifier = TableIdentifier(stored, Some(database))
  def sql: String = Seq(database, stored).map(quoteIdentifier).mkString(".")
  override def toString: String = s"$database.$table"

  /** The same, at a place of its own beside those that differ in case only. */
  private[catalog] def exact: ObjectName = copy(stored = StoredNames.exact(table))

  override def equals(other: Any): Boolean = other match {
    case o: ObjectName => o.database.equalsIgnoreCase(database) && o.stored.equalsIgnoreCase(stored)
    case _ => false
  }
  override def hashCode: Int = s"$database.$stored".toLowerCase(Locale.ROOT).hashCode
}

object ObjectName {
  def apply(database: String, table: String): ObjectName = ObjectName(database, table, StoredNames.of(table))
}

/** Our objects as entries of Spark's session catalog, by public ways and whoever owns `spark_catalog`. */
final class ObjectStore(session: SparkSession) {
  private def catalog = session.sessionState.catalog

  /**
   * The full name that the parts mean: of the very object, else of one that is the same but for case. None where they
   * point into another catalog.
   */
  def name(parts: Seq[String]): Option[ObjectName] = placed(parts).map(_._1)

  /** As [[name]], for an object to be made: one whose name differs in case only is another where names are ksqlDB's. */
  def newName(parts: Seq[String]): Option[ObjectName] = placed(parts).map { case (n, there) =>
    if (isExact && there.flatMap(written).exists(_ != n.table)) n.exact else n
  }

  private def full(parts: Seq[String]): Option[ObjectName] = parts match {
    case Seq(table) if isSessionCatalog(session.catalog.currentCatalog()) =>
      Some(ObjectName(session.catalog.currentDatabase, table))
    case Seq(database, table) if isSessionCatalog(session.catalog.currentCatalog()) => Some(ObjectName(database, table))
    case Seq(owner, database, table) if isSessionCatalog(owner) => Some(ObjectName(database, table))
    case _ => None
  }

  /** Where the name leads, and what stands there, which is looked up once. */
  private def placed(parts: Seq[String]): Option[(ObjectName, Option[CatalogTable])] = full(parts).map { n =>
    val there = entry(n)
    val isIt = there.exists(e => !written(e).exists(_ != n.table))
    val beside = if (isIt) None else entry(n.exact)
    if (beside.isDefined) n.exact -> beside else n -> there
  }

  private def isExact: Boolean = Settings.of(session.conf.getAll).upperIdentifiers

  /** An object's name as it was written, where its entry's own does not tell. */
  private def written(e: CatalogTable): Option[String] =
    if (isOurs(e)) e.properties.get(KafkalystProvider.nameOption) else None

  /** The object of that name; None where there is nothing, a view, or somebody else's table. */
  def find(parts: Seq[String]): Option[StoredObject] =
    if (catalog.isTempView(parts)) None
    else placed(parts).flatMap { case (name, there) => ours(name, there) }

  /** The object at this very place; None where there is nothing, a view, or somebody else's table. */
  def at(name: ObjectName): Option[StoredObject] = ours(name, entry(name))

  private def ours(name: ObjectName, there: Option[CatalogTable]) = there.filter(isOurs).map(stored(name, _))

  /** Whether an object of that name can be read; an entry that cannot is left to Spark, which drops it. */
  def isTopic(parts: Seq[String]): Boolean = readable(find(parts)).isDefined

  /** Whether there is a table or view of that name, of whatever kind; what other catalogs have counts as there. */
  def isThere(parts: Seq[String]): Boolean = catalog.isTempView(parts) || placed(parts).forall(_._2.isDefined)

  /** What stands under the name, of whatever kind: "STREAM", "TABLE", "VIEW" or a provider's table. */
  def kindAt(name: ObjectName): Option[String] = entry(name).map { e =>
    if (isOurs(e)) stored(name, e).topic.kind.name
    else e.provider.fold(e.tableType.name)(p => s"$p ${e.tableType.name}")
  }

  /** All our objects of the current database. */
  def list(): Seq[StoredObject] = {
    val database = session.catalog.currentDatabase
    catalog.listTables(database).sortBy(_.table).flatMap { id =>
      readable(at(ObjectName(database, id.table, id.table)))
    }
  }

  /** All our objects of all databases. */
  def listAll(): Seq[StoredObject] = catalog.listDatabases().flatMap { database =>
    catalog.listTables(database).flatMap { id =>
      readable(at(ObjectName(database, id.table, id.table)))
    }
  }

  /** None for an entry that is no whole definition, as Spark's CREATE TABLE … USING leaves it without a topic. */
  private def readable(found: => Option[StoredObject]): Option[StoredObject] =
    try found
    catch { case _: KafkalystException => None }

  /** Names of all tables and views, ours and others', of a database; of the current one if None. */
  def sources(database: Option[String]): Seq[String] = {
    val in = database.getOrElse(session.catalog.currentDatabase)
    if (!catalog.databaseExists(in)) Nil
    else {
      val given = derived(in)
      catalog.listTables(in).map(id => given.getOrElse(id.table, id.table))
    }
  }

  /** The objects of a database whose entries have other names than they themselves: the name by the entry's. */
  def derived(database: String): Map[String, String] =
    if (!catalog.databaseExists(database)) Map.empty
    else catalog.listTables(database).map(_.table).filter(StoredNames.isDerived).flatMap { table =>
      entry(ObjectName(database, table, table)).flatMap(written).map(table -> _)
    }.toMap

  /**
   * Makes an entry.
   *
   * @throws io.kafkalyst.errors.KafkalystException OBJECT_EXISTS where something of the name is there
   */
  def create(name: ObjectName, topic: TopicObject, more: Map[String, String]): Unit =
    try {
      val schema = InternalSchema.of(topic.columns)
      session.catalog.createTable(name.sql, KafkalystProvider.name, schema, encoded(name, topic, more))
      ()
    } catch {
      case faster: TableAlreadyExistsException => throw KafkalystException.caused(
          faster,
          "OBJECT_EXISTS",
          "kind" -> kindAt(name).getOrElse("object"),
          "name" -> name.toString,
          "wanted" -> topic.kind.name
        )
    }

  private def encoded(name: ObjectName, topic: TopicObject, more: Map[String, String]) = {
    val tells = name.table == name.stored.toLowerCase(Locale.ROOT) && !isExact
    val named = if (tells) Map.empty else Map(KafkalystProvider.nameOption -> name.table)
    ObjectCodec.encode(topic) ++ named ++ more
  }

  /**
   * Puts a definition in the place of an entry's. The name is never without an entry meanwhile, unless columns go or
   * change, which not every metastore can do with an entry that is there.
   */
  def replace(name: ObjectName, topic: TopicObject, more: Map[String, String]): Unit = ObjectStore.changing {
    val (before, schema, after) = (entry(name).get, InternalSchema.of(topic.columns), encoded(name, topic, more))
    if (sameColumns(before.schema, schema.take(before.schema.length))) {
      val gone = before.properties.keySet.filterNot(k => after.keySet.exists(_.equalsIgnoreCase(k)))
      val added = schema.drop(before.schema.length).map { f =>
        TableChange.addColumn(Array(f.name), f.dataType, f.nullable)
      }
      val changes = gone.toSeq.map(TableChange.removeProperty) ++
        after.map { case (key, value) => TableChange.setProperty(key, value) } ++ added
      val identifier = Identifier.of(Array(name.database), name.stored)
      owner(name).alterTable(identifier, changes: _*)
      // Spark 4.0 leaves the columns of a Hive metastore's entry as they were.
      if (!sameColumns(entry(name).get.schema, schema)) catalog.alterTableDataSchema(name.identifier, schema)
    } else {
      drop(name)
      create(name, topic, more)
    }
  }

  private def sameColumns(a: Seq[StructField], b: Seq[StructField]) =
    a.map(f => f.name -> f.dataType) == b.map(f => f.name -> f.dataType)

  /** The session catalog as Spark, or whoever extends it, gives it. */
  private def owner(name: ObjectName): TableCatalog = session.sessionState.analyzer
    .execute(UnresolvedIdentifier(Seq("spark_catalog", name.database, name.stored)))
    .collectFirst { case found: ResolvedIdentifier => found.catalog }
    .get.asInstanceOf[TableCatalog]

  /** Adds properties to an entry, or gives them other values. */
  def setProperties(name: ObjectName, properties: Map[String, String]): Unit = ObjectStore.changing {
    AlterTableSetPropertiesCommand(name.identifier, properties, isView = false).run(own)
    ()
  }

  def unsetProperties(name: ObjectName, properties: Seq[String]): Unit = ObjectStore.changing {
    AlterTableUnsetPropertiesCommand(name.identifier, properties, ifExists = true, isView = false).run(own)
    ()
  }

  private def own = session.asInstanceOf[classic.SparkSession]

  def drop(name: ObjectName): Unit = ObjectStore.changing {
    catalog.dropTable(name.identifier, ignoreIfNotExists = true, purge = false)
  }

  private def isSessionCatalog(owner: String) = owner == "spark_catalog"

  private def entry(name: ObjectName): Option[CatalogTable] =
    if (catalog.databaseExists(name.database) && catalog.tableExists(name.identifier))
      Some(catalog.getTableMetadata(name.identifier))
    else None

  private def isOurs(entry: CatalogTable) = entry.provider.exists(_.equalsIgnoreCase(KafkalystProvider.name))

  private def stored(name: ObjectName, entry: CatalogTable): StoredObject = {
    val properties = entry.properties.map { case (k, v) => k.toLowerCase(Locale.ROOT) -> v }
    val table = new KafkalystProvider().getTable(entry.schema, Array.empty, properties.asJava).asInstanceOf[TopicTable]
    StoredObject(written(entry).fold(name)(n => name.copy(table = n)), table.topic, properties)
  }
}

private object ObjectStore {

  /** Changes of entries, which read and then write them, one after the other. */
  def changing[T](change: => T): T = synchronized(change)
}
