package io.kafkalyst

import java.{util => ju}
import java.util.Locale

import io.kafkalyst.analyze.tables.AsOf
import io.kafkalyst.catalog.{ObjectCodec, ObjectName, StoredObject, TopicTable}
import io.kafkalyst.catalog.cluster.{ClusterObjects, KafkaCluster}
import io.kafkalyst.commands.{AlterTopic, DropObject, StagedTopics}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.lake.History
import io.kafkalyst.model.Properties
import io.kafkalyst.model.settings.CatalogSettings
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{NoSuchNamespaceException, NoSuchTableException}
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.internal.StaticSQLConf
import org.apache.spark.sql.kafkalyst.Frames
import org.apache.spark.sql.types.TimestampType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.jdk.CollectionConverters._

/**
 * A Kafka cluster as a catalog: `spark.sql.catalog.<name>=io.kafkalyst.KafkaCatalog`. Every topic is a table; dots in a
 * topic's name separate namespaces. Needs neither a metastore nor the extension.
 *
 * Options, under the catalog's prefix: the session settings' names without `spark.kafkalyst.`. If they name no cluster,
 * the session's is used.
 */
final class KafkaCatalog extends StagedTopics with SupportsNamespaces {
  private var catalog = ""
  private var options = Map.empty[String, String]

  // Spark creates a catalog without its session, and calls it in a thread where its session is the active one.
  override protected def session: SparkSession = SparkSession.active

  // Validated on first use, so that a misconfigured catalog does not affect other statements. Kafkalyst's statements
  // read the session's settings, so Spark's do, too: a SET must not divide them between two clusters. But `toTable`
  // asks a session's catalog while another session may be the active one.
  private def cluster = {
    val conf = session.conf.getAll
    val isSessions = CatalogSettings.isDeclared(conf.get, catalog) && (Frames.catalog(session, catalog) eq this)
    KafkaCluster(catalog, if (isSessions) CatalogSettings.options(conf, catalog) else options, conf)
  }

  override def initialize(name: String, given: CaseInsensitiveStringMap): Unit = {
    catalog = name
    options = given.asCaseSensitiveMap.asScala.toMap
  }

  override def name(): String = catalog

  /**
   * The topics whose names begin with the namespace, without that prefix; the cluster's internal topics are not listed.
   */
  override def listTables(namespace: Array[String]): Array[Identifier] = {
    if (!namespaceExists(namespace)) throw new NoSuchNamespaceException(catalog +: namespace)
    val prefix = prefixOf(namespace)
    val in = partsOf(namespace)
    cluster.names().filter(_.startsWith(prefix)).map(t => Identifier.of(in, t.stripPrefix(prefix))).toArray
  }

  /**
   * Unreadable topics do not fail listings if the extension is registered, because the extension then reports the
   * reason when such a topic is read.
   */
  override def loadTable(at: Identifier): Table = {
    val found = if (isExtended) cluster.listed(topicOf(at)) else cluster.table(topicOf(at))
    found.getOrElse(throw new NoSuchTableException(catalog +: at.namespace :+ at.name))
  }

  /** `VERSION AS OF`, if no rule of the extension has already put the earlier state into the plan. */
  override def loadTable(at: Identifier, version: String): Table = asOf(at, None, Some(version))

  /** `TIMESTAMP AS OF`, as above; in microseconds. */
  override def loadTable(at: Identifier, timestamp: Long): Table =
    asOf(at, Some(Literal(timestamp, TimestampType)), None)

  private def asOf(at: Identifier, timestamp: Option[Expression], version: Option[String]): Table =
    loadTable(at) match {
      case table: TopicTable =>
        val stored = StoredObject(nameOf(at), table.topic, Map.empty)
        def settings = CatalogSettings.inSession(session.conf.getAll, catalog)
        table.as(AsOf(session, stored, timestamp, version, settings))
      case other => other
    }

  private def isExtended = session.conf.getOption(StaticSQLConf.SPARK_SESSION_EXTENSIONS.key)
    .exists(_.contains(classOf[KafkalystExtensions].getName))

  override def tableExists(at: Identifier): Boolean = cluster.find(topicOf(at)).isDefined

  override def invalidateTable(at: Identifier): Unit = cluster.refresh(topicOf(at))

  override protected def placeOf(at: Identifier): ObjectName = ObjectName.ofTopic(catalog, topicOf(at))

