package io.kafkalyst.commands

import io.kafkalyst.catalog._
import io.kafkalyst.catalog.define.{ObjectDefinition, RegistrationListener, Replacement, SideSubjects}
import io.kafkalyst.catalog.cluster.KafkaCluster
import io.kafkalyst.clients.{TopicAdmin, TopicShape}
import io.kafkalyst.errors.{Conditions, KafkalystException}
import io.kafkalyst.metadata.DeadLetterHeaders
import io.kafkalyst.model._
import io.kafkalyst.query.QueryRecord
import io.kafkalyst.registry.{RegisteredSchema, RegistryAdmin}
import org.apache.kafka.common.Uuid
import org.apache.kafka.common.config.TopicConfig

import scala.collection.mutable
import scala.util.Try

/** Steps shared by both kinds of CREATE. */
private[commands] object ObjectCreation {

  /**
   * The result of creating the object; None if IF NOT EXISTS finds an object, including one that another application
   * creates concurrently.
   *
   * @throws io.kafkalyst.errors.KafkalystException OBJECT_EXISTS without IF NOT EXISTS and OR REPLACE
   */
  def unlessThere[T](store: ObjectStore, name: ObjectName, kind: ObjectKind, options: CreateOptions)(
      make: => T
  ): Option[T] =
    if (skips(store, name, kind, options)) None
    else
      try Some(make)
      catch {
        case e: KafkalystException if options.ifNotExists && e.getCondition == exists.name => None
      }

  private val exists = Conditions("OBJECT_EXISTS")

  private def skips(store: ObjectStore, name: ObjectName, kind: ObjectKind, options: CreateOptions): Boolean =
    store.kindAt(name) match {
      case None => false
      case Some(_) if options.ifNotExists => true
      case Some(existing) if options.replace && existing == kind.name => false
      case Some(existing) =>
        throw KafkalystException("OBJECT_EXISTS", "kind" -> existing, "name" -> name.toString, "wanted" -> kind.name)
    }

  /**
   * The object that OR REPLACE replaces; None without OR REPLACE or without an existing object.
   *
   * @param byQuery whether a query fills the new object
   * @throws io.kafkalyst.errors.KafkalystException REPLACEMENT_DIFFERS with all differences that are not allowed
   */
  def replaced(
      store: ObjectStore,
      name: ObjectName,
      topic: TopicObject,
      options: CreateOptions,
      byQuery: Boolean
  ): Option[StoredObject] = {
    val before = if (options.replace) store.at(name) else None
    before.foreach { old =>
      val (inserting, own) = QueryRecord.of(old).partition(_.inserts)
      val more: Seq[String] =
        if (byQuery) inserting.map(q => s"the query ${q.id} inserts into it, too: TERMINATE ${q.id} first")
        else Replacement.windows(old.topic, topic).toSeq ++ own.map { q =>
          s"it is filled by the query ${q.id}: say CREATE OR REPLACE ${topic.kind} … AS SELECT, or drop it first"
        }
      Replacement.check(name, old.topic, topic, more)
    }
    before
  }

  /** Throws TOPIC_NAME if the name is not a valid Kafka topic name. */
  def checkTopicName(topic: String): Unit =
    if (!KafkaCluster.canBe(topic)) throw KafkalystException("TOPIC_NAME", "topic" -> topic)

  def topicExists(admin: TopicAdmin, topic: String, given: Map[String, String]): Boolean = {
    checkTopicName(topic)
    admin.find(topic) match {
      case Some(shape) =>
        given.get(Properties.partitions.name).filter(_.toInt != shape.partitions).foreach { wanted =>
          throw KafkalystException(
            "TOPIC_OTHER_PARTITIONS",
            "topic" -> topic,
            "found" -> shape.partitions.toString,
            "wanted" -> wanted
          )
        }
        TopicConfigs.checkRetention(topic, given, admin.config(topic, TopicConfigs.retention))
        true
      case None if given.contains(Properties.partitions.name) => false
      case None =>
        throw KafkalystException(
          "TOPIC_MISSING",
          "topic" -> topic,
          "nearest" -> Conditions.nearest(topic, admin.list().map(_.name))
        )
    }
  }
}

/**
 * The parts that a CREATE makes, and how each is rolled back: a topic is deleted only if it is still the topic created
 * here, is empty, and no entry uses it; a subject only if its only version is the one registered here, and no entry
 * uses it; an entry only as far as nobody has changed it since.
 *
 * @param isFilled whether rows are written before the entry, so that rollback deletes a created topic with its rows
 */
