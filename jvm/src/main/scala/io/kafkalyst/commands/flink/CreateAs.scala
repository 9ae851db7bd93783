package io.kafkalyst.commands
package flink

import io.kafkalyst.catalog.{ObjectStore, StoredObject}
import io.kafkalyst.commands.show.ShowCreate
import io.kafkalyst.errors.{Conditions, KafkalystException}
import io.kafkalyst.model.TopicColumn
import io.kafkalyst.model.flink.{TableElement, TablePart}
import io.kafkalyst.query.ContinuousQueries
import io.kafkalyst.streams.{AnalyzedQuery, Changes, SinkQuery}
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.{StringType, StructField}

/** @param mustBeThere whether there must be a table to replace: REPLACE TABLE, as opposed to CREATE OR REPLACE */
final case class Replacing(mustBeThere: Boolean)

/**
 * Flink's CREATE TABLE … WITH ('connector' = …) AS query: the table of the query's columns behind its own elements, and
 * the query's rows in it. A query that fails leaves no table. With EMIT CHANGES, it is a continuous INSERT.
 *
 * @param elements declared columns, which replace the query's of the same name, and what else a table has
 * @param replaces whether it replaces the definition of a table that is there; the topic's records stay, as in Flink
 * @param endless  the query as one that runs on, if it has EMIT CHANGES
 * @param order    the names of all of the query's columns as the table has them; empty: as the query has them
 */
final case class CreateAs(
    parts: Seq[String],
    ifNotExists: Boolean,
    elements: Seq[TableElement],
    order: Seq[String],
    properties: Seq[(String, String)],
    comment: Option[String],
    query: String,
    replaces: Option[Replacing] = None,
    endless: Option[SinkQuery] = None
) extends LeafRunnableCommand {
  override val output: Seq[Attribute] =
    if (endless.isEmpty) Commands.output("status" -> StringType) else Commands.startedOutput

  override def run(session: SparkSession): Seq[Row] = {
    val store = new ObjectStore(session)
    val selected = given(session)
    val name = parts.map(quoteIdentifier).mkString(".")
    def skipped =
      if (endless.isEmpty) Seq(Row(s"$name already exists")) else Seq(Row(null, name, null, null, "already exists"))
    if (ifNotExists && store.find(parts).isDefined) skipped
    else {
      val declared =
        elements.filter(e => Seq(TablePart.Column, TablePart.Metadata, TablePart.Generated).contains(e.part))
      val added = ordered(selected).filterNot(f => declared.exists(_.name == f.name))
        .map(f =>
          TableElement(TablePart.Column, f.name, s"${quoteIdentifier(f.name)} ${ShowCreate.flinkType(f.dataType)}")
        )
      val (columns, others) = elements.partition(declared.contains)
      val create = ShowCreate.flinkStatement(s"CREATE TABLE $name", columns ++ added ++ others, properties, comment)
      val taken = selected.map(f => quoteIdentifier(f.name)).mkString(", ")
      val before = replaced(session, store)
      try
        // Without IF NOT EXISTS, so that only one of several creators fills the table.
        created(session, create).fold(skipped) { made =>
          val rows = filled(session, store, s"INSERT INTO $name ($taken) $query")
          if (endless.isEmpty) made else rows
        }
      catch {
        case failed: Throwable =>
          before.foreach(restored(store, _, failed))
          throw failed
      }
    }
  }

  /** None if it was created meanwhile, and may be. */
  private def created(session: SparkSession, create: String): Option[Seq[Row]] =
    try Some(session.sql(create).collect().toSeq)
    catch { case e: KafkalystException if ifNotExists && e.getCondition == CreateAs.exists => None }

  private def filled(session: SparkSession, store: ObjectStore, insert: String): Seq[Row] = {
    val mine = store.find(parts)
    try session.sql(insert).collect().toSeq
    catch {
      case failed: Throwable =>
        // Unless another has changed it since.
        try if (store.find(parts) == mine) DropObject(parts, None, ifExists = true, deleteTopic = false).run(session)
        catch { case also: Exception => failed.addSuppressed(also) }
        throw failed
    }
  }

  /** The table that was there, which then is not. */
  private def replaced(session: SparkSession, store: ObjectStore): Option[StoredObject] = replaces.flatMap { how =>
    val found = if (how.mustBeThere) Some(Commands.find(store, parts)) else store.find(parts)
    found.foreach { old =>
      val queries = ContinuousQueries.of(session, old.name).filter(_.isAlive)
      if (queries.nonEmpty) throw Commands.inUse(old, "replaced", queries)
      DropObject(parts, None, ifExists = false, deleteTopic = false).run(session)
    }
    found
  }

  private def restored(store: ObjectStore, old: StoredObject, failed: Throwable): Unit =
    try store.create(old.name, old.topic, old.others)
    catch { case also: Exception => failed.addSuppressed(also) }

  private def given(session: SparkSession): Seq[StructField] = endless match {
    case None => session.sql(query).schema.fields.toSeq
    case Some(selected) =>
      new AnalyzedQuery(session, selected).plan.output.filterNot(a => Changes.isCarried(a.metadata))
        .map(a => StructField(TopicColumn.nameOf(a.name, a.metadata), a.dataType))
  }

  /** @throws io.kafkalyst.errors.KafkalystException CREATE_AS_COLUMNS for names that are not the query's, each once */
  private def ordered(columns: Seq[StructField]): Seq[StructField] = {
    val taken = order.flatMap(name => columns.find(_.name == name))
    if (
      order.nonEmpty && (taken.size != order.size || taken.distinct.size != columns.size || order.size != columns.size)
    )
      throw KafkalystException(
        "CREATE_AS_COLUMNS",
        "names" -> order.mkString(", "),
        "columns" -> columns.map(_.name).mkString(", ")
      )
    if (order.isEmpty) columns else taken
  }
}

object CreateAs {
  private val exists = Conditions("OBJECT_EXISTS").name
}
