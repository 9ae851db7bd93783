package io.kafkalyst.analyze

import io.kafkalyst.catalog.{KafkalystProvider, ObjectCodec, ObjectProperties, ObjectStore, StoredObject, TopicTable}
import io.kafkalyst.commands.{DeletedKeys, DeleteRows, DescribeObject, DropObject}
import io.kafkalyst.model.{FlinkOptions, FlinkProperties, ObjectKind, Properties, Settings, Side}
import io.kafkalyst.names.InternalSchema
import io.kafkalyst.write.SinkColumns
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{
  NamedRelation,
  UnresolvedIdentifier,
  UnresolvedRelation,
  UnresolvedTable,
  UnresolvedTableOrView
}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule

/**
 * Puts a topic's relation where a name of ours stands, and our commands where Spark's own would not know all that
 * an object is. Runs before Spark's own look-up, which cannot find our tables where another catalog owns the session.
 */
final class ResolveTopicTables(session: SparkSession) extends Rule[LogicalPlan] {
  private lazy val store = new ObjectStore(session)

  /** Whether names are ksqlDB's. */
  private def areKsqls: Boolean = Settings.of(session.conf.getAll).upperIdentifiers

  override def apply(plan: LogicalPlan): LogicalPlan = {
    val bounded = plan.transformDownWithSubqueries { case reads: UnboundedReads => unbounded(reads) }
    bounded.transformDownWithSubqueries {
      case r: UnresolvedRelation =>
        store.find(r.multipartIdentifier).map(queried(_, r)).fold[LogicalPlan](r) { stored =>
          val rows = relation(stored, r)
          val named = TopicRelation(rows, stored.topic, DerivedOutput(session, stored.topic, rows))
          SubqueryAlias(r.multipartIdentifier.takeRight(2), named)
        }
      case i: InsertIntoStatement => insert(i)
      case w: V2WriteCommand => write(w)
      case d: DropTable => drop(d)
      case d: DeleteFromTable => delete(d)
      case d: DescribeRelation => describe(d)
      // Spark's own statements over a table look it up by its entry's name.
      case t: UnresolvedTable => atEntry(t, t.multipartIdentifier)
      case t: UnresolvedTableOrView => atEntry(t, t.multipartIdentifier)
    }
  }

  private def atEntry(table: LogicalPlan, parts: Seq[String]): LogicalPlan =
    store.find(parts).map(_.name).filter(n => !n.stored.equalsIgnoreCase(parts.last)).fold(table) { name =>
      val entry = parts.init :+ name.stored
      val given = table.productIterator.map(part => if (part == parts) entry else part)
      table.makeCopy(given.map(_.asInstanceOf[AnyRef]).toArray)
    }

  private def unbounded(reads: UnboundedReads): LogicalPlan = reads.child.transformDownWithSubqueries {
    case r: UnresolvedRelation if !r.isStreaming && isUnbounded(reads, r) =>
      val endless = UnresolvedRelation(r.multipartIdentifier, r.options, isStreaming = true)
      endless.copyTagsFrom(r)
      endless
  }

  private def isUnbounded(reads: UnboundedReads, r: UnresolvedRelation): Boolean =
    (reads.all || r.origin.startIndex.exists(reads.streams.contains)) && store.isTopic(r.multipartIdentifier)

  private def relation(stored: StoredObject, r: UnresolvedRelation): LogicalPlan = {
    val asAltered = stored.properties.filter(_._1 == ObjectCodec.onError)
    val options = ObjectCodec.encode(stored.topic) ++ asAltered +
      (KafkalystProvider.nameOption -> stored.name.toString) ++ given(r, stored)
    val schema = InternalSchema.of(stored.topic.columns)
    val frame =
      if (r.isStreaming) session.readStream.format(KafkalystProvider.name).schema(schema).options(options).load()
      else session.read.format(KafkalystProvider.name).schema(schema).options(options).load()
    // The relation alone, without the names that a result has.
    frame.queryExecution.analyzed.collectLeaves().head
  }

