package io.kafkalyst.commands

import io.kafkalyst.catalog._
import io.kafkalyst.catalog.define.{ObjectDefinition, SideSubjects}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model._
import io.kafkalyst.model.settings.{Setting, Settings}
import io.kafkalyst.query._
import io.kafkalyst.registry.RegistryClient
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.kafkalyst.Frames
import org.apache.spark.sql.types.StringType

/**
 * DROP STREAM|TABLE. Without a kind, it is Spark's own DROP TABLE of a Kafkalyst object.
 *
 * @param purge whether it is Spark's DROP TABLE … PURGE, which deletes topics in a cluster's catalog only
 */
final case class DropObject(
    parts: Seq[String],
    kind: Option[ObjectKind],
    ifExists: Boolean,
    deleteTopic: Boolean,
    purge: Boolean = false
) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("status" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    val store = new ObjectStore(session)
    val name = Commands.objectName(store, parts)
    // DELETE TOPIC needs the definition, so an unreadable one is an error.
    if (!deleteTopic && store.isBroken(parts)) Exclusive(name, Nil).hold(droppedUnread(session, store, name))
    else {
      val topics = found(store, name).toSeq.flatMap(_.topic.topics)
      Exclusive(name, topics).hold {
        if (ifExists && store.kindAt(name).isEmpty) Seq(Row(s"$name does not exist"))
        else dropped(session, store, name)
      }
    }
  }

  /** The object; with DELETE TOPIC, a topic without a definition is found even if its schemas are unreadable. */
  private def found(store: ObjectStore, name: ObjectName): Option[StoredObject] =
    try store.find(parts)
    catch { case e: KafkalystException if deleteTopic => store.bytesAt(name).orElse(throw e) }

  /** Drops an entry with an unreadable definition: it has no readers, and only its running queries are known. */
  private def droppedUnread(session: SparkSession, store: ObjectStore, name: ObjectName): Seq[Row] = {
    val names = store.names(name)
    ContinuousQueries.of(session, name).filter(q => names.exists(q.sink.is)).foreach(q =>
      ContinuousQueries.forget(session, q.record)
    )
    store.drop(name)
    Seq(Row(s"$name dropped"))
  }

  private def dropped(session: SparkSession, store: ObjectStore, name: ObjectName): Seq[Row] = {
    val found = this.found(store, name).getOrElse(Commands.find(store, parts))
    kind.foreach(Commands.ofKind(found, _, "DROP"))
    if (deleteTopic) {
      Commands.writable(found, "DELETE TOPIC")
      store.reserved.refuse(found.topic.topics, "be deleted")
    }
    val names = store.names(found.name)
    def isOfSink(query: ContinuousQuery) = names.exists(query.sink.is)
    val (own, others) = ContinuousQueries.of(session, found.name).partition(q => isOfSink(q) && !q.inserts)
    val settings = store.settings(found.name)
    // ksqlDB's queries never end: a query that reads from an object depends on it permanently.
    val readers = others.filter(_.isAlive || settings.isKsqldb) ++ own.filter(_.sources.exists(names.contains))
    if (readers.nonEmpty) throw Commands.inUse(found, "dropped", readers)
    if (deleteTopic) unused(store, found, names, settings, ContinuousQueries.all(session).diff(own))
    (own ++ others.filter(isOfSink)).foreach(ContinuousQueries.terminate(session, _))
    val registry = () => ObjectDefinition.registry(settings)
    val subjects =
      if (deleteTopic && settings.get(Settings.registryUrl).isDefined)
        subjectsOf(store, found, registry)
      else Nil
    if (!deleteTopic || store.keeps(found.name)) store.drop(found.name)
    if (deleteTopic) {
      found.topic.topics.foreach(Commands.admin(settings).delete)
      // A subject named after a record may hold other topics' schemas, too.
      val elsewhere =
        if (subjects.isEmpty) Nil
        else store.listOthers(names).filter(o => share(o.name, Settings.registryUrl, store, settings)).map(_.topic)
      val shared = elsewhere.flatMap(o => Side.all.flatMap(SideSubjects.of(o, _, registry)).map(_._1)).toSet
      subjects.filterNot(shared).foreach(registry().delete(_))
      names.foreach(store.forget)
    }
    val (dropped, topic) = (s"${found.topic.kind} $name dropped", found.topic.topic)
    val told =
      if (deleteTopic) s"$dropped with topic $topic"
      else if (purge) s"$dropped; topic $topic stays, which only DROP ${found.topic.kind} … DELETE TOPIC deletes"
      else dropped
    Seq(Row(told))
  }

  /**
   * The object's subjects. A topic without a definition has the subjects named after it, whether or not a format reads
   * them.
   */
  private def subjectsOf(store: ObjectStore, found: StoredObject, registry: () => RegistryClient): Seq[String] =
    if (store.keeps(found.name)) Side.all.flatMap(SideSubjects.of(found.topic, _, registry)).map(_._1)
    else Side.all.map(_.subject(found.topic.topic)).filter(registry().exists)

  /** Whether both may use the same address; an unknown address counts as the same. */
  private def share(other: ObjectName, setting: Setting, store: ObjectStore, settings: Settings) =
    Seq(store.settings(other), settings).flatMap(_.get(setting)).distinct.size < 2

  /** Throws TOPIC_IN_USE if another object, or a query by another name, uses one of the topics. */
  private def unused(
      store: ObjectStore,
      found: StoredObject,
      names: Seq[ObjectName],
      settings: Settings,
      queries: Seq[ContinuousQuery]
  ): Unit = {
    def isSame(name: ObjectName, topic: String) =
      found.topic.topics.contains(topic) && isOneCluster(store, name, found, topic)
    val objects = store.listOthers(names).flatMap { o =>
      (topics(o) ++ found.topic.topics.filter(t => o.topic.pattern.exists(TopicPattern.mayMatch(_, t))))
        .filter(isSame(o.name, _)).map(_ -> s"${o.topic.kind} ${o.name}")
    }
    // A topic without a definition is not a declared object, and can be read all the same.
    val readers = queries.filter(_.isAlive).flatMap { q =>
      q.sources.filter(s => s.isOfCluster && !names.contains(s) && isSame(s, s.table)).map(s =>
        s.table -> s"query ${q.id} (reads $s)"
      )
    }
    val users = objects ++ readers
    if (users.nonEmpty) {
      throw KafkalystException(
        "TOPIC_IN_USE",
        "topic" -> users.map(_._1).distinct.mkString(", "),
        "name" -> found.name.toString,
        "kind" -> found.topic.kind.name,
        "users" -> users.map(_._2).distinct.mkString(", ")
      )
    }
  }

  /** The topics that an object's reads need. */
  private def topics(o: StoredObject): Seq[String] =
    o.topic.topics ++ Option.when(o.topic.onError == OnError.DeadLetter)(o.topic.deadLetters)

  /** Whether a topic of this name is the same one for both: two lists of brokers may be of one cluster. */
  private def isOneCluster(store: ObjectStore, other: ObjectName, found: StoredObject, topic: String): Boolean = {
    val (theirs, ours) = (store.settings(other), store.settings(found.name))
    def id(settings: Settings) = Commands.admin(settings).id(topic)
    if (share(other, Settings.bootstrapServers, store, ours)) true
    else
      try id(theirs).exists(id(ours).contains)
      // Brokers that do not answer must not stop statements about other clusters.
      catch { case _: KafkalystException => false }
  }
}

