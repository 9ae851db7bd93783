package io.kafkalyst.commands

import io.kafkalyst.errors.{Causes, KafkalystException}
import io.kafkalyst.lake.{ColumnMatch, LakeColumns, LakeOptions, LakeQuery, LakeTable}
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.query._
import io.kafkalyst.streams.SinkQuery
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.analysis.{UnresolvedIdentifier, UnresolvedRelation}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference}
import org.apache.spark.sql.catalyst.plans.logical.{
  CreateTableAsSelect,
  InsertIntoStatement,
  LocalRelation,
  LogicalPlan
}
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.kafkalyst.Frames
import org.apache.spark.sql.types.StructType

import scala.jdk.CollectionConverters._

/**
 * Spark's INSERT INTO and CREATE TABLE … AS over topics with EMIT CHANGES: starts a continuous query that writes into a
 * table of any catalog.
 *
 * @param statement parsed by Spark from the text without EMIT CHANGES
 * @param text      the whole statement
 */
final case class InsertIntoTable(statement: LogicalPlan, query: SinkQuery, text: String)
    extends LeafRunnableCommand
    with ContinuousStatement {
  override val output: Seq[Attribute] = Commands.startedOutput

  private val (target, said, how) = statement match {
    case i: InsertIntoStatement =>
      val relation = i.table.asInstanceOf[UnresolvedRelation]
      val options = relation.options.asCaseSensitiveMap.asScala.toMap.filterNot(_._1.startsWith("__"))
      (relation.multipartIdentifier, options, ColumnMatch(i.userSpecifiedCols, i.byName))
    case c: CreateTableAsSelect =>
      val options = c.writeOptions ++ c.tableSpec.properties.filter(p => LakeOptions.isKnown(p._1))
      (c.name.asInstanceOf[UnresolvedIdentifier].nameParts, options, ColumnMatch(Nil, byName = true))
  }

  private def checkNames(): Unit = statement match {
    case c: CreateTableAsSelect => LakeOptions.checkNames(c.writeOptions.keys, c.tableSpec.properties.keys)
    case _ => LakeOptions.checkNames(said.keys, Nil)
  }

  override def run(session: SparkSession): Seq[Row] = {
    val name = LakeTable.fullName(session, target)
    LakeTable.requireName(session, name)
    checkNames()
    val exclusive = Exclusive(name)
    val undo = new Undo(exclusive)
    undo.guard {
      val table = statement match {
        case c: CreateTableAsSelect =>
          def isMade = Frames.tableAt(session, name.parts).isEmpty && {
            val options = allowed(session, LakeOptions.of(said, Map.empty))
            val schema = new LakeQuery(session, query, options.merge).schema
            LakeColumns.checkTimes(name, schema)
            create(session, c, schema)
          }
          if (!exclusive.hold(isMade)) {
            if (c.ignoreIfExists) return Seq(Commands.notStarted(session, name, name.toString))
            throw exists(session, name)
          }
          val made = shown(session, name)
          undo.add(s"table $name")(dropMade(session, name, made))
          LakeTable.at(session, name)
        case _ => LakeTable.at(session, name)
      }
      LakeOptions.checkNames(table.properties.keys.filter(LakeOptions.isPrefixed), Nil)
      val options = allowed(session, LakeOptions.of(said, table.properties))
      val lake = new LakeQuery(session, query, options.merge)
      val ready = lake.planned(table, how, options, own = None)
      val places = Option.when(!how.byName)(lake.places(table, how, options))
      val like = Commands.record(session, "", name, ready, "", text).copy(inserts = true, places = places)
      def hasRows = !session.table(name.sql).isEmpty
      val again = statement match {
        case _: InsertIntoStatement => InsertAsSelect.continued(session, ready, like, hasRows)
        case _ => None
      }
      Seq(again.getOrElse(begun(session, name, ready, like, options, undo)(hasRows)))
    }
  }

  private def begun(
      session: SparkSession,
      name: SinkName.OfTable,
      ready: PlannedQuery,
      like: QueryRecord,
      options: LakeOptions,
      undo: Undo
  )(hasRows: => Boolean): Row = {
    val sources = new NewSources(session, ready.of.sources)
    val record = Exclusive(name, options.checkpoint.map(RecordFiles.folderOf(session, _))).hold {
      // Another statement may have named the folder since it was checked.
      options.checkpoint.foreach(QueryIds.requireFree(session, _))
      recorded(session, like, name, options, undo)
    }
    sources.require()
    val notes = if (options.id.isEmpty) InsertAsSelect.repeated(session, record) else Nil
    Commands.started(Start(session, ready, record, undo)(() => hasRows), notes)
  }

  /** Claims the query's folders and stores its record. */
  private def recorded(
      session: SparkSession,
      like: QueryRecord,
      name: SinkName.OfTable,
      options: LakeOptions,
      undo: Undo
  ): QueryRecord = {
    val (id, folder) = (statement, options.id) match {
      case (_: CreateTableAsSelect, None) => QueryIds.next(session, "CTAS", name.parts.last)
      case _ => QueryIds.nextInsert(session, options.id)
    }
    undo.add(s"folder $folder")(QueryIds.giveBack(session, id, folder))
    val checkpoint = options.checkpoint.getOrElse(folder)
    val record = like.copy(id = id, checkpoint = checkpoint)
    // Removed last: while it is there, no other statement takes the folder.
    undo.add(s"record of query $id")(QueryRecord.remove(session, record))
    if (options.checkpoint.exists(QueryIds.claim(session, _)))
      undo.add(s"folder $checkpoint")(QueryIds.giveBack(session, checkpoint))
    undo.add(s"query $id")(ContinuousQueries.forget(session, record))
    QueryRecord.put(session, record)
    record
  }

  override def planned(session: SparkSession, record: QueryRecord, grows: Boolean): PlannedQuery = record.sink match {
    case name: SinkName.OfTable =>
      val table = LakeTable.at(session, name)
      val own = LakeOptions.of(said, table.properties)
      val options = own.copy(addColumns = own.addColumns && grows)
      val as = how.copy(places = record.places, keysFirst = record.places.isEmpty && !how.byName)
      new LakeQuery(session, query, options.merge).planned(table, as, options, Some(record.id))
    case other => throw new IllegalStateException(s"$other is not a table of another catalog")
  }

  /** LAKE_TABLE_EXISTS; the statement that is executed again has made the table, and its query is what fills it. */
  private def exists(session: SparkSession, name: SinkName.OfTable) = {
    val hints = ContinuousQueries.all(session).filter(_.sink == name).map { q =>
      val word = q.record.word
      s"The query $word (${q.state}) fills it: RESUME $word continues that, and IF NOT EXISTS accepts it. " +
        "INSERT INTO would start another query, which writes each row again"
    }
    val insert = s"Write into it with INSERT INTO $name SELECT … EMIT CHANGES"
    val hint = if (hints.isEmpty) insert else hints.mkString(". ")
    KafkalystException("LAKE_TABLE_EXISTS", "name" -> name.toString, "hint" -> hint)
  }

  /** Drops the table that this statement has created, unless it has been changed or written to since. */
  private def dropMade(session: SparkSession, name: SinkName.OfTable, made: Option[Any]): Unit =
    if (made.isDefined && shown(session, name) == made && session.table(name.sql).isEmpty)
      session.sql(s"DROP TABLE ${name.sql}")
    else
      Commands.log.warn(s"The table $name stays, though the statement that made it failed: it was changed since")

  /** A table's columns and properties; Delta's and Iceberg's properties include the last commit. */
  private def shown(session: SparkSession, name: SinkName.OfTable): Option[Any] =
    Frames.tableAt(session, name.parts).map(t => t.columns.toSeq -> t.properties.asScala.toMap)

  /**
   * @throws io.kafkalyst.errors.KafkalystException LOCKED_PROPERTY for a checkpoint folder in an application that locks
   *         settings; CHECKPOINT_IN_USE for the folder of another query
   */
  private def allowed(session: SparkSession, options: LakeOptions): LakeOptions = {
    options.checkpoint.foreach { given =>
      Commands.settings(session).requireOpen(LakeOptions.checkpoint, "a statement or a table", Settings.checkpointRoot)
      QueryIds.requireFree(session, given)
    }
    options
  }

  /**
   * Creates the table with Spark's own statement, over a query without rows; false if the table exists by now, whose
   * creator fills it.
   */
  private def create(session: SparkSession, statement: CreateTableAsSelect, schema: StructType): Boolean = {
    val columns = schema.map(f => AttributeReference(f.name, f.dataType)())
    // Rebuilt from its own parts, because their number differs between Spark versions.
    val parts = statement.productElementNames.zip(statement.productIterator).map {
      case (_, part: LogicalPlan) if part eq statement.query => LocalRelation(columns: _*)
      // Only an error shows that another statement has created the table.
      case ("ignoreIfExists", _) => false
      case (_, part) => part
    }
    try {
      Frames.of(session, statement.makeCopy(parts.map(_.asInstanceOf[AnyRef]).toArray))
      true
    } catch { case e: Exception if InsertIntoTable.isThere(e) => false }
  }
}