  /** The object as options of the relation itself say that it is: `FROM t WITH ('value.format' = …)`. */
  private def queried(stored: StoredObject, r: UnresolvedRelation): StoredObject = {
    val said = properties(r, stored)
    val alters = (FlinkProperties.keyFields +: Side.all.map(Properties.formatOf)).exists(p => said.contains(p.name))
    if (!alters) stored
    else stored.copy(topic = ObjectProperties.altered(stored.topic, said, KafkalystProvider.settings()))
  }

  /** Options of the relation itself: `FROM t WITH (…)` and `spark.read.option(…).table(t)`. */
  private def given(r: UnresolvedRelation, stored: StoredObject): Map[String, String] =
    options(r).filter(option => TopicTable.isSourceOption(option._1)) ++ ObjectCodec.properties(properties(r, stored))

  private def properties(r: UnresolvedRelation, stored: StoredObject): Map[String, String] = {
    val ours = options(r).filterNot(option => TopicTable.isSourceOption(option._1))
    Properties.checked(FlinkOptions.ofQuery(ours, stored.topic).toSeq)
  }

  private def options(r: UnresolvedRelation): Map[String, String] = {
    import scala.jdk.CollectionConverters._
    r.options.asCaseSensitiveMap.asScala.toMap.filterNot(_._1.startsWith("__"))
  }

  private def insert(i: InsertIntoStatement): LogicalPlan = i.table match {
    case r: UnresolvedRelation =>
      // Rebuilt from its own parts: the number of its arguments differs between Spark's versions.
      topicRelation(r).fold[LogicalPlan](i) { relation =>
        val columns = internalNames(r, i.userSpecifiedCols)
        val parts = i.productIterator.map {
          case part if part == r => relation
          case part if part == i.userSpecifiedCols => columns
          case part => part
        }
        i.makeCopy(parts.map(_.asInstanceOf[AnyRef]).toArray)
      }
    case _ => i
  }

  /** The column list of an INSERT in the names that Spark sees; one that means nothing is left for Spark's error. */
  private def internalNames(r: UnresolvedRelation, given: Seq[String]): Seq[String] = {
    val stored = store.find(r.multipartIdentifier).get
    val fields = InternalSchema.of(stored.topic.columns)
    given.map { name =>
      val at = SinkColumns.placeOf(stored.name.toString, stored.topic.columns, name, None)
      if (areKsqls && at >= 0 && stored.topic.columns(at).name != name) {
        throw SinkColumns.unknown(stored.name.toString, stored.topic.columns, name)
      }
      if (at < 0) name else fields(at).name
    }
  }

  private def write(w: V2WriteCommand): LogicalPlan = w.table match {
    case r: UnresolvedRelation => topicRelation(r).fold[LogicalPlan](w)(w.withNewTable)
    case _ => w
  }

  private def topicRelation(r: UnresolvedRelation): Option[NamedRelation] =
    store.find(r.multipartIdentifier).map(queried(_, r)).map { stored =>
      relation(stored, r).asInstanceOf[NamedRelation]
    }

  private def drop(d: DropTable): LogicalPlan = d.child match {
    case id: UnresolvedIdentifier if store.isTopic(id.nameParts) =>
      // To Spark either kind is a table.
      DropObject(id.nameParts, Option.when(areKsqls)(ObjectKind.Table), d.ifExists, deleteTopic = false)
    case _ => d
  }

  private def delete(d: DeleteFromTable): LogicalPlan = {
    def of(table: LogicalPlan, alias: Option[String]): LogicalPlan = table match {
      case SubqueryAlias(id, below) => of(below, Some(id.name))
      case r: UnresolvedRelation if store.isTopic(r.multipartIdentifier) =>
        DeleteRows(r.multipartIdentifier, new DeletedKeys(d.condition), Set(r.multipartIdentifier.last) ++ alias)
      case _ => d
    }
    of(d.table, None)
  }

  private def describe(d: DescribeRelation): LogicalPlan = d.relation match {
    case t: UnresolvedTableOrView if store.isTopic(t.multipartIdentifier) =>
      DescribeObject(t.multipartIdentifier, d.isExtended)
    case _ => d
  }
}
