package io.kafkalyst.analyze
package tables

import java.util.Locale

import io.kafkalyst.analyze.names.QuotedNames
import io.kafkalyst.analyze.sinks.{DerivedOutput, RewriteTopicInserts}
import io.kafkalyst.catalog.{
  Detached,
  ObjectCodec,
  ObjectProperties,
  ObjectStore,
  StoredObject,
  TopicSource,
  TopicTable
}
import io.kafkalyst.catalog.cluster.{KafkaCluster, UnreadableTopic}
import io.kafkalyst.clients.{Connector, TopicAdmin}
import io.kafkalyst.commands.{CacheRows, DeletedKeys, DeleteRows, DropObject, RenameObject}
import io.kafkalyst.commands.show.{DescribeObject, DescribeObjects, DescribeTopic, ShowColumnNames, ShowSparkCreate}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.lake.History
import io.kafkalyst.model.{ObjectKind, Properties, TimeOfDay}
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.model.flink.FlinkOptions
import io.kafkalyst.names.InternalSchema
import io.kafkalyst.write.SinkColumns
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{
  NamedRelation,
  RelationTimeTravel,
  UnresolvedAttribute,
  UnresolvedIdentifier,
  UnresolvedRelation,
  UnresolvedTable,
  UnresolvedTableOrView
}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.execution.datasources.{DataSource, FileFormat}
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2Relation, FileDataSourceV2}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.jdk.CollectionConverters._
import scala.util.Try

/**
 * Replaces names of Kafkalyst objects with their topic's relation, and Spark commands with Kafkalyst's where Spark's do
 * not handle the complete object. Runs before Spark's own lookup, which cannot find these tables if another catalog
 * replaces the session catalog.
 */
final class ResolveTopicTables(session: SparkSession) extends Rule[LogicalPlan] {
  private lazy val store = new ObjectStore(session)
  private lazy val views = new EndlessViews(session, store)

  private def settings: Settings = Settings.of(session.conf.getAll)

  override def apply(plan: LogicalPlan): LogicalPlan = {
    val bounded = plan.transformDownWithSubqueries { case reads: UnboundedReads => unbounded(reads) }
    bounded.transformDownWithSubqueries {
      case r: UnresolvedRelation => found(r).fold[LogicalPlan](r)(named(_, r))
      case t: RelationTimeTravel => timeTravel(t)
      case i: InsertIntoStatement => insert(i)
      case w: V2WriteCommand => write(w)
      case d: DropTable => drop(d)
      case r: RenameTable => rename(r)
      case s: ShowCreateTable => created(s)
      case d: DeleteFromTable => delete(d)
      case d: DescribeRelation => describe(d)
      case s: ShowColumns => columns(s)
      case c: CacheTable => uncached(c)
      case c: CacheTableAsSelect => cached(c)
      case d: DescribeColumn => describeExtended(d)
      case a: AnalyzeTable => analyzed(a)
      // Spark's own statements over a table look it up by the name of its catalog entry.
      case t: UnresolvedTable => atEntry(t, t.multipartIdentifier, t.commandName)
      case t: UnresolvedTableOrView => atEntry(t, t.multipartIdentifier, t.commandName)
    }
  }

  /** The object that is read; None for names that Spark resolves. */
  private def found(r: UnresolvedRelation): Option[StoredObject] =
    if (LoadedTopics.isPlain(r.options)) None
    else {
      val stored = store.find(r.multipartIdentifier, said(r))
      if (stored.isEmpty && !isFile(r.multipartIdentifier)) store.missing(r.multipartIdentifier).foreach(throw _)
      stored.map(queried(_, r))
    }

  /** The relation's own properties, without those under Flink's names, whose translation needs the object. */
  private def said(r: UnresolvedRelation): Map[String, String] =
    Properties.checked(options(r).toSeq.filter { case (name, _) =>
      Properties.isOne(name)
    })

  /** Whether the name is a path after its format, which Spark reads as files. */
  private def isFile(parts: Seq[String]): Boolean = parts match {
    case Seq(format, path) if session.sessionState.conf.runSQLonFile && !store.isOfCluster(format) =>
      Try(DataSource.lookupDataSource(format, session.sessionState.conf)).toOption.exists { source =>
        classOf[FileFormat].isAssignableFrom(source) || classOf[FileDataSourceV2].isAssignableFrom(source) ||
        !KafkaCluster.canBe(path)
      }
    case _ => false
  }

