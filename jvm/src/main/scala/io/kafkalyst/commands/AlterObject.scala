package io.kafkalyst.commands

import io.kafkalyst.catalog._
import io.kafkalyst.catalog.define.{Evolution, ObjectDefinition}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.lake.History
import io.kafkalyst.model.{
  DeclaredColumn,
  EntryProperties,
  ObjectKind,
  Properties,
  Property,
  Side,
  TopicColumn,
  TopicObject
}
import io.kafkalyst.model.flink.FlinkProperties
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.query.{ContinuousQueries, ContinuousQuery, QueryRecord}
import io.kafkalyst.streams.QueryShape
import org.apache.spark.sql.{classic, Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.command.{LeafRunnableCommand, RunnableCommand}
import org.apache.spark.sql.types.StringType

import scala.annotation.tailrec

/** ALTER STREAM|TABLE … ADD [COLUMN]: adds value columns and registers their schema as the next version. */
final case class AddColumns(
    kind: ObjectKind,
    parts: Seq[String],
    added: Seq[TopicColumn],
    declared: Seq[DeclaredColumn] = Nil
) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("status" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    val found = Commands.find(new ObjectStore(session), parts)
    // Spark and Flink only know tables. METADATA is Flink's clause, and a cluster's catalog shows tables only.
    val isOfTables = found.name.isOfCluster || !Settings.of(session.conf.getAll).isKsqldb
    val isAny = added.exists(_.metadata.isDefined) || (kind == ObjectKind.Table && isOfTables)
    val meant = if (isAny) found.topic.kind else kind
    val name = AlterObject(session, meant, parts, "ADD COLUMN") { (found, settings) =>
      val changed = Evolution.withColumns(found.name, found.topic, added)
      val extended = Evolution.extended(changed, added, () => ObjectDefinition.registry(settings))
      extended.copy(declared = extended.declared ++ declared)
    }._1
    Seq(Row(s"$meant $name has new columns: ${added.map(c => s"${c.name} ${c.dataType.sql}").mkString(", ")}"))
  }
}

/** ALTER STREAM|TABLE … REFRESH SCHEMA: sets the value's columns to those of the registry's latest schema. */
final case class RefreshSchema(kind: ObjectKind, parts: Seq[String]) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("status" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    val (name, before, after) = AlterObject(session, kind, parts, "REFRESH SCHEMA") { (found, settings) =>
      Evolution.refreshed(found.name, found.topic, settings, () => ObjectDefinition.registry(settings))
    }
    Seq(Row(s"$kind $name ${told(before.columns, after.columns)}"))
  }

  private def told(before: Seq[TopicColumn], after: Seq[TopicColumn]): String = {
    def list(word: String, columns: Seq[TopicColumn]) =
      if (columns.isEmpty) None else Some(s"$word ${columns.map(c => s"${c.name} ${c.dataType.sql}").mkString(", ")}")
    val (same, fresh) = after.filterNot(before.contains).partition(c => before.exists(_.name == c.name))
    val gone = before.filterNot(c => after.exists(_.name == c.name))
    val all = list("new columns:", fresh) ++ list("other types:", same) ++ list("no longer:", gone)
    if (all.isEmpty) "has the latest schema already" else all.mkString("has the latest schema; ", "; ", "")
  }
}

/**
 * ALTER STREAM … RENAME TO: renames the entry. Refused while queries use the object, because queries refer to it by
 * name.
 */
final case class RenameObject(kind: ObjectKind, parts: Seq[String], to: Seq[String], ifExists: Boolean = false)
    extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("status" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    val store = new ObjectStore(session)
    if (ifExists && store.find(parts).isEmpty) Seq(Row(s"$kind ${parts.mkString(".")} does not exist"))
    else renamed(session, Commands.find(store, parts))
  }

  private def renamed(session: SparkSession, found: StoredObject): Seq[Row] = {
    if (!ifExists) Commands.ofKind(found, kind, "ALTER")
    Commands.writable(found, "ALTER")
    val store = new ObjectStore(session)
    // A name without a database stays in the object's database.
    val place = Option.unless(found.name.isOfCluster)(ObjectName.sessionCatalog).toSeq :+ found.name.database
    val name = Commands.newName(store, if (to.size > 1) to else place ++ to)
    def placeOf(n: ObjectName) = Seq(n.isOfCluster, n.database)
    if (placeOf(name) != placeOf(found.name))
      throw KafkalystException("RENAMED_ELSEWHERE", "name" -> found.name.toString, "to" -> name.toString)
    Exclusive(found.name, found.topic.topics).hold {
      val queries = ContinuousQueries.of(session, found.name)
      if (queries.nonEmpty) throw Commands.inUse(found, "renamed", queries)
      store.rename(found.name, name)
    }
    Seq(Row(s"${found.topic.kind} ${found.name} renamed to ${to.mkString(".")}"))
  }
}

/**
 * ALTER TABLE … SET TBLPROPERTIES with another format, for an object in the session catalog: validated as CREATE does.
 * Removes options of the former format.
 */
