package io.kafkalyst.catalog

import io.kafkalyst.catalog.cluster.{ClusterObjects, KafkaCluster, Lease}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{TimeOfDay, TopicObject}
import io.kafkalyst.model.settings.{CatalogSettings, ReservedTopics, Settings}
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.AnalysisContext
import org.apache.spark.sql.catalyst.catalog.SessionCatalog
import org.apache.spark.sql.connector.catalog.SupportsNamespaces
import org.apache.spark.sql.kafkalyst.Frames
import org.slf4j.LoggerFactory

/** The objects that a session can name: those of the session catalog and of its cluster catalogs. */
final class ObjectStore(session: SparkSession) {
  private lazy val own = new SessionObjects(session)
  private lazy val temporary = TemporaryObjects.of(session)

  /** The topics that no statement writes, creates or deletes. */
  def reserved: ReservedTopics = ReservedTopics.of(session.conf.getAll)

  /**
   * Whether the name is that of a temporary view, also a global one. A view sees only those temporary views that it
   * referred to when it was created.
   */
  def isTemporaryView(parts: Seq[String]): Boolean = session.sessionState.catalog.isTempView(parts) && {
    val context = AnalysisContext.get
    context.catalogAndNamespace.isEmpty || context.referredTempViewNames.exists { name =>
      name.size == parts.size && name.zip(parts).forall { case (a, b) => a.equalsIgnoreCase(b) }
    }
  }

  /**
   * The full name for the parts: that of the exact object, else of an object that differs only in case. None if the
   * parts refer to another catalog.
   */
  def name(parts: Seq[String]): Option[ObjectName] = full(parts).map(n => of(n).placed(n))

  /** The full name for the parts if they refer to a cluster's catalog, without a look at what is there. */
  def inCluster(parts: Seq[String]): Option[ObjectName] = full(parts).filter(_.isOfCluster)

  /** The full name for the parts if they refer to the session catalog, without a look at what is there. */
  def inSession(parts: Seq[String]): Option[ObjectName] = full(parts).filterNot(_.isOfCluster)

  /** Whether the parts are the name of a schema of the session catalog. */
  def isSchema(parts: Seq[String]): Boolean = parts.nonEmpty && {
    val (catalog, schema) = place(parts)
    catalog == ObjectName.sessionCatalog && session.sessionState.catalog.databaseExists(schema)
  }

  /**
   * Like [[name]], for an object to be created: with ksqlDB's names, a name that differs only in case is a different
   * object.
   */
  def newName(parts: Seq[String]): Option[ObjectName] = full(parts).map(n => of(n).placedNew(n))

  /** The object with that name; None for a view, another provider's table, or an unknown name. */
  def find(parts: Seq[String]): Option[StoredObject] =
    find(parts, Map.empty)

  /**
   * Like the other `find`.
   *
   * @param said properties that the statement sets, by upper-case names, because a topic's columns may depend on them
   */
  def find(parts: Seq[String], said: => Map[String, String]): Option[StoredObject] =
    if (isTemporaryView(parts)) None else full(parts).flatMap(n => of(n).find(n, said))

  /** A topic without a definition, as an object of bytes, whose columns need no schema; None for other names. */
  def bytesAt(name: ObjectName): Option[StoredObject] =
    if (name.isOfCluster) new ClusterObjects(ofCluster(name)).bytesAt(name) else None

  /** The object under exactly this name; None for a view, another provider's table, or an unknown name. */
  def at(name: ObjectName): Option[StoredObject] = of(name).at(name)

  /** Like [[find]], but None for an entry that cannot be read. */
  def readable(parts: Seq[String]): Option[StoredObject] = Objects.readable(find(parts))

  /** Whether a readable object has that name; an unreadable entry is left to Spark, which can drop it. */
  def isTopic(parts: Seq[String]): Boolean = readable(parts).isDefined

