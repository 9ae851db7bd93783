package io.kafkalyst.catalog

import java.util.Locale

import io.kafkalyst.catalog.cluster.{ClusterObjects, KafkaCluster, Lease}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{CatalogSettings, Settings, TimeOfDay, TopicObject}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.analysis.AnalysisContext
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier

/** A named object of ours with what its catalog entry says beyond the definition. */
final case class StoredObject(name: ObjectName, topic: TopicObject, properties: Map[String, String])

/**
 * The full name of an object. The session catalog may know it in another case than a statement; in the catalog of a
 * cluster it is the topic's.
 *
 * @param database of the session catalog; of a cluster its catalog's name
 * @param stored   the entry's own name, see [[StoredNames]]
 * @param isOfCluster whether it is in the catalog of a cluster
 */
final case class ObjectName(database: String, table: String, stored: String, isOfCluster: Boolean = false) {
  def identifier: TableIdentifier = TableIdentifier(stored, Some(database))
  def sql: String = Seq(database, stored).map(quoteIdentifier).mkString(".")
  override def toString: String = s"$database.$table"

  /** The same, at a place of its own beside those that differ in case only. */
  private[catalog] def exact: ObjectName = copy(stored = StoredNames.exact(table))

  override def equals(other: Any): Boolean = other match {
    // Topics whose names differ in case only are others.
    case o: ObjectName if isOfCluster || o.isOfCluster =>
      o.isOfCluster == isOfCluster && o.database == database && o.stored == stored
    case o: ObjectName => o.database.equalsIgnoreCase(database) && o.stored.equalsIgnoreCase(stored)
    case _ => false
  }
  override def hashCode: Int = s"$database.$stored".toLowerCase(Locale.ROOT).hashCode
}

object ObjectName {
  def apply(database: String, table: String): ObjectName = ObjectName(database, table, StoredNames.of(table))

  /** Of a topic in the catalog of a cluster. */
  def ofTopic(catalog: String, topic: String): ObjectName = ObjectName(catalog, topic, topic, isOfCluster = true)
}

/** One place where objects are kept. Names are full ones, whose places it knows. */
private[kafkalyst] trait Objects {

  /** The name of the very object, else of one that is the same but for case; itself where there is neither. */
  def placed(name: ObjectName): ObjectName

  /** As [[placed]], for an object to be made. */
  def placedNew(name: ObjectName): ObjectName

  /** The object that the name means; None where there is nothing, a view, or somebody else's table. */
  def find(name: ObjectName): Option[StoredObject]

  /** The object at this very place; likewise. */
  def at(name: ObjectName): Option[StoredObject]

  /** Whether there is a table or view of that name, of whatever kind. */
  def isThere(name: ObjectName): Boolean

  /** What stands under the name, of whatever kind: "STREAM", "TABLE", "VIEW" or a provider's table. */
  def kindAt(name: ObjectName): Option[String]

  /** All objects of a database, or under the beginning of topics' names. */
  def list(in: String): Seq[StoredObject]

  def listAll(): Seq[StoredObject]

  /** Names of all that can be read there, by whomever it is. */
  def sources(in: String): Seq[String]

  /** @param more properties beside those of the definition */
  def create(name: ObjectName, topic: TopicObject, more: Map[String, String]): Unit

  /**
   * Puts a definition in the place of the one that was read.
   *
   * @return false, with nothing done, where another application has changed it since
   */
  def replace(before: StoredObject, topic: TopicObject, more: Map[String, String]): Boolean

  /** Adds properties to an entry, or gives them other values. */
  def setProperties(name: ObjectName, properties: Map[String, String]): Unit

  def unsetProperties(name: ObjectName, properties: Seq[String]): Unit

  def drop(name: ObjectName): Unit

  /** Whether it has a definition, which can be dropped. */
  def keeps(name: ObjectName): Boolean

  /** Asks anew what it is when it is next used. */
  def forget(name: ObjectName): Unit
}

private[catalog] object Objects {

  /** None for an entry that is no whole definition, as Spark's CREATE TABLE … USING leaves it without a topic. */
  def readable(found: => Option[StoredObject]): Option[StoredObject] =
    try found
    catch { case _: KafkalystException => None }
}

/** The objects that a session knows by name: of the session catalog, and of the catalogs of its clusters. */
final class ObjectStore(session: SparkSession) {
  private lazy val own = new SessionObjects(session)

  private def isTemporary(parts: Seq[String]) = session.sessionState.catalog.isTempView(parts)

  /**
   * The full name that the parts mean: of the very object, else of one that is the same but for case. None where they
   * point into a catalog of others.
   */
  def name(parts: Seq[String]): Option[ObjectName] = full(parts).map(n => of(n).placed(n))

  /** As [[name]], for an object to be made: one whose name differs in case only is another where names are ksqlDB's. */
  def newName(parts: Seq[String]): Option[ObjectName] = full(parts).map(n => of(n).placedNew(n))