final case class AlterFormats(parts: Seq[String], properties: Map[String, String]) extends LeafRunnableCommand {
  override def run(session: SparkSession): Seq[Row] = {
    val store = new ObjectStore(session)
    val known = Commands.find(store, parts)
    Exclusive(known.name, known.topic.topics).hold {
      val found = Commands.find(store, parts)
      AlterTopic.check(session, found, properties.map { case (name, value) => name -> Some(value) })
      Commands.writable(found, "ALTER")
      val (ours, others) = properties.toSeq.partition { case (name, _) => EntryProperties.isOne(name) }
      val given = History.named(session, Properties.checked(ours))
      val sides = given.get(Properties.format.name).toSeq
        .flatMap(format => Side.all.map(side => Properties.formatOf(side).name -> format))
      val after =
        ObjectProperties.altered(found.topic, given - Properties.format.name ++ sides, store.settings(found.name))
      if (!store.replace(found, after, found.others ++ others))
        throw KafkalystException("OBJECT_CHANGED", "kind" -> known.topic.kind.name, "name" -> known.name.toString)
    }
    Nil
  }
}

object AlterFormats {

  /** Whether the property sets a format. */
  def isOne(property: String): Boolean =
    (Properties.format +: Side.all.map(Properties.formatOf)).exists(_.name.equalsIgnoreCase(property))
}

/**
 * ALTER TABLE … SET or UNSET TBLPROPERTIES with another topic, for an object in the session catalog.
 *
 * @param properties the new values; None for a property that is removed
 * @param change     Spark's command
 */
final case class AlterTopic(parts: Seq[String], properties: Map[String, Option[String]], change: RunnableCommand)
    extends LeafRunnableCommand {
  override def run(session: SparkSession): Seq[Row] =
    AlterTopic.changing(session, Commands.find(new ObjectStore(session), parts), properties) {
      change.run(session.asInstanceOf[classic.SparkSession])
    }
}

object AlterTopic {
  private val ofTopics = Seq(Properties.topic, FlinkProperties.topicPattern)

  /** Whether the property says which topics are read. */
  def isOne(property: String): Boolean = ofTopics.exists(_.name.equalsIgnoreCase(property))

  /** Changes the object's properties while no query of this JVM starts to read or write it. */
  def changing[T](session: SparkSession, found: StoredObject, properties: Map[String, Option[String]])(
      change: => T
  ): T = Exclusive(found.name, found.topic.topics).hold {
    check(session, found, properties)
    change
  }

  /**
   * Queries that read the object may get more topics, and those back from which they began. Which topics match another
   * pattern is unknown.
   *
   * @param properties the new values; None for a property that is removed
   * @throws io.kafkalyst.errors.KafkalystException OBJECT_IN_USE if queries have offsets in a topic that the object
   *         might not have, or write into it
   */
  private[commands] def check(
      session: SparkSession,
      found: StoredObject,
      properties: Map[String, Option[String]]
  ): Unit = {
    def after(property: Property, before: Option[String]) =
      properties.collectFirst { case (name, value) if name.equalsIgnoreCase(property.name) => value }.getOrElse(before)
    val topic = after(Properties.topic, Some(found.topic.topic))
    val pattern = after(FlinkProperties.topicPattern, found.topic.pattern)
    val isSame = pattern == found.topic.pattern
    if (!isSame || !topic.contains(found.topic.topic)) {
      val names = new ObjectStore(session).names(found.name)
      def goesOn(q: ContinuousQuery) = isSame && pattern.isEmpty && !names.exists(q.sink.is) &&
        topic.exists(now => q.record.shape.topics.exists(QueryShape.hasAll(now, _)))
      val queries = ContinuousQueries.of(session, found.name).filterNot(goesOn)
      if (queries.nonEmpty) throw Commands.inUse(found, "given another topic", queries)
    }
  }
}

private object AlterObject {

  // Other applications may change definitions of the same cluster concurrently.
  private val attempts = 100

  /** Replaces the existing definition with the changed one; returns the name, the old and the new definition. */
  def apply(session: SparkSession, kind: ObjectKind, parts: Seq[String], what: String)(
      change: (StoredObject, Settings) => TopicObject
  ): (ObjectName, TopicObject, TopicObject) = {
    val store = new ObjectStore(session)
    val known = Commands.find(store, parts)
    val exclusive = Exclusive(known.name, known.topic.topics)
    @tailrec
    def changed(left: Int): (ObjectName, TopicObject, TopicObject) = {
      val found = Commands.find(store, parts)
      check(found, kind, what)
      val settings = store.settings(found.name)
      val after = change(found, settings)
      // Properties that users added to the entry are kept.
      if (store.replace(found, after, found.others)) (found.name, found.topic, after)
      else if (left > 0) changed(left - 1)
      else throw KafkalystException("OBJECT_CHANGED", "kind" -> kind.name, "name" -> found.name.toString)
    }
    exclusive.hold(changed(attempts))
  }

  private def check(found: StoredObject, kind: ObjectKind, what: String): Unit = {
    Commands.ofKind(found, kind, "ALTER")
    Commands.writable(found, "ALTER")
    QueryRecord.ownOf(found).map(_.id).foreach { id =>
      throw KafkalystException(
        "NOT_ALTERABLE",
        "name" -> found.name.toString,
        "statement" -> s"ALTER … $what",
        "reason" -> s"the query $id gives its columns",
        "hint" -> s"Say CREATE OR REPLACE $kind ${found.name} … AS SELECT with the columns that you want."
      )
    }
  }
}
