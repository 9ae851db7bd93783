package io.kafkalyst.catalog

import java.util.Locale

import io.kafkalyst.catalog.cluster.{ClusterObjects, KafkaCluster, Lease}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{CatalogSettings, Settings, TimeOfDay, TopicObject}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.AnalysisContext
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier

import scala.util.DynamicVariable

/** A named Kafkalyst object with the additional properties of its catalog entry. */
final case class StoredObject(name: ObjectName, topic: TopicObject, properties: Map[String, String])

/**
 * The full name of an object. The session catalog may store it in another case than a statement; in a cluster catalog
 * it is the topic's name.
 *
 * @param database of the session catalog; for a cluster, its catalog's name
 * @param stored   the entry's own name, see [[StoredNames]]
 * @param isOfCluster whether it is in a cluster catalog
 */
final case class ObjectName(database: String, table: String, stored: String, isOfCluster: Boolean = false) {
  def identifier: TableIdentifier = TableIdentifier(stored, Some(database))
  def sql: String = Seq(database, stored).map(quoteIdentifier).mkString(".")
  override def toString: String = s"$database.$table"

  /** The same name, stored under an entry of its own, apart from names that differ only in case. */
  private[catalog] def exact: ObjectName = copy(stored = StoredNames.exact(table))

  override def equals(other: Any): Boolean = other match {
    // Topics whose names differ only in case are different.
    case o: ObjectName if isOfCluster || o.isOfCluster =>
      o.isOfCluster == isOfCluster && o.database == database && o.stored == stored
    case o: ObjectName => o.database.equalsIgnoreCase(database) && o.stored.equalsIgnoreCase(stored)
    case _ => false
  }
  override def hashCode: Int = s"$database.$stored".toLowerCase(Locale.ROOT).hashCode
}

object ObjectName {
  def apply(database: String, table: String): ObjectName = ObjectName(database, table, StoredNames.of(table))

  /** The name of a topic in a cluster catalog. */
  def ofTopic(catalog: String, topic: String): ObjectName = ObjectName(catalog, topic, topic, isOfCluster = true)
}

/** A store of objects, looked up by full names. */
private[kafkalyst] trait Objects {

  /** The exact object's name, otherwise that of one that differs only in case; the given name if there is neither. */
  def placed(name: ObjectName): ObjectName

  /** Like [[placed]], for an object to be created. */
  def placedNew(name: ObjectName): ObjectName

  /** The object with that name; None if there is nothing, a view, or another provider's table. */
  def find(name: ObjectName): Option[StoredObject]

  /** The object under exactly this name; None as in [[find]]. */
  def at(name: ObjectName): Option[StoredObject]

  /** Whether there is any table or view with that name. */
  def isThere(name: ObjectName): Boolean

  /** What is stored under the name: "STREAM", "TABLE", "VIEW" or a provider's table. */
  def kindAt(name: ObjectName): Option[String]

  /** All objects of a database, or under a prefix of topic names. */
  def list(in: String): Seq[StoredObject]

  def listAll(): Seq[StoredObject]

  /** Names of everything readable there, of any provider. */
  def sources(in: String): Seq[String]

  /** @param more properties beside those of the definition */
  def create(name: ObjectName, topic: TopicObject, more: Map[String, String]): Unit

  /**
   * Replaces the definition that was read.
   *
   * @return false, without a change, if another application has changed it since
   */
  def replace(before: StoredObject, topic: TopicObject, more: Map[String, String]): Boolean

  /** Adds or changes properties of an entry. */
  def setProperties(name: ObjectName, properties: Map[String, String]): Unit

  def unsetProperties(name: ObjectName, properties: Seq[String]): Unit

  def drop(name: ObjectName): Unit

  /** Whether it has a definition, which can be dropped. */
  def keeps(name: ObjectName): Boolean

  /** Drops its cached state, so that the next use reads it again. */
  def forget(name: ObjectName): Unit
}

private[catalog] object Objects {

  /** None for an entry without a complete definition, which Spark's CREATE TABLE … USING without a topic leaves. */
  def readable(found: => Option[StoredObject]): Option[StoredObject] =
    try found
    catch { case _: KafkalystException => None }
}

/** The objects that a session can name: those of the session catalog and of its cluster catalogs. */
final class ObjectStore(session: SparkSession) {
  private lazy val own = new SessionObjects(session)

