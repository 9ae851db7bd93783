package io.kafkalyst.commands
package show

import io.kafkalyst.query.{ContinuousQueries, QueryView}
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.command.LeafRunnableCommand

/** SHOW QUERIES [EXTENDED]: the continuous queries that the catalog stores. */
final case class ShowQueries(extended: Boolean, listed: Listed) extends LeafRunnableCommand {
  override val output: Seq[Attribute] =
    Commands.output(QueryView.columns ++ (if (extended) QueryView.more else Nil): _*)

  override def run(session: SparkSession): Seq[Row] =
    listed(ContinuousQueries.all(session))(_.id).map(QueryView.row(_, extended))
}