object InsertIntoTable {

  /** Whether the statement is one of these; `isTopic` recognises the names of Kafkalyst objects. */
  def isOne(statement: LogicalPlan, isTopic: Seq[String] => Boolean): Boolean = statement match {
    case i: InsertIntoStatement => i.table match {
        case r: UnresolvedRelation => !isTopic(r.multipartIdentifier)
        case _ => false
      }
    case c: CreateTableAsSelect => c.name.isInstanceOf[UnresolvedIdentifier]
    case _ => false
  }

  /**
   * @throws io.kafkalyst.errors.KafkalystException LAKE_STATEMENT for clauses that only a bounded statement supports
   */
  def queryOf(statement: LogicalPlan): LogicalPlan = statement match {
    case i: InsertIntoStatement =>
      if (i.overwrite) throw refused("INSERT OVERWRITE")
      if (i.partitionSpec.nonEmpty) throw refused("PARTITION (…)")
      i.query
    case c: CreateTableAsSelect => c.query
  }

  /** Whether the error says that a table exists; checked by name, because each catalog has its own errors. */
  private def isThere(failed: Throwable): Boolean = Causes.of(failed).exists {
    case known: SparkThrowable if String.valueOf(known.getCondition).endsWith("ALREADY_EXISTS") => true
    case other => other.getClass.getSimpleName.contains("AlreadyExists")
  }

  private def refused(what: String) = KafkalystException("LAKE_STATEMENT", "what" -> what)
}
