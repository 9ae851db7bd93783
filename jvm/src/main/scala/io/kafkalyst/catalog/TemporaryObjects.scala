package io.kafkalyst.catalog

import java.{util => ju}
import java.util.Collections
import java.util.concurrent.ConcurrentHashMap

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.TopicObject
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.catalog.SessionCatalog

import scala.jdk.CollectionConverters._

/** Objects that exist in one session only and end with it, as Flink's CREATE TEMPORARY TABLE creates them. */
private[catalog] final class TemporaryObjects extends Objects {
  private val all = new ConcurrentHashMap[ObjectName, StoredObject]

  override def placed(name: ObjectName): ObjectName = name
  override def placedNew(name: ObjectName): ObjectName = name
  override def find(name: ObjectName): Option[StoredObject] = Option(all.get(name))
  override def at(name: ObjectName): Option[StoredObject] = find(name)
  override def isThere(name: ObjectName): Boolean = all.containsKey(name)
  override def kindAt(name: ObjectName): Option[String] = find(name).map(_.topic.kind.name)
  override def list(in: String): Seq[StoredObject] = listAll().filter(_.name.database.equalsIgnoreCase(in))
  override def listAll(): Seq[StoredObject] = all.values.asScala.toSeq.sortBy(_.name.table)
  override def sources(in: String): Seq[String] = list(in).map(_.name.table)

  override def create(name: ObjectName, topic: TopicObject, more: Map[String, String]): Unit =
    if (all.putIfAbsent(name, stored(name, topic, more)) != null) throw KafkalystException(
      "OBJECT_EXISTS",
      "kind" -> kindAt(name).getOrElse("object"),
      "name" -> name.toString,
      "wanted" -> topic.kind.name
    )

  override def replace(before: StoredObject, topic: TopicObject, more: Map[String, String]): Boolean =
    all.replace(before.name, before, stored(before.name, topic, more))

  override def setProperties(name: ObjectName, properties: Map[String, String]): Unit = {
    all.computeIfPresent(name, (_, o) => o.copy(properties = o.properties ++ properties))
    ()
  }

  override def setProperties(
      name: ObjectName,
      properties: Map[String, String],
      expected: Map[String, String] => Boolean
  ): Boolean = {
    val isExpected = Option(all.get(name)).exists(o => expected(o.properties))
    if (isExpected) setProperties(name, properties)
    isExpected
  }

  override def unsetProperties(name: ObjectName, properties: Seq[String]): Unit = {
    all.computeIfPresent(name, (_, o) => o.copy(properties = o.properties -- properties))
    ()
  }

  override def drop(name: ObjectName): Unit = {
    all.remove(name)
    ()
  }

  override def rename(from: ObjectName, to: ObjectName): Unit = Option(all.get(from)).foreach { o =>
    create(to, o.topic, o.properties)
    all.remove(from)
  }

  override def keeps(name: ObjectName): Boolean = isThere(name)
  override def forget(name: ObjectName): Unit = ()

  private def stored(name: ObjectName, topic: TopicObject, more: Map[String, String]) =
    StoredObject(name, topic, ObjectCodec.encode(topic) ++ more)
}

private[catalog] object TemporaryObjects {
  private val ofSessions = Collections.synchronizedMap(new ju.WeakHashMap[SessionCatalog, TemporaryObjects])

  def of(session: SparkSession): TemporaryObjects =
    ofSessions.computeIfAbsent(session.sessionState.catalog, _ => new TemporaryObjects)
}