object DropObject {

  /** Throws OBJECT_IN_USE if continuous queries use an object that Spark is about to replace with another table. */
  def replaced(session: SparkSession, parts: Seq[String]): Unit =
    new ObjectStore(session).readable(parts).foreach { found =>
      val queries = ContinuousQueries.of(session, found.name)
      if (queries.nonEmpty) throw Commands.inUse(found, "replaced", queries)
    }
}

/**
 * Spark's DROP SCHEMA … CASCADE of a schema with these objects. The queries that created them end with them; it is
 * refused while another query uses one of them, as DROP STREAM and DROP TABLE are.
 *
 * @param drop Spark's statement, which drops the rest
 */
final case class DropSchema(objects: Seq[ObjectName], drop: LogicalPlan) extends LeafRunnableCommand {
  override def run(session: SparkSession): Seq[Row] = {
    val store = new ObjectStore(session)
    def isOwn(query: ContinuousQuery) = !query.inserts && objects.exists(query.sink.is)
    def endless(name: ObjectName) = store.settings(name).isKsqldb
    val used = objects.map(n => n -> ContinuousQueries.of(session, n))
    used.foreach { case (name, queries) =>
      val others = queries.filter(q => !isOwn(q) && (q.isAlive || endless(name)))
      if (others.nonEmpty) store.at(name).foreach(found => throw Commands.inUse(found, "dropped", others))
    }
    // No query may start anew on an object of the schema while the schema goes.
    used.foreach { case (name, queries) =>
      Exclusive(name, store.at(name).toSeq.flatMap(_.topic.topics)).hold {
        queries.filter(_.sink.is(name)).foreach(ContinuousQueries.terminate(session, _))
        store.drop(name)
      }
    }
    Frames.of(session, drop).collect().toSeq
  }
}
