package io.kafkalyst.commands
package flink

import io.kafkalyst.catalog.ObjectStore
import io.kafkalyst.commands.show.ShowCreate
import io.kafkalyst.errors.{Conditions, KafkalystException}
import io.kafkalyst.model.TopicColumn
import io.kafkalyst.model.flink.{TableElement, TablePart}
import io.kafkalyst.streams.{AnalyzedQuery, Changes, SinkQuery}
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.{StringType, StructField}

/**
 * Flink's CREATE TABLE … WITH ('connector' = …) AS query: the table of the query's columns behind its own elements, and
 * the query's rows in it. A query that fails leaves no table. With EMIT CHANGES, it is a continuous INSERT.
 *
 * @param elements declared columns, which replace the query's of the same name, and what else a table has
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
      // Without IF NOT EXISTS, so that only one of several creators fills the table.
      val made =
        try session.sql(create).collect().toSeq
        catch { case e: KafkalystException if ifNotExists && e.getCondition == CreateAs.exists => return skipped }
      val mine = store.find(parts)
      val rows =
        try session.sql(s"INSERT INTO $name ($taken) $query").collect()
        catch {
          case failed: Throwable =>
            // Unless another has changed it since.
            try
              if (store.find(parts) == mine) DropObject(parts, None, ifExists = true, deleteTopic = false).run(session)
            catch { case also: Exception => failed.addSuppressed(also) }
            throw failed
        }
      if (endless.isEmpty) made else rows.toSeq
    }
  }

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
