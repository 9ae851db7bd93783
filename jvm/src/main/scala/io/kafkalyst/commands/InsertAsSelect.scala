package io.kafkalyst.commands

import java.util.Locale

import io.kafkalyst.catalog.{ObjectProperties, ObjectStore, StoredObject}
import io.kafkalyst.errors.{Conditions, KafkalystException}
import io.kafkalyst.model._
import io.kafkalyst.query._
import io.kafkalyst.streams.{AnalyzedQuery, Changes, SinkQuery}
import io.kafkalyst.write.{SinkColumns, TopicWrite}
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Cast, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types._

/**
 * INSERT INTO name SELECT … EMIT CHANGES: starts a continuous query that writes into an existing stream or table, in
 * its formats. Follows ksqlDB's rules, except where [[PlacedRows]] applies.
 *
 * @param columns the column list of the INSERT; empty for all columns
 * @param query   the parsed query
 * @param text    the whole statement
 */
final case class InsertAsSelect(
    parts: Seq[String],
    properties: Seq[(String, String)],
    columns: Seq[String],
    query: SinkQuery,
    text: String
) extends LeafRunnableCommand
    with QueryStatement {
  import InsertAsSelect._

  override val output: Seq[Attribute] = Commands.startedOutput

  override def run(session: SparkSession): Seq[Row] = TimeOfDay.allowed(started(session))

  private def started(session: SparkSession): Seq[Row] = {
    val store = new ObjectStore(session)
    val stored = Commands.find(store, parts)
    val (given, _) = said(stored)
    store.requireLasting(stored.name.toString)
    checkTarget(stored.name.toString, stored.topic, Commands.settings(session).isKsqldb)
    val ready = planned(session, stored, None, _ => stored, isNew = true)
    val like = Commands.record(session, "", SinkName.OfObject(stored.name), ready, "", text)
      .copy(inserts = true, columns = Some(stored.topic.sinkColumns.map(_.name)))
    // Its record goes with the sink, so the sink has what it wrote.
    val again = continued(session, ready, like, hasRows = true)
    Seq(again.getOrElse(begun(session, store, stored, ready, like, given)))
  }

  private def begun(
      session: SparkSession,
      store: ObjectStore,
      stored: StoredObject,
      ready: PlannedQuery,
      like: QueryRecord,
      given: Option[String]
  ): Row = {
    val sources = new NewSources(session, ready.of.sources)
    val undo = new Undo(Exclusive(stored.name, stored.topic.topics))
    undo.guard {
      val (id, checkpoint) = QueryIds.nextInsert(session, given)
      undo.add(s"folder $checkpoint")(QueryIds.giveBack(session, id, checkpoint))
      val record = like.copy(id = id, checkpoint = checkpoint)
      store.define(stored.name)
      QueryRecord.add(session, record)
      undo.add(s"query $id")(ContinuousQueries.forget(session, record))
      undo.add(s"record of query $id")(QueryRecord.remove(session, record))
      sources.require()
      val notes = if (given.isEmpty) repeated(session, record) else Nil
      val query = Start(session, ready, record, undo)(Commands.watched(store.settings(stored.name), stored.topic))
      Commands.started(query, notes)
    }
  }

  override private[commands] def checked(session: SparkSession): (AnalyzedQuery, TopicObject) = TimeOfDay.allowed {
    val stored = Commands.find(new ObjectStore(session), parts)
    said(stored)
    checkTarget(stored.name.toString, stored.topic, Commands.settings(session).isKsqldb)
    (planned(session, stored, None, _ => stored, isNew = true).of, stored.topic)
  }

  override def planned(
      session: SparkSession,
      stored: StoredObject,
      started: Option[Seq[String]],
      grown: Seq[TopicColumn] => StoredObject
  ): PlannedQuery = planned(session, stored, started, grown, isNew = false)

  private def planned(
      session: SparkSession,
      stored: StoredObject,
      started: Option[Seq[String]],
      grown: Seq[TopicColumn] => StoredObject,
      isNew: Boolean
  ): PlannedQuery = {
    val name = stored.name.toString
    val sink = queried(session, stored)
    val arePlaced = PlacedRows.areFor(sink, query)
    val of = new AnalyzedQuery(session, query, if (arePlaced) PlacedRows.onceEach else identity)
    val completes = arePlaced && PlacedRows.areAppended(query, of)
    of.checkContinuous(completes)
    of.checkFormats()
    of.checkShape(completes)
    if (of.isJoin) CheckJoins.onceEach(of)
    if (arePlaced)
      new PlacedRows(session, query, of, name, sink, columns, started).planned(TopicSink(stored.name, sink))
    else {
      if (columns.nonEmpty) throw KafkalystException("INSERT_QUERY_FORM")
      val rows = new ResultRows(session, of, query, _ => ())
      if (of.isGrouped) throw KafkalystException("RESULT_IS_AGGREGATE")
      if (rows.isTable) throw KafkalystException("RESULT_IS_TABLE", "name" -> of.leftmost.name)
      of.checkChanges(name, sink.value.isEvent)
      val projected = rows.projection.plan
      val given = projected.output.filterNot(a => Changes.isCarried(a.metadata)).map(columnOf)
      val grew = if (Properties.isAdding(sink)) queried(session, grown(given)) else sink
      rows.planned(
        TopicSink(stored.name, grew),
        aligned(name, grew, _, Commands.settings(session).isKsqldb, isNew, started)
      )
    }
  }

  /** The query's id, and Flink's options for this query, which only objects that Flink's DDL declared accept. */
  private def said(stored: StoredObject): (Option[String], Seq[(String, String)]) = {
    val (ids, options) = properties.partition(_._1.equalsIgnoreCase(idProperty))
    options.headOption.filterNot(_ => stored.topic.isFlinks).foreach { case (name, _) =>
      throw KafkalystException(
        "UNKNOWN_PROPERTY",
        "property" -> name,
        "nearest" -> Conditions.nearest(name, Seq(idProperty)),
        "known" -> idProperty
      )
    }
    options.headOption.filter(_ => stored.name.isOfCluster).foreach { case (name, _) =>
      throw KafkalystException(
        "FLINK_OPTION",
        "option" -> name,
        "reason" -> "a continuous query writes into a cluster's table as that is defined"
      )
    }
    (ids.headOption.map(_._2.toUpperCase(Locale.ROOT)), options)
  }

  /** The sink with this query's options. */
  private def queried(session: SparkSession, stored: StoredObject): TopicObject = said(stored) match {
    case (_, Nil) => stored.topic
    case (_, options) =>
      ObjectProperties.withOptions(stored.topic, options.toMap, new ObjectStore(session).settings(stored.name))
  }
}

