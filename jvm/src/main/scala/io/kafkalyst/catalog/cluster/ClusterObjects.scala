package io.kafkalyst.catalog.cluster

import io.kafkalyst.catalog.{ObjectCodec, ObjectName, ObjectProperties, Objects, StoredObject}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{Properties, TopicObject}

import scala.jdk.CollectionConverters._

/** The objects of a cluster: its topics, as declared by their definitions or inferred from their schemas. */
private[kafkalyst] final class ClusterObjects(cluster: KafkaCluster) extends Objects {
  override def placed(name: ObjectName): ObjectName =
    cluster.find(name.table).fold(name)(ObjectName.ofTopic(cluster.name, _))

  override def placedNew(name: ObjectName): ObjectName = name

  override def find(name: ObjectName): Option[StoredObject] = cluster.found(name.table).map {
    case (own, table, definition) =>
      val properties = definition.fold(table.properties.asScala.toMap)(_.properties)
      StoredObject(ObjectName.ofTopic(cluster.name, own), table.topic, properties)
  }

  override def find(name: ObjectName, said: => Map[String, String]): Option[StoredObject] =
    try find(name)
    catch {
      case e: KafkalystException if !keeps(placed(name)) =>
        if (said.isEmpty) throw e
        cluster.altered(name.table, said).map(o => StoredObject(placed(name), o, ObjectCodec.encode(o)))
    }

  /** A topic without a definition, as an object of bytes, whose columns need no schema. */
  def bytesAt(name: ObjectName): Option[StoredObject] =
    if (keeps(placed(name))) None
    else cluster.find(name.table).map { topic =>
      val o = TopicInference.of(topic, isCompacted = false, cluster.settings, None, Map.empty)
      StoredObject(placed(name), o, ObjectCodec.encode(o))
    }

  override def at(name: ObjectName): Option[StoredObject] =
    cluster.definitions.all().get(name.table).map(d =>
      StoredObject(name, cluster.grown(cluster.current(name.table, d)), d.properties)
    )

  override def isThere(name: ObjectName): Boolean = cluster.find(name.table).isDefined

  override def isGone(name: ObjectName): Boolean = cluster.definitions.isWithout(name.table)

  override def kindAt(name: ObjectName): Option[String] = at(name).map(_.topic.kind.name)

  override def list(in: String): Seq[StoredObject] = {
    val topics = sources(in).map(prefix(in) + _)
    topics.grouped(ClusterObjects.atOnce).flatMap { some =>
      cluster.load(some)
      some.flatMap(topic => Objects.readable(find(ObjectName.ofTopic(cluster.name, topic))))
    }.toSeq
  }

  override def listAll(): Seq[StoredObject] = list("")

  /** The objects with a definition; empty if the brokers do not answer. */
  def defined(): Seq[StoredObject] = cluster.known().toSeq.sortBy(_._1).flatMap { case (topic, d) =>
    Objects.readable(Some(StoredObject(ObjectName.ofTopic(cluster.name, topic), d.topic, d.properties)))
  }

  /**
   * Stores the columns that the topic has now if nobody has written them: a continuous query writes these whenever it
   * resumes, because a later schema may require fields that the query does not give.
   */
  def define(name: ObjectName): Unit =
    if (!cluster.definitions.all().get(name.table).exists(_.said.isEmpty)) alter(name, Map.empty, isFixed = true)

  override def sources(in: String): Seq[String] =
    cluster.names().filter(_.startsWith(prefix(in))).map(_.stripPrefix(prefix(in)))

  override def create(name: ObjectName, topic: TopicObject, more: Map[String, String]): Unit =
    change(name) { there =>
      there.foreach { found =>
        throw KafkalystException(
          "OBJECT_EXISTS",
          "kind" -> found.topic.kind.name,
          "name" -> name.toString,
          "wanted" -> topic.kind.name
        )
      }
      Some(Definition.made(topic, more))
    }

  override def replace(before: StoredObject, topic: TopicObject, more: Map[String, String]): Boolean = {
    var isSame = true
    change(before.name) { there =>
      // An inferred object, whose properties lack the columns, has no stored definition yet.
      isSame = there.fold(!ObjectCodec.hasSchema(before.properties))(_.properties == before.properties)
      if (isSame) Some(Definition.made(topic, Definition.declared(more))) else there
    }
    isSame
  }

  override def setProperties(name: ObjectName, properties: Map[String, String]): Unit =
    change(name, makes = false)(there => Some(Definition(there.getOrElse(gone(name)).properties ++ properties)))

  override def setProperties(
      name: ObjectName,
      properties: Map[String, String],
      expected: Map[String, String] => Boolean
  ): Boolean = {
    var isExpected = false
    change(name, makes = false) { there =>
      isExpected = there.exists(d => expected(d.properties))
      if (isExpected) there.map(d => Definition(d.properties ++ properties)) else there
    }
    isExpected
  }

  override def unsetProperties(name: ObjectName, properties: Seq[String]): Unit =
    change(name, makes = false)(_.map(_.without(properties)))

  override def drop(name: ObjectName): Unit = change(name, makes = false) { there =>
    if (there.isEmpty) throw KafkalystException(
      "INFERRED_TABLE",
      "name" -> name.toString,
      "sql" -> name.sql,
      "topic" -> name.table
    )
    None
  }

  override def rename(from: ObjectName, to: ObjectName): Unit =
    throw KafkalystException(
      "CATALOG_OF_TOPICS",
      "statement" -> "ALTER TABLE … RENAME",
      "catalog" -> cluster.name,
      "reason" -> (s"Kafka cannot rename topics. CREATE STREAM ${to.sql} … WITH (KAFKA_TOPIC = '${from.table}') gives " +
        "the topic a second name")
    )

  /**
   * Changes properties of an object; creates the definition of a topic without one. The columns remain those of the
   * topic's schemas until a statement writes columns, or names another topic.
   *
   * @param said    checked properties by upper-case names
   * @param isFixed whether the columns remain as they are now
   */
  def alter(name: ObjectName, said: Map[String, String], isFixed: Boolean = false): Unit = {
    val wasDefined = keeps(name)
    val inferred = cluster.altered(name.table, said).getOrElse(gone(name))
    // A definition that was read must not be written again after another application has dropped it.
    val isDefined = wasDefined || keeps(name)
    change(name) { there =>
      if (isDefined && there.isEmpty) gone(name)
      val others = there.fold(nothing) { d =>
        Definition.declared(StoredObject(name, d.topic, d.properties).others)
      }
      val told = if (isFixed || said.contains(Properties.topic.name)) None else there.fold(Option(nothing))(_.said)
      Some(told match {
        case Some(before) => Definition.inferred(inferred, before ++ said, others)
        case None =>
          val written = there.filter(_.said.isEmpty)
          Definition.made(
            written.fold(inferred)(d => ObjectProperties.altered(d.topic, said, cluster.settings)),
            others
          )
      })
    }
  }

  override def keeps(name: ObjectName): Boolean = cluster.definitions.all().contains(name.table)

  override def forget(name: ObjectName): Unit = cluster.forget(name.table)

  private def change(name: ObjectName, makes: Boolean = true)(
      decide: Option[Definition] => Option[Definition]
  ): Unit = {
    cluster.definitions.change(name.table, makes)(decide)
    cluster.forget(name.table)
  }

  private def gone(name: ObjectName): Nothing = throw cluster.missing(name.table)

  private val nothing = Map.empty[String, String]

  private def prefix(in: String) = if (in.isEmpty) "" else in + "."
}

private object ClusterObjects {
  // Topics of a listing that are loaded together, within the time that they are cached.
  private val atOnce = 500
}