  private def named(stored: StoredObject, r: UnresolvedRelation): LogicalPlan = {
    val history = historyOf(stored, r)
    val loaded = history.fold(relation(stored, r))(h => relation(stored.copy(topic = h.rest), withoutStart(r)))
    val rows = if (r.isStreaming) History.ofStream(session, loaded) else loaded
    val named =
      TopicRelation(rows, stored.topic, DerivedOutput(session, stored.topic, rows), history, rows.metadataOutput)
    SubqueryAlias(stored.name.qualifiers(r.multipartIdentifier), named)
  }

  private def historyOf(stored: StoredObject, r: UnresolvedRelation): Option[History] =
    if (r.isStreaming || options(r).keys.exists(TopicTable.edgeOf(_).isDefined)) None
    else {
      // The read's own start and end decide whether, and how far, the history is read.
      val own = properties(r, stored).filter { case (name, _) => Properties.isKept(name) }
      val topic = stored.topic.copy(options = stored.topic.options ++ own)
      History.of(session, stored.name.toString, topic, TopicAdmin(store.settings(stored.name).clientProperties))
    }

  /** Offsets without the mode that reads from them have no effect, and must not replace the history's border. */
  private def withoutStart(r: UnresolvedRelation): UnresolvedRelation = {
    val others = r.options.asCaseSensitiveMap.asScala.filterNot(_._1.equalsIgnoreCase(Properties.startOffsets.name))
    UnresolvedRelation(r.multipartIdentifier, new CaseInsensitiveStringMap(others.asJava), r.isStreaming)
  }

  /**
   * Handles time travel early: Spark would mistake `kafka.orders` for a file, because one of its sources is named
   * `kafka`.
   */
  private def timeTravel(t: RelationTimeTravel): LogicalPlan = t.relation match {
    case r: UnresolvedRelation =>
      found(r).fold[LogicalPlan](t) { stored =>
        named(stored.copy(topic = AsOf(session, stored, t.timestamp, t.version, store.settings(stored.name))), r)
      }
    case _ => t
  }

  private def atEntry(table: LogicalPlan, parts: Seq[String], command: String): LogicalPlan = {
    val found = if (ResolveTopicTables.namesOnly(command)) store.readable(parts) else store.find(parts)
    found.map(_.name).filter(n => !n.isOfCluster && !n.stored.equalsIgnoreCase(parts.last)).fold(table) {
      name =>
        val entry = parts.init :+ name.stored
        val given = table.productIterator.map(part => if (part == parts) entry else part)
        table.makeCopy(given.map(_.asInstanceOf[AnyRef]).toArray)
    }
  }

  private def unbounded(reads: UnboundedReads): LogicalPlan = reads.child.transformDownWithSubqueries {
    case r: UnresolvedRelation =>
      val isStream = r.isStreaming || r.origin.startIndex.exists(reads.streams.contains)
      // Everything that a view after STREAM reads is unbounded.
      def whole(view: LogicalPlan) =
        if (reads.all) view else unbounded(UnboundedReads(view, all = true, streams = Set.empty))
      val view = if (reads.all || isStream) views.query(r).map(whole) else None
      view.getOrElse(if (!r.isStreaming && isUnbounded(reads, r)) endless(r) else r)
  }

  private def endless(r: UnresolvedRelation): UnresolvedRelation = {
    val endless = UnresolvedRelation(r.multipartIdentifier, r.options, isStreaming = true)
    endless.copyTagsFrom(r)
    endless
  }

  /** STREAM applies to tables of any catalog, EMIT CHANGES only to topics. */
  private def isUnbounded(reads: UnboundedReads, r: UnresolvedRelation): Boolean =
    r.origin.startIndex.exists(reads.streams.contains) || (reads.all && store.isTopic(r.multipartIdentifier))

  /** @param isTarget whether a statement writes into it: Spark then refreshes what it keeps of it by its name */
  private def relation(stored: StoredObject, r: UnresolvedRelation, isTarget: Boolean = false): LogicalPlan = {
    Connector.require()
    if (stored.name.isOfCluster) ofCluster(stored, r, isTarget) else ofSession(stored, r)
  }

