package io.kafkalyst.catalog

import java.{util => ju}
import java.util.{Collections, Locale}

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.TopicObject
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.names.InternalSchema
import org.apache.spark.sql.{classic, SparkSession}
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.{
  NoSuchNamespaceException,
  NoSuchTableException,
  ResolvedIdentifier,
  TableAlreadyExistsException,
  UnresolvedIdentifier
}
import org.apache.spark.sql.catalyst.catalog.{CatalogTable, ExternalCatalog}
import org.apache.spark.sql.connector.catalog.{Identifier, TableCatalog, TableChange}
import org.apache.spark.sql.execution.command.{AlterTableSetPropertiesCommand, AlterTableUnsetPropertiesCommand}
import org.apache.spark.sql.types.StructField

import scala.jdk.CollectionConverters._
import scala.util.{DynamicVariable, Try}
import scala.util.control.NonFatal

/** Objects as entries of Spark's session catalog, through public APIs only, whatever implements `spark_catalog`. */
private[catalog] final class SessionObjects(session: SparkSession) extends Objects {
  private def catalog = session.sessionState.catalog

  override def placed(name: ObjectName): ObjectName = withEntry(name)._1

  override def placedNew(name: ObjectName): ObjectName = {
    val (n, there) = withEntry(name)
    if (isExact && there.flatMap(written).exists(_ != n.table)) n.exact else n
  }

  /** The resolved name and its entry, looked up once. */
  private def withEntry(n: ObjectName): (ObjectName, Option[CatalogTable]) = {
    val there = entry(n)
    val isIt = there.exists(e => !written(e).exists(_ != n.table))
    val beside = if (isIt) None else entry(n.exact)
    if (beside.isDefined) n.exact -> beside else n -> there
  }

  private def isExact: Boolean = Settings.of(session.conf.getAll).foldsNames

  /** An object's name as the user wrote it, if its entry has another name. */
  private def written(e: CatalogTable): Option[String] =
    if (isOurs(e)) e.properties.get(TopicSource.nameOption) else None

  override def find(name: ObjectName): Option[StoredObject] = {
    val (n, there) = withEntry(name)
    ours(n, there)
  }

  override def at(name: ObjectName): Option[StoredObject] = ours(name, entry(name))

  private def ours(name: ObjectName, there: Option[CatalogTable]) = there.filter(isOurs).map(stored(name, _))

  override def isThere(name: ObjectName): Boolean = withEntry(name)._2.isDefined

  override def kindAt(name: ObjectName): Option[String] = entry(name).map { e =>
    if (isOurs(e)) stored(name, e).topic.kind.name
    else e.provider.fold(e.tableType.name)(p => s"$p ${e.tableType.name}")
  }

  override def list(database: String): Seq[StoredObject] =
    entries(catalog.listTables(database)).filter(isOurs).sortBy(_.identifier.table).flatMap { e =>
      Objects.readable(Some(stored(ObjectName(database, e.identifier.table, e.identifier.table), e)))
    }

  /**
   * The tables' entries, without known foreign tables: a metastore takes milliseconds for each entry, and cannot filter
   * by provider. Foreign tables that were checked long ago are checked again in the background.
   */
  private def entries(ids: Seq[TableIdentifier]): Seq[CatalogTable] = {
    val others = SessionObjects.others(catalog.externalCatalog)
    val found = asked(ids.filterNot(others.knows), others)
    val old = others.takeOld(ids)
    if (old.nonEmpty) OtherTables.later(asked(old, others))
    found
  }

  /**
   * The tables' entries from the metastore, in groups: a Hive client sends one request after another, and other
   * statements should not wait for thousands of tables. If a request fails, its tables are requested one by one.
   */
  private def asked(ids: Seq[TableIdentifier], others: OtherTables): Seq[CatalogTable] =
    ids.grouped(SessionObjects.atOnce).toSeq.flatMap { part =>
      val found =
        try catalog.getTablesByName(part)
        catch {
          // One unreadable entry, or one that is dropped meanwhile, fails the whole request.
          case NonFatal(_) => part.flatMap(id => Try(catalog.getTableMetadata(id)).toOption)
        }
      found.foreach(e => if (isOurs(e)) others.forget(e.identifier) else others.saw(e.identifier))
      found
    }

  override def listAll(): Seq[StoredObject] = catalog.listDatabases().flatMap(list)

  override def sources(in: String): Seq[String] = {
    if (!catalog.databaseExists(in)) Nil
    else {
      val given = derived(in)
      catalog.listTables(in).map(id => given.getOrElse(id.table, id.table))
    }
  }

  /** The objects of a database whose entries have derived names: object name by entry name. */
  def derived(database: String): Map[String, String] =
    if (!catalog.databaseExists(database)) Map.empty
    else entries(catalog.listTables(database).filter(id => StoredNames.isDerived(id.table)))
      .flatMap(e => written(e).map(e.identifier.table -> _)).toMap

  override def create(name: ObjectName, topic: TopicObject, more: Map[String, String]): Unit =
    try {
      val schema = InternalSchema.described(topic)
      val properties = encoded(name, topic, more - StoredObject.comment)
      val comment = more.getOrElse(StoredObject.comment, "")
      SessionObjects.creates.withValue(true) {
        session.catalog.createTable(name.sql, TopicSource.name, schema, comment, properties)
      }
      SessionObjects.others(catalog.externalCatalog).forget(name.identifier)
    } catch {
      case faster: TableAlreadyExistsException => throw KafkalystException.caused(
          faster,
          "OBJECT_EXISTS",
          "kind" -> kindAt(name).getOrElse("object"),
          "name" -> name.toString,
          "wanted" -> topic.kind.name
        )
    }

  private def encoded(name: ObjectName, topic: TopicObject, more: Map[String, String]) =
    ObjectCodec.encode(topic) ++ named(name) ++ more

  /** The property with the name as written, if the entry's own name differs. */
  private def named(name: ObjectName): Map[String, String] = {
    val tells = name.table == name.stored.toLowerCase(Locale.ROOT) && !isExact
    if (tells) Map.empty else Map(TopicSource.nameOption -> name.table)
  }

  /**
   * Replaces an entry's definition. The entry exists throughout, unless columns are dropped or renamed, which not every
   * metastore supports on an existing entry.
   */
  override def replace(old: StoredObject, topic: TopicObject, more: Map[String, String]): Boolean =
    SessionObjects.changing(old.name)(entry(old.name).filter(isSame(_, old)).exists { before =>
      val name = old.name
      val (schema, after) = (InternalSchema.described(topic), encoded(name, topic, more))
      if (before.schema.names.sameElements(schema.names.take(before.schema.length))) {
        val gone = before.properties.keySet.filterNot(k => after.keySet.exists(_.equalsIgnoreCase(k)))
        val added = schema.drop(before.schema.length).map { f =>
          TableChange.addColumn(Array(f.name), f.dataType, f.nullable)
        }
        val changes = gone.toSeq.map(TableChange.removeProperty) ++
          after.map { case (key, value) => TableChange.setProperty(key, value) } ++ added
        val identifier = Identifier.of(Array(name.database), name.stored)
        owner(name).alterTable(identifier, changes: _*)
        // The types of other columns may have changed, and Spark 4.0 does not update the columns of a Hive metastore's
        // entry.
        if (!sameColumns(entry(name).get.schema, schema)) catalog.alterTableDataSchema(name.identifier, schema)
      } else {
        drop(name)
        try create(name, topic, more)
        catch {
          case NonFatal(e) =>
            catalog.createTable(before, ignoreIfExists = true)
            throw e
        }
      }
      true
    })

  private def isSame(entry: CatalogTable, old: StoredObject) = isOurs(entry) && stored(old.name, entry) == old

  private def sameColumns(a: Seq[StructField], b: Seq[StructField]) = {
    def shown(fields: Seq[StructField]) = fields.map(f => (f.name, f.dataType, f.getComment()))
    shown(a) == shown(b)
  }

  /** The session catalog as Spark, or an extension of Spark, provides it. */
  private def owner(name: ObjectName): TableCatalog = session.sessionState.analyzer
    .execute(UnresolvedIdentifier(Seq(ObjectName.sessionCatalog, name.database, name.stored)))
    .collectFirst { case found: ResolvedIdentifier => found.catalog }
    .get.asInstanceOf[TableCatalog]

  override def setProperties(name: ObjectName, properties: Map[String, String]): Unit = SessionObjects.changing(name) {
    AlterTableSetPropertiesCommand(name.identifier, properties, isView = false).run(own)
    ()
  }

  override def setProperties(
      name: ObjectName,
      properties: Map[String, String],
      expected: Map[String, String] => Boolean
  ): Boolean = SessionObjects.changing(name) {
    val there = entry(name).filter(isOurs).map(_.properties.map { case (k, v) => k.toLowerCase(Locale.ROOT) -> v })
    val isExpected = there.exists(expected)
    def isNew = properties.exists { case (k, v) => !there.get.get(k).contains(v) }
    if (isExpected && isNew) setProperties(name, properties)
    isExpected
  }

  override def unsetProperties(name: ObjectName, properties: Seq[String]): Unit = SessionObjects.changing(name) {
    AlterTableUnsetPropertiesCommand(name.identifier, properties, ifExists = true, isView = false).run(own)
    ()
  }

  private def own = session.asInstanceOf[classic.SparkSession]

  override def drop(name: ObjectName): Unit =
    catalog.dropTable(name.identifier, ignoreIfNotExists = true, purge = false)

  override def rename(from: ObjectName, to: ObjectName): Unit = SessionObjects.changing(from, to) {
    // If only the case of the name changes, the entry stays and only a property changes.
    val moves = to != from || to.table == from.table
    if (moves) catalog.renameTable(from.identifier, to.identifier)
    try
      if (named(to).isEmpty) unsetProperties(to, Seq(TopicSource.nameOption)) else setProperties(to, named(to))
    catch {
      case NonFatal(e) =>
        if (moves) catalog.renameTable(to.identifier, from.identifier)
        throw e
    }
    SessionObjects.others(catalog.externalCatalog).forget(to.identifier)
  }

  override def keeps(name: ObjectName): Boolean = entry(name).exists(isOurs)

  override def forget(name: ObjectName): Unit = ()

  /** Three requests to a metastore, because Spark checks whether database and table exist; to ask first would be five. */
  private def entry(name: ObjectName): Option[CatalogTable] =
    try Some(catalog.getTableMetadata(name.identifier))
    catch { case _: NoSuchTableException | _: NoSuchNamespaceException => None }

  private def isOurs(entry: CatalogTable) = entry.provider.exists(_.equalsIgnoreCase(TopicSource.name))

  private def stored(name: ObjectName, entry: CatalogTable): StoredObject = {
    val properties = entry.properties.map { case (k, v) => k.toLowerCase(Locale.ROOT) -> v }
    val given = properties + (TopicSource.nameOption -> s"${name.database}.${written(entry).getOrElse(name.table)}")
    val table = new KafkalystProvider().getTable(entry.schema, Array.empty, given.asJava).asInstanceOf[TopicTable]
    val comment = entry.comment.filter(_.nonEmpty).map(StoredObject.comment -> _)
    StoredObject(written(entry).fold(name)(n => name.copy(table = n)), table.topic, properties ++ comment)
  }
}

private[kafkalyst] object SessionObjects {
  private val atOnce = 200

  private val creates = new DynamicVariable(false)

  /**
   * Whether this thread creates an entry for a statement of Kafkalyst's, not a table for the user's own CREATE TABLE. Spark
   * then reads the new table, whose history table may not exist yet.
   */
  def isCreating: Boolean = creates.value

  private val seen = Collections.synchronizedMap(new ju.WeakHashMap[ExternalCatalog, OtherTables]())

  /** The known foreign tables of a metastore. */
  def others(metastore: ExternalCatalog): OtherTables = seen.computeIfAbsent(metastore, _ => new OtherTables)

  private val locks = Array.fill(256)(new Object)

  /**
   * Serialises read-modify-write changes of everything with one of these names. Different names may share a lock; locks
   * are taken in one order, to avoid deadlocks.
   */
  def changing[T](names: Any*)(change: => T): T =
    names.map(name => Math.floorMod(name.hashCode, locks.length)).distinct.sorted
      .foldRight(() => change)((at, inner) => () => locks(at).synchronized(inner()))()
}