  private def isTemporary(parts: Seq[String]) = session.sessionState.catalog.isTempView(parts)

  /**
   * The full name for the parts: the exact object's, otherwise that of one that differs only in case. None if they
   * refer to another catalog.
   */
  def name(parts: Seq[String]): Option[ObjectName] = full(parts).map(n => of(n).placed(n))

  /**
   * Like [[name]], for an object to be created: where names are ksqlDB's, one that differs only in case is a different
   * object.
   */
  def newName(parts: Seq[String]): Option[ObjectName] = full(parts).map(n => of(n).placedNew(n))

  /** The object with that name; None if there is nothing, a view, or another provider's table. */
  def find(parts: Seq[String]): Option[StoredObject] =
    if (isTemporary(parts)) None else full(parts).flatMap(n => of(n).find(n))

  /** The object under exactly this name; None if there is nothing, a view, or another provider's table. */
  def at(name: ObjectName): Option[StoredObject] = of(name).at(name)

  /** Whether a readable object has that name; an unreadable entry is left to Spark, which can drop it. */
  def isTopic(parts: Seq[String]): Boolean = Objects.readable(find(parts)).isDefined

  /** Whether there is any table or view with that name; names in other catalogs count as existing. */
  def isThere(parts: Seq[String]): Boolean = isTemporary(parts) || full(parts).forall(n => of(n).isThere(n))

  /** What is stored under the name: "STREAM", "TABLE", "VIEW" or a provider's table. */
  def kindAt(name: ObjectName): Option[String] = of(name).kindAt(name)

  /** All our objects of a database, or of a catalog of a cluster; of the current one where none is named. */
  def list(in: Seq[String] = Nil): Seq[StoredObject] = {
    val (catalog, namespace) = place(in)
    cluster(catalog).fold[Objects](own)(new ClusterObjects(_)).list(namespace)
  }

  /**
   * What is in force where topics of a place are listed, and how their names begin.
   *
   * @throws io.kafkalyst.errors.KafkalystException NO_CLUSTER for a name that is no catalog of a cluster
   */
  def topicsOf(in: Seq[String]): (Settings, String) = {
    val (catalog, namespace) = place(in)
    if (cluster(catalog).isDefined)
      (CatalogSettings.inSession(session.conf.getAll, catalog), if (namespace.isEmpty) "" else s"$namespace.")
    else if (in.isEmpty) (settings, "")
    else throw KafkalystException("NO_CLUSTER", "name" -> in.mkString("."), "setting" -> CatalogSettings.keyOf(in.head))
  }

  private def place(in: Seq[String]): (String, String) = in match {
    case Seq() => current
    case ObjectStore.sessionCatalog +: database => (ObjectStore.sessionCatalog, database.mkString("."))
    case catalog +: namespace if cluster(catalog).isDefined => (catalog, namespace.mkString("."))
    case namespace => (current._1, namespace.mkString("."))
  }

  /** All our objects of all databases. */
  def listAll(): Seq[StoredObject] = own.listAll()

  /** Like [[listAll]], plus the definitions in cluster catalogs; clusters that do not answer are skipped. */
  def listKept(): Seq[StoredObject] = listAll() ++ clusters.flatMap(new ClusterObjects(_).defined())

  private def clusters: Seq[KafkaCluster] = CatalogSettings.catalogs(session.conf.getAll).flatMap(cluster)

  /** Names of all tables and views of any provider in a database, by default the current one. */
  def sources(database: Option[String]): Seq[String] =
    database.flatMap(cluster).map(c => new ClusterObjects(c).sources("")).getOrElse {
      val (catalog, namespace) = current
      cluster(catalog).fold(own.sources(database.getOrElse(namespace)))(c => new ClusterObjects(c).sources(namespace))
    }

  /** The objects of a database whose entries have derived names: object name by entry name. */
  def derived(database: String): Map[String, String] = own.derived(database)

  /**
   * Creates an entry.
   *
   * @throws io.kafkalyst.errors.KafkalystException OBJECT_EXISTS if the name is taken
   */
  def create(name: ObjectName, topic: TopicObject, more: Map[String, String]): Unit =
    TimeOfDay.allowed(ObjectStore.creating.withValue(true)(of(name).create(name, topic, more)))