private[commands] final class ObjectCreation(
    store: ObjectStore,
    name: ObjectName,
    admin: TopicAdmin,
    registry: () => RegistryAdmin,
    val undo: Undo,
    isFilled: Boolean = false
) {
  private val warned = mutable.ListBuffer.empty[String]

  def createTopic(o: TopicObject, given: Map[String, String]): Unit = {
    val replicas = given.get(Properties.replicas.name).fold(1)(_.toInt)
    create(TopicShape(o.topic, given(Properties.partitions.name).toInt, replicas, TopicConfigs.of(o, given)))
  }

  /**
   * Creates the topic with one partition, because dead letters are rare and people read them; replicated like the topic
   * itself, and with a record size limit that fits each of its records with the headers of a dead letter.
   */
  def createDeadLetterTopic(o: TopicObject): Unit =
    if (o.onError == OnError.DeadLetter && admin.find(o.deadLetters).isEmpty) {
      val replicas = o.topics.headOption.flatMap(admin.find).fold(1)(_.replicas)
      create(TopicShape(o.deadLetters, 1, replicas, letterSize(o)))
    }

  // The permission to create topics does not imply permission to see their configuration.
  private def letterSize(o: TopicObject): Map[String, String] = {
    val limit = TopicConfig.MAX_MESSAGE_BYTES_CONFIG
    val most = Try(o.topics.flatMap(admin.config(_, limit)).map(_.toLong).max).toOption
    most.map(n => limit -> math.min(n + DeadLetterHeaders.size, Int.MaxValue.toLong).toString).toMap
  }

  private def create(shape: TopicShape): Unit = {
    store.reserved.refuse(Seq(shape.name), "be created")
    admin.create(shape).foreach(added(shape, _))
  }

  private def added(shape: TopicShape, id: Uuid): Unit =
    undo.add(s"topic ${shape.name}") {
      val isUsed = store.listKept().map(_.topic).exists { o =>
        o.topics.contains(shape.name) || o.onError == OnError.DeadLetter && o.deadLetters == shape.name
      }
      if (isUsed || !admin.deleteMade(shape.name, id, withRows = isFilled)) Commands.log.warn(
        s"The topic ${shape.name} stays, though the statement that made it failed: it is used, or of no known id"
      )
    }

  /** Like [[ObjectDefinition.registered]]; in ksqlDB's dialect, the record of a key is named after the object. */
  def registered(o: TopicObject, always: Boolean): TopicObject =
    ObjectDefinition.registered(
      o,
      always,
      registry,
      new RegistrationListener {
        override def onNewSubject(subject: String, schema: RegisteredSchema): Unit =
          undo.add(s"subject $subject")(unregister(subject, schema))

        override def onWarning(text: String): Unit = warned += text
      },
      Option.when(store.settings(name).isKsqldb)(name.table)
    )

  /** What the registry refused without failing the statement. */
  def warnings: Seq[String] = warned.toSeq

  private def unregister(subject: String, schema: RegisteredSchema): Unit = {
    val isOwn = registry().versions(subject) == registry().lookUp(subject, schema).map(_.version).toSeq
    val isUsed =
      store.listKept().exists(o => Side.all.exists(SideSubjects.of(o.topic, _, registry).exists(_._1 == subject)))
    if (isOwn && !isUsed) registry().delete(subject)
    else Commands.log.warn(s"The subject $subject stays, though the statement that registered it failed: it is used")
  }

  def store(topic: TopicObject, more: Map[String, String], options: CreateOptions): Unit = {
    val before = if (options.replace) store.at(name) else None
    before.foreach(Commands.writable(_, "CREATE OR REPLACE"))
    val inserting = before.toSeq.flatMap(QueryRecord.of).filter(_.inserts).map(_.properties)
    val properties = inserting.foldLeft(more)(_ ++ _)
    before match {
      case Some(old) =>
        if (!store.replace(old, topic, properties))
          throw KafkalystException("OBJECT_CHANGED", "kind" -> old.topic.kind.name, "name" -> name.toString)
        undo.add(s"catalog entry $name")(store.at(name).filter(_.topic == topic).foreach { now =>
          // Changes that others have made since are kept.
          val (was, theirs) = (old.others, now.others -- more.keys)
          val changed = theirs.filterNot { case (key, value) => properties.get(key).contains(value) }
          val gone = properties.keySet -- more.keys -- theirs.keys
          if (!store.replace(now, old.topic, was ++ changed -- gone)) stays()
        })
      case None =>
        store.create(name, topic, properties, isOfSession = options.temporary)
        val made = store.at(name)
        undo.add(s"catalog entry $name") {
          // Its query may have written its own record, which does not count as a change.
          def known(o: Option[StoredObject]) = o.map(found => found.topic -> (found.others -- more.keys))
          if (known(store.at(name)) == known(made)) made.foreach(_ => store.drop(name)) else stays()
        }
    }
  }

  private def stays(): Unit =
    Commands.log.warn(s"The catalog entry $name stays, though the statement that made it failed: it was changed since")
}