  /** Loads the relation through Spark's catalog, so that the catalog's settings apply. */
  private def ofCluster(stored: StoredObject, r: UnresolvedRelation, isTarget: Boolean): LogicalPlan = {
    val passed = options(r).filter(option => TopicTable.isSourceOption(option._1)) ++ LoadedTopics.plain
    val name = stored.name.sql
    val frame =
      if (r.isStreaming) session.readStream.options(passed).table(name) else session.read.options(passed).table(name)
    val leaf = frame.queryExecution.analyzed.collectLeaves().head
    val altered = ObjectCodec.properties(properties(r, stored))
    val schema = InternalSchema.described(stored.topic)
    val isUnread = leaf.productIterator.exists(_.isInstanceOf[UnreadableTopic])
    val topic =
      if (altered.isEmpty) stored.topic else ObjectCodec.decode(schema, ObjectCodec.encode(stored.topic) ++ altered)
    val isChanged = isUnread || leaf.collectFirst { case b: DataSourceV2Relation => b.table }.exists {
      case table: TopicTable => table.topic != topic
      case _ => false
    }
    val read = leaf.makeCopy(leaf.productIterator.map {
      case table: TopicTable if table.topic != topic => table.as(topic)
      // The table had no columns; the options define them.
      case table: UnreadableTopic => table.as(topic)
      case output: Seq[_] if isUnread && output == leaf.output => DataTypeUtils.toAttributes(schema)
      case other => other.asInstanceOf[AnyRef]
    }.toArray)
    if (isChanged && !isTarget && !r.isStreaming) Detached(read) else read
  }

  private def ofSession(stored: StoredObject, r: UnresolvedRelation): LogicalPlan = {
    val asAltered = stored.properties.filter(_._1 == ObjectCodec.onError)
    val options = ObjectCodec.encode(stored.topic) ++ asAltered ++ LoadedTopics.plain +
      (TopicSource.nameOption -> stored.name.toString) ++ given(r, stored)
    val schema = InternalSchema.of(stored.topic.columns)
    val frame = TimeOfDay.allowed {
      if (r.isStreaming) session.readStream.format(TopicSource.name).schema(schema).options(options).load()
      else session.read.format(TopicSource.name).schema(schema).options(options).load()
    }
    // The leaf only, without the projection that renames the result.
    frame.queryExecution.analyzed.collectLeaves().head
  }

  /** The object with the relation's own options applied: `FROM t WITH ('value.format' = …)`. */
  private def queried(stored: StoredObject, r: UnresolvedRelation): StoredObject = {
    val past = AsOf.said(session, stored.name.toString, stored.topic, options(r), store.settings(stored.name))
    stored.copy(topic = ObjectProperties.queried(past, properties(r, stored), store.settings(stored.name)))
  }

  /** The relation's own options: `FROM t WITH (…)` and `spark.read.option(…).table(t)`. */
  private def given(r: UnresolvedRelation, stored: StoredObject): Map[String, String] =
    options(r).filter(option => TopicTable.isSourceOption(option._1)) ++ ObjectCodec.properties(properties(r, stored))

  private def properties(r: UnresolvedRelation, stored: StoredObject): Map[String, String] = {
    // Properties that a cluster's object already has change nothing, but its columns may depend on them, so they are
    // not passed.
    val known = if (stored.name.isOfCluster) ObjectProperties.of(stored.topic) else Nil
    val ours = options(r).filterNot { case (name, value) =>
      TopicTable.isSourceOption(name) || TopicSource.isAsOf(name) ||
      known.contains(name.toUpperCase(Locale.ROOT) -> value)
    }
    Properties.checked(FlinkOptions.ofQuery(ours, stored.topic).toSeq)
  }

  private def options(r: UnresolvedRelation): Map[String, String] =
    r.options.asCaseSensitiveMap.asScala.toMap.filterNot(_._1.startsWith("__"))

