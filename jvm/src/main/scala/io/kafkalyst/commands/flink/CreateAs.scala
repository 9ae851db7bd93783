package io.kafkalyst.commands
package flink

import io.kafkalyst.catalog.{ObjectStore, StoredObject}
import io.kafkalyst.commands.show.FlinkStatement
import io.kafkalyst.errors.{Conditions, KafkalystException}
import io.kafkalyst.model.TopicColumn
import io.kafkalyst.model.flink.{TableElement, TablePart}
import io.kafkalyst.query.{ContinuousQueries, SinkName}
import io.kafkalyst.streams.{AnalyzedQuery, Changes, SinkQuery}
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.{StringType, StructField}

/** @param mustBeThere whether a table must exist: REPLACE TABLE, as opposed to CREATE OR REPLACE */
final case class Replacing(mustBeThere: Boolean)

/**
 * Flink's CREATE TABLE … WITH ('connector' = …) AS query: creates the table with its own elements, followed by the
 * query's columns, and inserts the query's rows. If the query fails, the table is dropped. With EMIT CHANGES, the
 * INSERT is continuous.
 *
 * @param elements declared columns, which replace the query's of the same name, and other table elements
 * @param replaces whether an existing table's definition is replaced; the topic's records stay, as in Flink
 * @param endless  the query as an unbounded one, if it has EMIT CHANGES
 * @param order    the names of all of the query's columns in the table's order; empty for the query's own order
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
      if (endless.isEmpty) Seq(Row(s"$name already exists"))
      else Seq(Commands.notStarted(session, SinkName.OfObject(Commands.objectName(store, parts)), name))
    if (ifNotExists && store.find(parts).isDefined) skipped
    else {
      val declared =
        elements.filter(e => Seq(TablePart.Column, TablePart.Metadata, TablePart.Generated).contains(e.part))
      val added = ordered(selected).filterNot(f => declared.exists(_.name == f.name))
        .map(f =>
          TableElement(TablePart.Column, f.name, s"${quoteIdentifier(f.name)} ${FlinkStatement.typeOf(f.dataType)}")
        )
      val (columns, others) = elements.partition(declared.contains)
      val create = FlinkStatement.write(s"CREATE TABLE $name", columns ++ added ++ others, properties, comment)
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

  /** None if IF NOT EXISTS is given and the table was created concurrently. */
  private def created(session: SparkSession, create: String): Option[Seq[Row]] =
    try Some(session.sql(create).collect().toSeq)
    catch { case e: KafkalystException if ifNotExists && e.getCondition == CreateAs.exists => None }

  private def filled(session: SparkSession, store: ObjectStore, insert: String): Seq[Row] = {
    val mine = store.find(parts)
    try session.sql(insert).collect().toSeq
    catch {
      case failed: Throwable =>
        // Drops the created table, unless it has been changed since.
        try if (store.find(parts) == mine) DropObject(parts, None, ifExists = true, deleteTopic = false).run(session)
        catch { case also: Exception => failed.addSuppressed(also) }
        throw failed
    }
  }

  /** Drops the existing table, and returns it; None if there is none. */
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

  /**
   * @throws io.kafkalyst.errors.KafkalystException CREATE_AS_COLUMNS unless the names are exactly the query's columns,
   *         each once
   */
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