object InsertAsSelect {

  /** The property of WITH that sets the query's id. */
  val idProperty = "QUERY_ID"

  /**
   * Notes for an INSERT without QUERY_ID that has the text of another query into its sink, as when a script runs twice.
   * Such a query is legal: ksqlDB starts it, too.
   */
  private[commands] def repeated(session: SparkSession, record: QueryRecord): Seq[String] = {
    val notes = same(session, record).map { q =>
      s"${q.id} (${q.state}) is the same INSERT, and ${q.sink} gets each row from both. TERMINATE one of them; " +
        s"RESUME continues one that has ended. An INSERT WITH ($idProperty = '…') does not run a second time while its query is there"
    }
    notes.foreach(note => Commands.log.warn(s"${record.id}: $note"))
    notes
  }

  /**
   * The result of an INSERT that is executed again after its query has failed: that query continues where it stopped,
   * because another one would write its rows again. None unless the statement waits for the end of its query.
   *
   * @param like    a record of the statement
   * @param hasRows whether the sink has rows; one that was made anew needs all of them
   */
  private[commands] def continued(
      session: SparkSession,
      ready: PlannedQuery,
      like: QueryRecord,
      hasRows: => Boolean
  ): Option[Row] =
    if (!ready.availableNow(Commands.settings(session))) None
    else
      same(session, like).find(q => q.state == QueryRecord.failed && q.settings == like.settings && hasRows).map { q =>
        val note = s"${q.id} has continued where it failed before"
        Commands.log.info(note)
        Commands.started(ContinuousQueries.resume(session, q), Seq(note))
      }

  /** The other queries of the same statement. */
  private def same(session: SparkSession, record: QueryRecord) =
    Commands.queriesInto(session, record.sink).filter { q =>
      q.id != record.id && q.record.text == record.text && q.record.sources == record.sources
    }