  /** Whether an entry of ours has that name whose definition cannot be read. */
  def isBroken(parts: Seq[String]): Boolean = !isTemporaryView(parts) && !isTopic(parts) &&
    name(parts).exists(n => of(n).keeps(n))

  /** Whether there is any table or view with that name; names in other catalogs count as existing. */
  def isThere(parts: Seq[String]): Boolean = isTemporaryView(parts) || full(parts).forall(n => of(n).isThere(n))

  /** Whether the catalog was read and has no such entry; false if this is unknown, as without rights to read it. */
  def isGone(name: ObjectName): Boolean = of(name).isGone(name)

  /** Whether there is any table or view under exactly this name. */
  def isThere(name: ObjectName): Boolean = of(name).isThere(name)

  /** The kind of the entry: "STREAM", "TABLE", "VIEW" or a provider's table. */
  def kindAt(name: ObjectName): Option[String] = of(name).kindAt(name)

  /** All Kafkalyst objects of a database or of a cluster's catalog; by default of the current one. */
  def list(in: Seq[String] = Nil): Seq[StoredObject] = {
    val (catalog, namespace) = place(in)
    cluster(catalog).fold(temporary.list(namespace) ++ own.list(namespace))(new ClusterObjects(_).list(namespace))
  }

  /** Whether an object of that name, as in texts, exists only in this session. */
  def isOfSession(name: String): Boolean = temporary.listAll().exists(_.name.toString == name)

  /** @throws io.kafkalyst.errors.KafkalystException TEMPORARY_IN_CONTINUOUS if [[isOfSession]] */
  def requireLasting(name: String): Unit =
    if (isOfSession(name)) throw KafkalystException("TEMPORARY_IN_CONTINUOUS", "name" -> name)

  /**
   * The settings for listing topics in a place, and the prefix of their names.
   *
   * @throws io.kafkalyst.errors.KafkalystException NO_CLUSTER if the name is not a cluster's catalog
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
    case ObjectName.sessionCatalog +: database => (ObjectName.sessionCatalog, database.mkString("."))
    case catalog +: namespace if cluster(catalog).isDefined => (catalog, namespace.mkString("."))
    case namespace => (current._1, namespace.mkString("."))
  }

  /** All Kafkalyst objects of all databases. */
  def listAll(): Seq[StoredObject] = own.listAll()

  /**
   * Like [[listAll]], plus the definitions in cluster catalogs. Skips catalogs with invalid settings and those that do
   * not answer, because statements about other objects must not depend on them.
   */
  def listKept(): Seq[StoredObject] = listAll() ++ clusters.flatMap(new ClusterObjects(_).defined())

  /** Like [[listKept]], plus the objects of this session alone; except the one with these names. */
  def listOthers(names: Seq[ObjectName]): Seq[StoredObject] =
    (listKept() ++ temporary.listAll()).filterNot(o => names.contains(o.name))

  /**
   * The cluster catalogs that are unusable or whose brokers did not answer recently, so that [[listKept]] and
   * [[leases]] lack their objects.
   */
  def silentCatalogs: Set[String] = catalogs.toSet -- clusters.filterNot(_.isSilent).map(_.name)

  private def catalogs: Seq[String] = CatalogSettings.catalogs(session.conf.getAll)

  private def clusters: Seq[KafkaCluster] = catalogs.flatMap { name =>
    try cluster(name)
    catch {
      case e: KafkalystException =>
        ObjectStore.log.warn(s"The catalog $name is passed over: ${e.getMessage}")
        None
    }
  }

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
  def create(name: ObjectName, topic: TopicObject, more: Map[String, String], isOfSession: Boolean = false): Unit =
    if (isOfSession) temporary.create(name, topic, more)
    else TimeOfDay.allowed(of(name).create(name, topic, more))

  /** Replaces the definition that was read; false, without a change, if the definition has changed since. */
  def replace(before: StoredObject, topic: TopicObject, more: Map[String, String]): Boolean =
    of(before.name).replace(before, topic, more)