  /** SET TBLPROPERTIES and COMMENT ON store an explicit definition with the changed properties; UNSET changes one. */
  override def alterTable(at: Identifier, changes: TableChange*): Table = {
    val said = changes.collect { case p: TableChange.SetProperty => p.property -> p.value }
    val gone = changes.collect { case p: TableChange.RemoveProperty => p.property }
    changes.foreach {
      case _: TableChange.SetProperty | _: TableChange.RemoveProperty =>
      case other =>
        refused(s"ALTER TABLE (${other.getClass.getSimpleName})", "only columns are added, and properties changed")
    }
    if (!tableExists(at)) throw new NoSuchTableException(catalog +: at.namespace :+ at.name)
    val objects = new ClusterObjects(cluster)
    if (said.nonEmpty) set(objects, nameOf(at), said)
    if (gone.nonEmpty) unset(objects, nameOf(at), gone)
    loadTable(at)
  }

  private def set(objects: ClusterObjects, name: ObjectName, said: Seq[(String, String)]): Unit = {
    val (comment, own) = said.partition(_._1 == TableCatalog.PROP_COMMENT)
    def alter() = objects.alter(name, History.named(session, Properties.checked(own)))
    val changed = own.toMap.map { case (property, value) => property -> Option(value) }
    objects.at(name).fold(alter())(AlterTopic.changing(session, _, changed)(alter()))
    if (comment.nonEmpty) objects.setProperties(name, comment.toMap)
  }

  /** A topic without a definition has no properties to remove. */
  private def unset(objects: ClusterObjects, name: ObjectName, properties: Seq[String]): Unit =
    objects.at(name).foreach { of =>
      // A definition has some properties under other names than a WITH clause.
      val upper = properties.map(_.toUpperCase(Locale.ROOT) -> "").toMap
      val stored = (ObjectCodec.properties(upper).keySet ++ properties).toSeq
      ObjectCodec.checkChange(name.toString, of.topic, of.properties, of.properties -- stored)
      AlterTopic.changing(session, of, stored.map(_ -> None).toMap)(objects.unsetProperties(name, stored))
    }

  override def dropTable(at: Identifier): Boolean = tableExists(at) && {
    new ClusterObjects(cluster).drop(nameOf(at))
    true
  }

  /** Drops the table with its topic, even if its columns cannot be determined. */
  override def purgeTable(at: Identifier): Boolean = tableExists(at) && {
    DropObject(catalog +: at.namespace.toSeq :+ at.name, None, ifExists = false, deleteTopic = true)
      .run(session)
    true
  }

  private def nameOf(at: Identifier) =
    ObjectName.ofTopic(catalog, cluster.find(topicOf(at)).getOrElse(topicOf(at)))

  override def renameTable(from: Identifier, to: Identifier): Unit = {
    // Spark takes a catalog's name in the new name as a namespace.
    val second = if (to.namespace.headOption.contains(catalog)) Identifier.of(to.namespace.tail, to.name) else to
    new ClusterObjects(cluster).rename(placeOf(from), placeOf(second))
  }

  override def listNamespaces(): Array[Array[String]] = listNamespaces(Array.empty)

  override def listNamespaces(namespace: Array[String]): Array[Array[String]] = {
    if (!namespaceExists(namespace)) throw new NoSuchNamespaceException(catalog +: namespace)
    val prefix = prefixOf(namespace)
    cluster.names().filter(_.startsWith(prefix)).map(_.stripPrefix(prefix)).filter(_.indexOf('.') > 0)
      .map(_.takeWhile(_ != '.')).distinct.map(partsOf(namespace) :+ _).toArray
  }

  override def namespaceExists(namespace: Array[String]): Boolean =
    partsOf(namespace).isEmpty || cluster.hasPrefix(prefixOf(namespace))

  override def loadNamespaceMetadata(namespace: Array[String]): ju.Map[String, String] =
    if (namespaceExists(namespace)) ju.Map.of() else throw new NoSuchNamespaceException(catalog +: namespace)

  override def createNamespace(namespace: Array[String], metadata: ju.Map[String, String]): Unit =
    refused("CREATE SCHEMA", schemas)

  override def alterNamespace(namespace: Array[String], changes: NamespaceChange*): Unit =
    refused("ALTER SCHEMA", schemas)

  override def dropNamespace(namespace: Array[String], cascade: Boolean): Boolean =
    refused("DROP SCHEMA", schemas)

  private def topicOf(at: Identifier) = prefixOf(at.namespace) + at.name

  private def prefixOf(namespace: Array[String]) = partsOf(namespace).map(_ + ".").mkString

  /**
   * Removes empty parts: Spark's Catalog names the root namespace by an empty part, see
   * [[io.kafkalyst.bridge.ParserShell]].
   */
  private def partsOf(namespace: Array[String]) = namespace.filter(_.nonEmpty)

  private val schemas =
    "its schemas are the first parts of topics' names. A CREATE TABLE of a topic with that name makes the schema, and " +
      "dropping its last topic removes it"

  private def refused(statement: String, reason: String): Nothing =
    throw KafkalystException("CATALOG_OF_TOPICS", "statement" -> statement, "catalog" -> catalog, "reason" -> reason)
}
