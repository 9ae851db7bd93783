package io.kafkalyst.catalog.cluster

import io.kafkalyst.catalog.{ObjectName, Objects, StoredObject, TopicTable}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.TopicObject

import scala.jdk.CollectionConverters._

/** The objects of a cluster: its topics, as their definitions or their schemas say that they are. */
private[catalog] final class ClusterObjects(cluster: KafkaCluster) extends Objects {
  override def placed(name: ObjectName): ObjectName =
    cluster.find(name.table).fold(name)(ObjectName.ofTopic(cluster.name, _))

  override def placedNew(name: ObjectName): ObjectName = name

  override def find(name: ObjectName): Option[StoredObject] = cluster.table(name.table).map(stored)

  override def at(name: ObjectName): Option[StoredObject] = find(name)

  override def isThere(name: ObjectName): Boolean = cluster.find(name.table).isDefined

  override def kindAt(name: ObjectName): Option[String] = find(name).map(_.topic.kind.name)

  override def list(in: String): Seq[StoredObject] =
    sources(in).flatMap(topic => Objects.readable(cluster.table(prefix(in) + topic).map(stored)))

  override def listAll(): Seq[StoredObject] = list("")

  override def sources(in: String): Seq[String] =
    cluster.names().filter(_.startsWith(prefix(in))).map(_.stripPrefix(prefix(in)))

  override def create(name: ObjectName, topic: TopicObject, more: Map[String, String]): Unit = none(name)
  override def replace(name: ObjectName, topic: TopicObject, more: Map[String, String]): Unit = none(name)
  override def setProperties(name: ObjectName, properties: Map[String, String]): Unit = none(name)
  override def unsetProperties(name: ObjectName, properties: Seq[String]): Unit = none(name)

  override def drop(name: ObjectName): Unit =
    throw KafkalystException("INFERRED_TABLE", "name" -> name.toString, "sql" -> name.sql, "topic" -> name.table)

  override def keeps(name: ObjectName): Boolean = false

  override def forget(name: ObjectName): Unit = cluster.forget(name.table)

  private def none(name: ObjectName): Nothing =
    throw KafkalystException("NOT_SUPPORTED", "what" -> s"a definition of $name")

  private def prefix(in: String) = if (in.isEmpty) "" else in + "."

  private def stored(table: TopicTable) =
    StoredObject(
      ObjectName.ofTopic(cluster.name, table.name.stripPrefix(cluster.name + ".")),
      table.topic,
      table.properties.asScala.toMap
    )
}
