package io.kafkalyst.commands
package flink

import io.kafkalyst.catalog.ObjectStore
import io.kafkalyst.commands.show.ShowCreate
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.flink.{TableElement, TablePart}
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.{StringType, StructField}

/**
 * Flink's CREATE TABLE … WITH ('connector' = …) AS query: the table of the query's columns behind its own elements, and
 * the query's rows in it. A query that fails leaves no table.
 *
 * @param elements declared columns, which replace the query's of the same name, and what else a table has
 * @param order    the names of all of the query's columns as the table has them; empty: as the query has them
 */
final case class CreateAs(
    parts: Seq[String],
    ifNotExists: Boolean,
    elements: Seq[TableElement],
    order: Seq[String],
    properties: Seq[(String, String)],
    comment: Option[String],
    query: String
) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("status" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    val store = new ObjectStore(session)
    val rows = session.sql(query)
    if (rows.isStreaming)
      throw KafkalystException("NOT_SUPPORTED", "what" -> "EMIT CHANGES in Flink's CREATE TABLE … AS")
    val name = parts.map(quoteIdentifier).mkString(".")
    if (ifNotExists && store.find(parts).isDefined) Seq(Row(s"$name already exists"))
    else {
      val declared =
        elements.filter(e => Seq(TablePart.Column, TablePart.Metadata, TablePart.Generated).contains(e.part))
      val added = ordered(rows.schema.fields.toSeq).filterNot(f => declared.exists(_.name == f.name))
        .map(f =>
          TableElement(TablePart.Column, f.name, s"${quoteIdentifier(f.name)} ${ShowCreate.flinkType(f.dataType)}")
        )
      val head = "CREATE TABLE " + (if (ifNotExists) "IF NOT EXISTS " else "") + name
      val (columns, others) = elements.partition(declared.contains)
      val made =
        session.sql(ShowCreate.flinkStatement(head, columns ++ added ++ others, properties, comment)).collect().toSeq
      val taken = rows.columns.map(quoteIdentifier).mkString(", ")
      try session.sql(s"INSERT INTO $name ($taken) $query").collect()
      catch {
        case failed: Throwable =>
          try DropObject(parts, None, ifExists = true, deleteTopic = false).run(session)
          catch { case also: Exception => failed.addSuppressed(also) }
          throw failed
      }
      made
    }
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
