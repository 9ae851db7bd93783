package io.kafkalyst.commands

import java.{util => ju}

import io.kafkalyst.catalog.{ObjectName, ObjectStore, TopicTable}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.ObjectKind
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{NoSuchTableException, TableAlreadyExistsException}
import org.apache.spark.sql.connector.catalog._
import org.apache.spark.sql.connector.expressions.Transform
import org.apache.spark.sql.types.StructType
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.jdk.CollectionConverters._

/** A catalog in which Spark's CREATE TABLE creates topics. */
private[kafkalyst] trait StagedTopics extends StagingTableCatalog {

  /** The session of the statement. */
  protected def session: SparkSession

  /** The full name of the table to be created. */
  protected def placeOf(at: Identifier): ObjectName

  override def createTable(
      at: Identifier,
      schema: StructType,
      partitions: Array[Transform],
      properties: ju.Map[String, String]
  ): Table = {
    staged(at, schema, partitions, properties, isFilled = false).commitStagedChanges()
    loadTable(at)
  }

  override def stageCreate(
      at: Identifier,
      schema: StructType,
      partitions: Array[Transform],
      properties: ju.Map[String, String]
  ): StagedTable = staged(at, schema, partitions, properties, isFilled = true)

  override def stageCreateOrReplace(
      at: Identifier,
      schema: StructType,
      partitions: Array[Transform],
      properties: ju.Map[String, String]
  ): StagedTable =
    if (tableExists(at)) stageReplace(at, schema, partitions, properties)
    else stageCreate(at, schema, partitions, properties)

  /** Always refused: a topic's records cannot be replaced atomically. */
  override def stageReplace(
      at: Identifier,
      schema: StructType,
      partitions: Array[Transform],
      properties: ju.Map[String, String]
  ): StagedTable = {
    if (!tableExists(at)) throw new NoSuchTableException(name +: at.namespace :+ at.name)
    StagedTopics.refuseReplacement(session, placeOf(at))
  }

  // Shown by EXPLAIN.
  override def toString: String = name()

  private def staged(
      at: Identifier,
      schema: StructType,
      partitions: Array[Transform],
      properties: ju.Map[String, String],
      isFilled: Boolean
  ): StagedTopic = {
    StagedTopic.checkPartitions(placeOf(at).toString, partitions.toSeq)
    if (tableExists(at)) throw new TableAlreadyExistsException(name +: at.namespace :+ at.name)
    StagedTopic(session, placeOf(at), schema, properties.asScala.toMap, isFilled)
  }
}

private[kafkalyst] object StagedTopics {

  /** Throws TOPIC_NOT_REPLACED. */
  def refuseReplacement(session: SparkSession, place: ObjectName): Nothing = {
    val kind = new ObjectStore(session).kindAt(place).getOrElse(ObjectKind.Stream.name)
    val sql = place.shortSql
    val drop = if (place.isOfCluster) s"DROP TABLE $sql PURGE" else s"DROP $kind $sql DELETE TOPIC"
    throw KafkalystException(
      "TOPIC_NOT_REPLACED",
      "name" -> place.toString,
      "sql" -> sql,
      "drop" -> drop,
      "kind" -> kind
    )
  }
}

/**
 * The session catalog for Spark's CREATE TABLE … USING kafkalyst that creates a topic, whatever implements
 * `spark_catalog`.
 */
private[kafkalyst] final class SessionTopics(override protected val session: SparkSession) extends StagedTopics {
  private val store = new ObjectStore(session)

  override def initialize(name: String, options: CaseInsensitiveStringMap): Unit = ()
  override def name(): String = ObjectName.sessionCatalog
  override protected def placeOf(at: Identifier): ObjectName =
    Commands.objectName(store, name +: at.namespace.toSeq :+ at.name)
  override def tableExists(at: Identifier): Boolean = store.isThere(name +: at.namespace.toSeq :+ at.name)
  override def loadTable(at: Identifier): Table = store.at(placeOf(at)).map { found =>
    new TopicTable(found.name.toString, found.topic, () => store.settings(found.name))
  }.getOrElse(throw new NoSuchTableException(name +: at.namespace :+ at.name))
  override def listTables(namespace: Array[String]): Array[Identifier] = none
  override def alterTable(at: Identifier, changes: TableChange*): Table = none
  override def dropTable(at: Identifier): Boolean = none
  override def renameTable(from: Identifier, to: Identifier): Unit = none

  private def none: Nothing = throw new UnsupportedOperationException("Spark's session catalog does that")
}