  /** Replaces the definition that was read; false, without a change, if it has changed since. */
  def replace(before: StoredObject, topic: TopicObject, more: Map[String, String]): Boolean =
    of(before.name).replace(before, topic, more)

  /** Adds or changes properties of an entry. */
  def setProperties(name: ObjectName, properties: Map[String, String]): Unit = of(name).setProperties(name, properties)

  def unsetProperties(name: ObjectName, properties: Seq[String]): Unit = of(name).unsetProperties(name, properties)

  /** Stores the inferred definition of a topic that is a table without a definition. */
  def define(name: ObjectName): Unit = if (name.isOfCluster) new ClusterObjects(ofCluster(name)).define(name)

  /** The leases of queries into topics of cluster catalogs, by catalog and query id; none of clusters that do not answer. */
  def leases(): Map[String, Map[String, Lease]] = clusters.map(c => c.name -> c.leases()).toMap

  /** Changes leases in an object's catalog, see [[io.kafkalyst.catalog.cluster.DefinitionTopic.lease]]. */
  def lease(name: ObjectName)(decide: Map[String, Lease] => Map[String, Option[Lease]]): Unit =
    ofCluster(name).definitions.lease(decide)

  def drop(name: ObjectName): Unit = of(name).drop(name)

  /** Whether it has a definition, which can be dropped. */
  def keeps(name: ObjectName): Boolean = of(name).keeps(name)

  /** Drops its cached state, so that the next use reads it again. */
  def forget(name: ObjectName): Unit = of(name).forget(name)

  /** The settings for an object with that name: those of its cluster, or of the session. */
  def settings(name: ObjectName): Settings =
    if (name.isOfCluster) CatalogSettings.inSession(session.conf.getAll, name.database)
    else Settings.of(session.conf.getAll)

  /** The settings for a statement without an object: those of the current catalog's cluster, or of the session. */
  def settings: Settings = {
    val (catalog, _) = current
    if (cluster(catalog).isDefined) CatalogSettings.inSession(session.conf.getAll, catalog)
    else Settings.of(session.conf.getAll)
  }

  /** The error for an unknown name in a cluster catalog; None for other names. */
  def missing(parts: Seq[String]): Option[KafkalystException] =
    if (isTemporary(parts)) None
    else full(parts).filter(_.isOfCluster).map(n => ofCluster(n).missing(n.table))

  private def of(name: ObjectName): Objects = if (name.isOfCluster) new ClusterObjects(ofCluster(name)) else own

  private def ofCluster(name: ObjectName): KafkaCluster = cluster(name.database).get

  private def cluster(catalog: String): Option[KafkaCluster] =
    if (session.conf.getOption(CatalogSettings.keyOf(catalog)).contains(CatalogSettings.className)) {
      val conf = session.conf.getAll
      Some(KafkaCluster(catalog, CatalogSettings.options(conf, catalog), conf))
    } else None

  /** The current catalog and the namespace in it, joined by dots; in a view, those at its creation. */
  private def current: (String, String) = AnalysisContext.get.catalogAndNamespace match {
    case catalog +: namespace => (catalog, namespace.mkString("."))
    case _ => (session.catalog.currentCatalog(), session.catalog.currentDatabase.replace("`", ""))
  }

  private def full(parts: Seq[String]): Option[ObjectName] = parts match {
    case Seq(ObjectStore.sessionCatalog, database, table) => Some(ObjectName(database, table))
    case catalog +: topic if topic.nonEmpty && cluster(catalog).isDefined =>
      Some(ObjectName.ofTopic(catalog, topic.mkString(".")))
    case _ =>
      val (catalog, namespace) = current
      parts match {
        case Seq(table) if catalog == ObjectStore.sessionCatalog => Some(ObjectName(namespace, table))
        case Seq(database, table) if catalog == ObjectStore.sessionCatalog => Some(ObjectName(database, table))
        case topic if cluster(catalog).isDefined =>
          val prefix = if (topic.size > 1 || namespace.isEmpty) "" else namespace + "."
          Some(ObjectName.ofTopic(catalog, prefix + topic.mkString(".")))
        case _ => None
      }
  }
}

private[kafkalyst] object ObjectStore {
  private[catalog] val sessionCatalog = "spark_catalog"

  /** Whether this thread creates an entry. Spark also reads the new table then, and its history may not be there yet. */
  val creating = new DynamicVariable(false)
}
