package io.kafkalyst.lake

import io.kafkalyst.catalog.{ObjectName, ObjectStore, SessionObjects, TopicTable}
import io.kafkalyst.catalog.define.Growth
import io.kafkalyst.clients.TopicAdmin
import io.kafkalyst.model.{Properties, Side, TopicObject}
import io.kafkalyst.model.flink.{FlinkProperties, OffsetsText}
import io.kafkalyst.model.settings.{CatalogSettings, Settings}
import io.kafkalyst.names.InternalSchema
import io.kafkalyst.query.SinkName
import io.kafkalyst.read.OlderRecords
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.parser.ParseException
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Union}
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.kafkalyst.Frames

/**
 * A topic's records in the table that the property HISTORY names. A bounded read takes the offsets before the table's
 * border from the table and all others from the topic, so that each record is read once, even if the table already has
 * records after its border.
 */
final class History private (topic: TopicObject, border: Border, table: HistoryTable) {

  /** The object, read from the border on. */
  val rest: TopicObject = border.begun(topic)

  /**
   * @param relation a relation over [[rest]]
   * @return all rows, with the relation's columns
   */
  def before(relation: LogicalPlan): LogicalPlan = {
    val ends = topic.options.get(FlinkProperties.endOffsets.name).filter(_ => History.isUntilOffsets(topic))
      .flatMap(OffsetsText.offsets(_))
    val all = border.offsets.toSeq.map { case (p, end) =>
      (p, 0L, ends.fold(end)(given => math.min(end, given.getOrElse(p, 0L))))
    }
    Union(relation, table.rows(all, relation.output))
  }

  private def check(admin: TopicAdmin): Unit = admin.offsets(topic.topic).toSeq.sorted.foreach {
    case (partition, (first, _)) => if (first > border.offsets.getOrElse(partition, 0L)) table.gap(partition, first)
  }

  /** Per partition, the first available offset and the next offset. */
  def offsets(admin: TopicAdmin): Map[Int, (Long, Long)] = {
    lazy val held = table.first
    admin.offsets(topic.topic).map {
      case (p, (first, next)) if first > 0 => p -> (held.get(p).fold(first)(math.min(first, _)), next)
      case all => all
    }
  }

  /** Per partition, the first offset whose record has this time or a later one; absent if there is none. */
  def at(time: Long, admin: TopicAdmin): Map[Int, Long] = admin.offsetsAt(topic.topic, time) ++ table.at(time)

  /** The older records for streams of the object. */
  def records: OlderRecords = table
}

object History {

  /**
   * The properties with the history's full name, because readers may have another current catalog and database.
   *
   * @throws io.kafkalyst.errors.KafkalystException INVALID_PROPERTY if it is not a table's name
   */
  def named(session: SparkSession, properties: Map[String, String]): Map[String, String] = properties.map {
    case (name, table) if name.equalsIgnoreCase(Properties.history.name) && table.trim.nonEmpty =>
      val parts =
        try parsed(session, table)
        catch { case _: ParseException => throw Properties.history.invalid(table, "the name of a table is expected") }
      val full = LakeTable.fullName(session, parts).parts
      // The name of a catalog that this session does not have is not one of a database.
      val isKnown = full.head != ObjectName.sessionCatalog || full.size == 3
      name -> (if (isKnown) full else parts).map(quoteIfNeeded).mkString(".")
    case other => other
  }

  private def parsed(session: SparkSession, table: String) =
    session.sessionState.sqlParser.parseMultipartIdentifier(table)

  /**
   * The table that holds an object's records; None if the object declares none. Definitions of earlier versions may have
   * a short name, which is one in the object's database.
   *
   * @throws io.kafkalyst.errors.KafkalystException HISTORY_TABLE for a short name in a cluster's catalog
   */
  private[lake] def tableOf(session: SparkSession, name: String, topic: TopicObject): Option[SinkName.OfTable] =
    topic.options.get(Properties.history.name).map { table =>
      val parts = parsed(session, table)
      val store = new ObjectStore(session)
      val place = name.takeWhile(_ != '.')
      if (parts.size > 1 && store.isCatalog(parts.head)) SinkName.OfTable(parts)
      else if (store.isOfCluster(place)) throw Border.unusable(
        SinkName.OfTable(parts),
        name,
        "its name lacks the catalog, so it would be another table in each session; ALTER TABLE … SET TBLPROPERTIES " +
          "('history' = '…') with the full name says which"
      )
      else if (store.isSchema(Seq(ObjectName.sessionCatalog, place)))
        SinkName.OfTable(ObjectName.sessionCatalog +: (if (parts.size > 1) parts else place +: parts))
      else LakeTable.fullName(session, parts)
    }

  /** Whether reads of the object have a start or an end of its own. */
  private[lake] def hasRange(topic: TopicObject): Boolean =
    Seq(Properties.startMode, Properties.endMode).exists(p => topic.options.contains(p.name))