  /** The object of that name; None where there is nothing, a view, or somebody else's table. */
  def find(parts: Seq[String]): Option[StoredObject] =
    if (isTemporary(parts)) None else full(parts).flatMap(n => of(n).find(n))

  /** The object at this very place; None where there is nothing, a view, or somebody else's table. */
  def at(name: ObjectName): Option[StoredObject] = of(name).at(name)

  /** Whether an object of that name can be read; an entry that cannot is left to Spark, which drops it. */
  def isTopic(parts: Seq[String]): Boolean = Objects.readable(find(parts)).isDefined

  /** Whether there is a table or view of that name, of whatever kind; what other catalogs have counts as there. */
  def isThere(parts: Seq[String]): Boolean = isTemporary(parts) || full(parts).forall(n => of(n).isThere(n))

  /** What stands under the name, of whatever kind: "STREAM", "TABLE", "VIEW" or a provider's table. */
  def kindAt(name: ObjectName): Option[String] = of(name).kindAt(name)

  /** All our objects of the current database. */
  def list(): Seq[StoredObject] = {
    val (catalog, namespace) = current
    cluster(catalog).fold[Objects](own)(new ClusterObjects(_)).list(namespace)
  }

  /** All our objects of all databases. */
  def listAll(): Seq[StoredObject] = own.listAll()

  /** As [[listAll]], and the definitions in the catalogs of clusters, but for clusters that do not answer. */
  def listKept(): Seq[StoredObject] = listAll() ++ clusters.flatMap(new ClusterObjects(_).defined())

  private def clusters: Seq[KafkaCluster] = CatalogSettings.catalogs(session.conf.getAll).flatMap(cluster)

  /** Names of all tables and views, ours and others', of a database; of the current one if None. */
  def sources(database: Option[String]): Seq[String] =
    database.flatMap(cluster).map(c => new ClusterObjects(c).sources("")).getOrElse {
      val (catalog, namespace) = current
      cluster(catalog).fold(own.sources(database.getOrElse(namespace)))(c => new ClusterObjects(c).sources(namespace))
    }

  /** The objects of a database whose entries have other names than they themselves: the name by the entry's. */
  def derived(database: String): Map[String, String] = own.derived(database)

  /**
   * Makes an entry.
   *
   * @throws io.kafkalyst.errors.KafkalystException OBJECT_EXISTS where something of the name is there
   */
  def create(name: ObjectName, topic: TopicObject, more: Map[String, String]): Unit =
    TimeOfDay.allowed(of(name).create(name, topic, more))

  /** Puts a definition in the place of the one that was read; false, with nothing done, where it has changed since. */
  def replace(before: StoredObject, topic: TopicObject, more: Map[String, String]): Boolean =
    of(before.name).replace(before, topic, more)

  /** Adds properties to an entry, or gives them other values. */
  def setProperties(name: ObjectName, properties: Map[String, String]): Unit = of(name).setProperties(name, properties)

  def unsetProperties(name: ObjectName, properties: Seq[String]): Unit = of(name).unsetProperties(name, properties)

  /** Gives a topic that is a table without a definition the one that is inferred for it. */
  def define(name: ObjectName): Unit = if (name.isOfCluster) new ClusterObjects(ofCluster(name)).define(name)

  /** The leases of the queries into a catalog's topics, by their ids; none for objects of the session catalog. */
  def leases(name: ObjectName): Map[String, Lease] =
    if (name.isOfCluster) ofCluster(name).definitions.leases() else Map.empty

  /** Changes leases of the catalog that an object is in, see [[io.kafkalyst.catalog.cluster.DefinitionTopic.lease]]. */
  def lease(name: ObjectName)(decide: Map[String, Lease] => Map[String, Option[Lease]]): Unit =
    ofCluster(name).definitions.lease(decide)

  def drop(name: ObjectName): Unit = of(name).drop(name)

  /** Whether it has a definition, which can be dropped. */
  def keeps(name: ObjectName): Boolean = of(name).keeps(name)

  /** Asks anew what it is when it is next used. */
  def forget(name: ObjectName): Unit = of(name).forget(name)

  /** What is in force for an object of that name: of its cluster, or of the session. */
  def settings(name: ObjectName): Settings =
    if (name.isOfCluster) CatalogSettings.inSession(session.conf.getAll, name.database)
    else Settings.of(session.conf.getAll)

  /** What is in force where a statement names no object: of the current catalog's cluster, or of the session. */
  def settings: Settings = {
    val (catalog, _) = current
    if (cluster(catalog).isDefined) CatalogSettings.inSession(session.conf.getAll, catalog)
    else Settings.of(session.conf.getAll)
  }

  /** Why a name of a cluster's catalog leads nowhere; None for other names. */
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

  /** The current catalog and the namespace in it, joined by dots; in a view those of its making. */
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

private object ObjectStore {
  val sessionCatalog = "spark_catalog"
}