  private def insert(i: InsertIntoStatement): LogicalPlan = i.table match {
    case r: UnresolvedRelation =>
      // Rebuilt from its own parts: the number of its arguments differs between Spark's versions.
      topicRelation(r).fold[LogicalPlan](i) { relation =>
        val topic = store.find(r.multipartIdentifier).get.topic
        val (given, query) =
          InsertedSides(topic, i.userSpecifiedCols, i.query).getOrElse(i.userSpecifiedCols -> i.query)
        val columns = internalNames(r, given)
        val parts = i.productIterator.map {
          case part if part == r => relation
          case part if part == i.query => query
          case part if part == i.userSpecifiedCols => columns
          case part => part
        }
        i.makeCopy(parts.map(_.asInstanceOf[AnyRef]).toArray)
      }
    case _ => i
  }

  /** The column list of an INSERT in Spark's names; Spark reports unknown names. */
  private def internalNames(r: UnresolvedRelation, given: Seq[String]): Seq[String] = {
    val stored = store.find(r.multipartIdentifier).get
    val fields = InternalSchema.of(stored.topic.columns)
    given.map { name =>
      val at = SinkColumns.placeOf(stored.name.toString, stored.topic.columns, name, None)
      if (settings.foldsNames && at >= 0 && stored.topic.columns(at).name != name) {
        throw SinkColumns.unknown(stored.name.toString, stored.topic.columns, name)
      }
      if (at < 0) name else fields(at).name
    }
  }

  private def write(w: V2WriteCommand): LogicalPlan = w.table match {
    case r: UnresolvedRelation =>
      val options = RewriteTopicInserts.options(w)
      val passed = new CaseInsensitiveStringMap((r.options.asCaseSensitiveMap.asScala ++ options).asJava)
      topicRelation(UnresolvedRelation(r.multipartIdentifier, passed, r.isStreaming)).fold[LogicalPlan](w) { relation =>
        TopicTable.checkWriter(options.keys)
        // Spark asserts that not both of them have options.
        val parts = w.productIterator.map(part => if (part == options) Map.empty[String, String] else part)
        w.makeCopy(parts.map(_.asInstanceOf[AnyRef]).toArray).asInstanceOf[V2WriteCommand].withNewTable(relation)
      }
    case _ => w
  }

  private def topicRelation(r: UnresolvedRelation): Option[NamedRelation] =
    found(r).map(stored => relation(stored, r, isTarget = true).asInstanceOf[NamedRelation])

  private def drop(d: DropTable): LogicalPlan = d.child match {
    case id: UnresolvedIdentifier =>
      val deleteTopic = d.purge && store.name(id.nameParts).exists(_.isOfCluster)
      val isOurs = store.isTopic(id.nameParts) || store.isBroken(id.nameParts) ||
        (deleteTopic && store.isThere(id.nameParts))
      // Spark treats both kinds as tables.
      if (!isOurs) d
      else DropObject(id.nameParts, Option.when(settings.isKsqldb)(ObjectKind.Table), d.ifExists, deleteTopic, d.purge)
    case _ => d
  }

  /** Spark would rename only the entry, not the object's name in it. */
  private def rename(r: RenameTable): LogicalPlan = r.child match {
    case t: UnresolvedTableOrView if !r.isView =>
      store.readable(t.multipartIdentifier).filterNot(_.name.isOfCluster)
        .fold[LogicalPlan](r)(found => RenameObject(found.topic.kind, t.multipartIdentifier, r.newName))
    case _ => r
  }

  private def created(s: ShowCreateTable): LogicalPlan = s.child match {
    case t: UnresolvedTableOrView if !s.asSerde && store.isTopic(t.multipartIdentifier) =>
      ShowSparkCreate(t.multipartIdentifier)
    case _ => s
  }

  private def delete(d: DeleteFromTable): LogicalPlan = {
    def of(table: LogicalPlan, alias: Option[String]): LogicalPlan = table match {
      case SubqueryAlias(id, below) => of(below, Some(id.name))
      case r: UnresolvedRelation if store.isTopic(r.multipartIdentifier) =>
        val columns = store.find(r.multipartIdentifier).toSeq.flatMap(_.topic.columns)
        val condition =
          if (session.sessionState.conf.doubleQuotedIdentifiers) d.condition
          else QuotedNames.asColumns(columns.map(_.name).toSet)(d.condition)
        DeleteRows(r.multipartIdentifier, new DeletedKeys(condition), Set(r.multipartIdentifier.last) ++ alias)
      case _ => d
    }
    of(d.table, None)
  }

