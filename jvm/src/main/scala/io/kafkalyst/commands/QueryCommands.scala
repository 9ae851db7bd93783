package io.kafkalyst.commands

import io.kafkalyst.query.ContinuousQueries
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.StringType

/** TERMINATE id|ALL: stops continuous queries; their sinks, topics and checkpoints stay. */
final case class TerminateQueries(id: Option[String]) extends LeafRunnableCommand {
  override val output: Seq[Attribute] =
    Commands.output("query_id" -> StringType, "sink" -> StringType, "state" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    val ids = id.map(Seq(_)).getOrElse(ContinuousQueries.all().map(_.id))
    ids.map(ContinuousQueries.terminate).map(q => Row(q.id, q.sink.toString, "TERMINATED"))
  }
}