  /** Adds or changes properties of an entry. */
  def setProperties(name: ObjectName, properties: Map[String, String]): Unit = of(name).setProperties(name, properties)

  /** Like the other, but only if the current properties are as expected; false, without a change, if not. */
  def setProperties(
      name: ObjectName,
      properties: Map[String, String],
      expected: Map[String, String] => Boolean
  ): Boolean = of(name).setProperties(name, properties, expected)

  def unsetProperties(name: ObjectName, properties: Seq[String]): Unit = of(name).unsetProperties(name, properties)

  /** Stores the inferred definition of a topic that is a table without a definition. */
  def define(name: ObjectName): Unit = if (name.isOfCluster) new ClusterObjects(ofCluster(name)).define(name)

  /**
   * The leases of queries into topics of cluster catalogs, by catalog and query id; without clusters that do not
   * answer.
   */
  def leases(): Map[String, Map[String, Lease]] = clusters.map(c => c.name -> c.leases()).toMap

  /** Changes leases in an object's catalog, see [[io.kafkalyst.catalog.cluster.DefinitionTopic.lease]]. */
  def lease(name: ObjectName)(decide: Map[String, Lease] => Map[String, Option[Lease]]): Unit =
    ofCluster(name).definitions.lease(decide)

  /** The cluster of an object, to compare: catalogs of two sessions may have the same name but different clusters. */
  def clusterOf(name: ObjectName): Option[AnyRef] = if (name.isOfCluster) cluster(name.database) else None

  /** A text that tells where an object's definition is kept, whatever catalog names it; None if no cluster keeps it. */
  def placeOf(name: ObjectName): Option[String] =
    if (name.isOfCluster) cluster(name.database).map(_.place) else None

  /** All names of an object: catalogs with several names may keep the same definitions. */
  def names(name: ObjectName): Seq[ObjectName] =
    if (!name.isOfCluster) Seq(name)
    else {
      val own = ofCluster(name)
      val others = clusters.filter(other => other.name != own.name && other.isOne(own))
      name +: others.map(other => ObjectName.ofTopic(other.name, name.table))
    }

  def drop(name: ObjectName): Unit = of(name).drop(name)

  /** Renames an object, see [[newName]]; Spark's error if the name is taken. */
  def rename(from: ObjectName, to: ObjectName): Unit = of(from).rename(from, to)

  /** Whether the object has a definition, which can be dropped. */
  def keeps(name: ObjectName): Boolean = of(name).keeps(name)

  /** Drops the object's cached state, so that the next use reads it again. */
  def forget(name: ObjectName): Unit = of(name).forget(name)

  /** The settings for an object with that name: those of its cluster, or of the session. */
  def settings(name: ObjectName): Settings =
    if (name.isOfCluster) CatalogSettings.inSession(session.conf.getAll, name.database)
    else Settings.of(session.conf.getAll)

  /** The settings for a statement without an object: those of the current catalog's cluster, or of the session. */
  def settings: Settings =
    currentCluster.fold(Settings.of(session.conf.getAll))(c => CatalogSettings.inSession(session.conf.getAll, c.name))

  /** The error for an unknown name in a cluster catalog; None for other names. */
  def missing(parts: Seq[String]): Option[KafkalystException] =
    if (isTemporaryView(parts)) None
    else full(parts).filter(_.isOfCluster).map(n => ofCluster(n).missing(n.table))

  /** Whether the name is a cluster catalog's. */
  def isOfCluster(catalog: String): Boolean = cluster(catalog).isDefined

  // Spark's CatalogManager is a class before 4.2 and an interface from there on.
  /** Whether the first part of a name is a catalog, so that the name does not depend on the current catalog. */
  def isCatalog(name: String): Boolean =
    name == ObjectName.sessionCatalog || session.conf.getOption(s"spark.sql.catalog.$name").isDefined

  /** The current catalog's cluster; None for the session catalog and catalogs of other providers. */
  private[catalog] def currentCluster: Option[KafkaCluster] = cluster(current._1)