  private def checkTarget(name: String, sink: TopicObject, isKsqldb: Boolean): Unit = {
    val kind = sink.kind.name
    val found =
      if (sink.kind == ObjectKind.Table && isKsqldb) Some(
        "it is a TABLE, and a continuous INSERT can only write into a STREAM" ->
          "CREATE TABLE … AS SELECT fills a table of its own"
      )
      else if (sink.options.contains(TopicObject.readOnly)) Some(
        s"it is a SOURCE ${kind.toLowerCase(Locale.ROOT)}, which is only read" ->
          s"Declare its topic with CREATE $kind, without SOURCE, under another name, and insert into that"
      )
      else if (sink.isFlinks) None
      else
        sink.columns.find(_.metadata.exists(m => m.key.startsWith("headers"))).map(c =>
          s"its column ${c.sqlName} stands for headers of the records, which are only read" ->
            s"Declare its topic with CREATE $kind without that column, under another name, and insert into that"
        )
    found.foreach { case (reason, hint) => throw Commands.noQueryInto(name, reason, hint) }
  }

  /**
   * The query with exactly the sink's columns; INSERT_QUERY_SCHEMA if they differ by more than a wider type.
   *
   * @param isNew   whether the query is new; a restarted query keeps the columns that `*` had
   * @param started the sink's columns when it was started: those that the sink has got since are NULL
   */
  private def aligned(
      name: String,
      sink: TopicObject,
      plan: LogicalPlan,
      exact: Boolean,
      isNew: Boolean,
      started: Option[Seq[String]]
  ): LogicalPlan = {
    val columns = sink.sinkColumns
    // A record's metadata columns follow the sink's columns.
    val (around, all) = plan.output.partition(a => Changes.isCarried(a.metadata))
    val selected =
      if (isNew) all
      else all.filter(a => columns.exists(_.name.equalsIgnoreCase(TopicColumn.nameOf(a.name, a.metadata))))
    val given = selected.map(columnOf)
    def refused(difference: String) = throw KafkalystException(
      "INSERT_QUERY_SCHEMA",
      "name" -> name,
      "difference" -> difference,
      "given" -> shown(given),
      "expected" -> shown(columns)
    )
    val (there, gained) = columns.partition { c =>
      given.exists(_.name.equalsIgnoreCase(c.name)) || started.forall(_.exists(_.equalsIgnoreCase(c.name)))
    }
    if (there.size != given.size || gained.exists(_.isIn(Side.Key)))
      refused(s"${given.size} columns for ${columns.size}")
    SinkColumns.checkLeftOut(name, sink, gained)
    there.zip(given).foreach { case (to, from) =>
      val named = if (exact) to.name == from.name else to.name.equalsIgnoreCase(from.name)
      if (!named || to.side != from.side || !takes(from.dataType, to.dataType))
        refused(s"${shown(Seq(from))} is given for ${shown(Seq(to))}")
    }
    Project(
      there.zip(selected).map { case (to, a) =>
        val value = if (DataType.equalsStructurally(a.dataType, to.dataType, true)) a else Cast(a, to.dataType)
        val as = if (TopicColumn.isMade(a.metadata)) TopicColumn.made(to.side) else to.field.metadata
        Alias(value, to.name)(explicitMetadata = Some(as))
      } ++ gained.map(to => TopicWrite.alias(Literal.create(null, to.dataType), to)) ++ around,
      plan
    )
  }

  /**
   * Whether a sink column accepts values of a type: wider than [[Widening]], the rule of ksqlDB's functions, because it
   * also applies within ARRAYs, MAPs and STRUCTs, and accepts whole numbers for any DECIMAL.
   */
  private def takes(from: DataType, to: DataType): Boolean = (from, to) match {
    case (ByteType | ShortType | IntegerType | LongType, _: DecimalType) => true
    case (ArrayType(f, _), ArrayType(t, _)) => takes(f, t)
    case (MapType(k, f, _), MapType(l, t, _)) => k == l && takes(f, t)
    case (f: StructType, t: StructType) =>
      f.fieldNames.sameElements(t.fieldNames) && f.zip(t).forall { case (a, b) => takes(a.dataType, b.dataType) }
    case _ => Widening.fits(from, to)
  }

  private def columnOf(a: Attribute) = TopicColumn(a.name, a.dataType, TopicColumn.sideOf(a.metadata))

  private def shown(columns: Seq[TopicColumn]) =
    columns.map(c => s"${c.sqlName} ${c.dataType.sql}${if (c.side == Side.Key) " KEY" else ""}").mkString(", ")
}