  private def describe(d: DescribeRelation): LogicalPlan = d.relation match {
    case t: UnresolvedTableOrView if store.isTopic(t.multipartIdentifier) =>
      // Spark 4.2 has a class of its own for DESCRIBE … PARTITION.
      val hasPartition = d.productIterator.exists { case spec: Map[_, _] => spec.nonEmpty; case _ => false }
      if (hasPartition) throw RefusedOnTopics.partitions(store.find(t.multipartIdentifier).get.name.toString)
      DescribeObject(t.multipartIdentifier, d.isExtended)
    case t: UnresolvedTableOrView => describeAll(t, d.isExtended).getOrElse(d)
    case _ => d
  }

  /**
   * ANALYZE TABLE does nothing: the brokers provide statistics at each planning, and column statistics are not known.
   */
  private def analyzed(a: AnalyzeTable): LogicalPlan = a.child match {
    case t: UnresolvedTableOrView if a.partitionSpec.isEmpty && store.isTopic(t.multipartIdentifier) => LocalRelation()
    case _ => a
  }

  /** Spark's SHOW COLUMNS omits computed columns and all tables outside of the session catalog. */
  private def columns(s: ShowColumns): LogicalPlan = s.child match {
    case t: UnresolvedTableOrView
        if store.name(t.multipartIdentifier).exists(_.isOfCluster) || store.isTopic(t.multipartIdentifier) =>
      ShowColumnNames(t.multipartIdentifier)
    case _ => s
  }

  /** Refuses CACHE TABLE of a topic: a later read by name would not use the cache, but read the topic again. */
  private def uncached(c: CacheTable): LogicalPlan = {
    val name = c.multipartIdentifier
    if (store.isTopic(name) || views.loadsTopics(name))
      throw KafkalystException("CACHE_OF_TOPIC", "name" -> name.map(quoteIfNeeded).mkString("."))
    c
  }

  private def cached(c: CacheTableAsSelect): LogicalPlan = {
    val reads = c.plan.collectWithSubqueries { case r: UnresolvedRelation => r.multipartIdentifier }
    if (!reads.exists(views.isOverTopics)) c
    // The view's name, which is a string before Spark 4.2 and an expression since.
    else CacheRows(c.productElement(0).toString, c.plan, c.isLazy, c.options)
  }

  /** ksqlDB's `DESCRIBE STREAMS`, unless a table has that name. */
  private def describeAll(t: UnresolvedTableOrView, extended: Boolean): Option[LogicalPlan] = {
    val name = t.multipartIdentifier
    DescribeObjects.kindOf(name).filter(_ => settings.isKsqldb && !store.isThere(name))
      .map(DescribeObjects(_, extended))
  }

  /** ksqlDB's `DESCRIBE name EXTENDED`, which Spark parses as a column EXTENDED. */
  private def describeExtended(d: DescribeColumn): LogicalPlan = (d.relation, d.column) match {
    // Also `DESCRIBE TOPIC name`.
    case (t: UnresolvedTableOrView, c: UnresolvedAttribute)
        if t.multipartIdentifier.map(_.toLowerCase(Locale.ROOT)) == Seq("topic") && !store.isThere(
          t.multipartIdentifier
        ) =>
      DescribeTopic(c.nameParts.mkString("."))
    case (t: UnresolvedTableOrView, c: UnresolvedAttribute) if c.name.equalsIgnoreCase("extended") =>
      store.find(t.multipartIdentifier).filterNot(_.topic.columns.exists(_.name.equalsIgnoreCase(c.name)))
        .map(_ => DescribeObject(t.multipartIdentifier, extended = true))
        .orElse(describeAll(t, extended = true)).getOrElse(d)
    case _ => d
  }
}

private object ResolveTopicTables {

  /** Spark's commands that need no columns, and so work on objects whose columns cannot be determined. */
  val namesOnly: Set[String] =
    Set("Catalog.makeTable", "Catalog.tableExists", "ALTER TABLE ... SET TBLPROPERTIES", "REFRESH TABLE")
}