  private def of(name: ObjectName): Objects =
    if (name.isOfCluster) new ClusterObjects(ofCluster(name)) else if (temporary.isThere(name)) temporary else own

  private def ofCluster(name: ObjectName): KafkaCluster = cluster(name.database).getOrElse {
    // A query of another session is known here, but perhaps not its catalog.
    throw CatalogSettings.wrong(
      name.database,
      CatalogSettings.keyOf(name.database),
      "this session does not set it",
      None
    )
  }

  private def cluster(catalog: String): Option[KafkaCluster] =
    if (CatalogSettings.isDeclared(session.conf.getOption, catalog)) {
      val conf = session.conf.getAll
      Some(KafkaCluster(catalog, CatalogSettings.options(conf, catalog), conf))
    } else None

  /** The current catalog and its namespace, joined by dots; in a view, those at the view's creation. */
  private def current: (String, String) = AnalysisContext.get.catalogAndNamespace match {
    case catalog +: namespace => (catalog, namespace.mkString("."))
    // Spark quotes the parts that need it.
    case _ => (session.catalog.currentCatalog(), session.catalog.currentDatabase.replace("`", ""))
  }

  /** A table's name, with Flink's default catalog and database replaced by Spark's, unless Spark has these names. */
  def meant(parts: Seq[String]): Seq[String] = {
    def isOwn(database: String) = database == "default_database" && !isSchema(database)
    parts match {
      case Seq(catalog, database, table) if isFlinkDefault(catalog) =>
        meant(Seq(ObjectName.sessionCatalog, database, table))
      case Seq(ObjectName.sessionCatalog, database, table) if isOwn(database) =>
        Seq(ObjectName.sessionCatalog, SessionCatalog.DEFAULT_DATABASE, table)
      case Seq(database, table) if isOwn(database) && isInSession =>
        Seq(SessionCatalog.DEFAULT_DATABASE, table)
      case other => other
    }
  }

  /** Whether Spark's session catalog, or what takes its place, has the schema. */
  private def isSchema(name: String) =
    Frames.sessionCatalog(session) match {
      case catalog: SupportsNamespaces => catalog.namespaceExists(Array(name))
      case _ => session.sessionState.catalog.databaseExists(name)
    }

  /** Whether names without a catalog are those of Spark's session catalog. */
  def isInSession: Boolean = current._1 == ObjectName.sessionCatalog

  /** A schema's name, as [[meant]]. */
  def meantSchema(parts: Seq[String]): Seq[String] = meant(parts :+ "").init

  /** Whether it is Flink's name of its default catalog, and no catalog of Spark has it. */
  def isFlinkDefault(catalog: String): Boolean = catalog == "default_catalog" && !isCatalog(catalog)

  private def full(given: Seq[String]): Option[ObjectName] = inPlace(meant(given))

  private def inPlace(parts: Seq[String]): Option[ObjectName] = parts match {
    case Seq(ObjectName.sessionCatalog, database, table) => Some(ObjectName(database, table))
    case catalog +: topic if topic.nonEmpty && cluster(catalog).isDefined =>
      Some(ObjectName.ofTopic(catalog, topic.mkString(".")))
    case catalog +: table if table.nonEmpty && isCatalog(catalog) => None
    case _ =>
      val (catalog, namespace) = current
      parts match {
        case Seq(table) if catalog == ObjectName.sessionCatalog => Some(ObjectName(namespace, table))
        case Seq(database, table) if catalog == ObjectName.sessionCatalog => Some(ObjectName(database, table))
        case topic if cluster(catalog).isDefined =>
          val prefix = if (topic.size > 1 || namespace.isEmpty) "" else namespace + "."
          Some(ObjectName.ofTopic(catalog, prefix + topic.mkString(".")))
        case _ => None
      }
  }
}

private[kafkalyst] object ObjectStore {
  private val log = LoggerFactory.getLogger("io.kafkalyst.catalog")
}