  /** Whether reads of the object begin at its first record and end at given offsets. */
  private def isUntilOffsets(topic: TopicObject) = !topic.options.contains(Properties.startMode.name) &&
    topic.options.get(Properties.endMode.name).exists(_.equalsIgnoreCase("specific-offsets"))

  /**
   * The history that a bounded read of the object uses. None if the object declares no history, if the read has its own
   * start, or an end that is not given by offsets, or if the table is still empty.
   *
   * @param name the object's name, for errors
   * @throws io.kafkalyst.errors.KafkalystException HISTORY_TABLE if the table is missing or has no border;
   *         HISTORY_GAP if the topic has lost records that the table does not have
   */
  def of(session: SparkSession, name: String, topic: TopicObject, admin: => TopicAdmin): Option[History] =
    if (hasRange(topic) && !isUntilOffsets(topic) || SessionObjects.isCreating) None
    else {
      val history = found(session, name, topic, admin)
      history.foreach(_.check(admin))
      history
    }

  /** The relation of a stream that reads records before the topic's first record from the history. */
  def ofStream(session: SparkSession, relation: LogicalPlan): LogicalPlan = inStreams(relation) {
    case of if of.topic.options.contains(Properties.history.name) =>
      // Looked up when the stream runs, in the stream's session.
      of.after(() => found(SparkSession.active, of.name, of.topic, of.admin).map(_.records))
    case of => of
  }

  /** Replaces the topics that the plan's streams read. */
  private[lake] def inStreams(plan: LogicalPlan)(other: TopicTable => TopicTable): LogicalPlan = plan.transform {
    case stream: StreamingRelationV2 => stream.makeCopy(stream.productIterator.map {
        case read: TopicTable => other(read)
        case part => part.asInstanceOf[AnyRef]
      }.toArray)
  }

  private def found(session: SparkSession, name: String, topic: TopicObject, admin: => TopicAdmin): Option[History] =
    tableOf(session, name, topic).flatMap { full =>
      val table = tableAt(session, name, full)
      // Looks for the border again if the table has rows, because these may have been committed after the first look.
      val border = Border.at(session, table).orElse {
        if (session.table(table.name.sql).isEmpty) None
        else Some(Border.at(session, table).getOrElse(throw withoutBorder(table, name)))
      }
      border.map { of =>
        checkTopic(of, name, table, topic.topic, admin)
        new History(topic, of, new HistoryTable(session, name, table, of, late(session, name, topic, of)))
      }
    }

  /**
   * Columns that the object has gained by itself since the border. No record before the border has them, because
   * writers register a schema before they write the first record with it, see [[Growth.check]].
   */
  private def late(session: SparkSession, name: String, topic: TopicObject, border: Border): Set[String] = {
    val named = topic.columns.zip(InternalSchema.of(topic.columns).names)
    val (fresh, others) = named.partition { case (column, internal) =>
      column.isIn(Side.Value) && column.metadata.isEmpty && border.known.exists(known => !known(internal))
    }
    if (fresh.isEmpty) Set.empty
    else {
      val (conf, catalog) = (session.conf.getAll, name.takeWhile(_ != '.'))
      val settings =
        if (new ObjectStore(session).isOfCluster(catalog)) CatalogSettings.inSession(conf, catalog)
        else Settings.of(conf)
      // Those that ADD COLUMN declared may be fields of earlier schemas, and do not come back.
      val gained = Growth.of(topic.copy(columns = others.map(_._1)), settings).columns.map(_.name).toSet
      fresh.collect { case (column, internal) if gained(column.name) => internal }.toSet
    }
  }

  private def withoutBorder(table: LakeTable, name: String) = Border.unusable(
    table.name,
    name,
    "it has rows, but no commit to it says up to which offsets; a query INSERT INTO … SELECT … EMIT CHANGES keeps " +
      "them when it starts or resumes after HISTORY was declared"
  )

  private def tableAt(session: SparkSession, name: String, full: SinkName.OfTable): LakeTable = {
    val there = Frames.tableAt(session, full.parts).getOrElse {
      val reason = "there is no such table; CREATE TABLE … AS SELECT … EMIT CHANGES makes it and starts to fill it"
      throw Border.unusable(full, name, reason)
    }
    // Checked before the columns are looked up, because the table may be the object itself.
    Border.require(full, LakeTable.providerOf(there), name)
    LakeTable.at(session, full)
  }

  private def checkTopic(border: Border, name: String, table: LakeTable, now: String, admin: TopicAdmin): Unit = {
    if (border.topic != now) throw Border.unusable(table.name, name, s"it has records of the topic ${border.topic}")
    for (then <- border.id; id <- admin.id(now) if then != id) {
      throw Border.unusable(table.name, name, s"the topic $now was deleted and created again since")
    }
  }
}
