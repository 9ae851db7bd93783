package io.kafkalyst.commands

import io.kafkalyst.query.{ContinuousQueries, ContinuousQuery, ContinuousStatement, QueryView, ResumeAll}
import io.kafkalyst.streams.PlanText
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.StringType

import scala.util.control.NonFatal

/** Shared by the statements about queries. */
private object QueryCommands {
  def output: Seq[Attribute] =
    Commands.output("query_id" -> StringType, "sink" -> StringType, "state" -> StringType)

  /** The queries for an id or ALL; QUERY_NOT_FOUND. */
  def meant(session: SparkSession, id: Option[String]): Seq[ContinuousQuery] =
    id.fold(ContinuousQueries.all(session))(i => Seq(ContinuousQueries.find(session, i)))

  def row(query: ContinuousQuery, state: String): Row = Row(query.id, query.sink.toString, state)
}

/** TERMINATE id|ALL: ends continuous queries permanently; their sinks, topics and checkpoints stay. */
final case class TerminateQueries(id: Option[String]) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = QueryCommands.output

  override def run(session: SparkSession): Seq[Row] = QueryCommands.meant(session, id).map { q =>
    QueryCommands.row(ContinuousQueries.terminate(session, q), "TERMINATED")
  }
}

/** PAUSE id|ALL: pauses continuous queries; ALL means those that should run. */
final case class PauseQueries(id: Option[String]) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = QueryCommands.output

  override def run(session: SparkSession): Seq[Row] =
    QueryCommands.meant(session, id).filter(q => id.isDefined || q.isWanted).map { q =>
      val paused = ContinuousQueries.pause(session, q)
      QueryCommands.row(paused, paused.state)
    }
}

/**
 * RESUME id|ALL: restarts continuous queries where they stopped. With ALL, a query that cannot be started does not
 * prevent others from starting: its row has the error.
 */
final case class ResumeQueries(id: Option[String]) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = QueryCommands.output ++ Commands.output("error" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    def row(query: ContinuousQuery) = Row(query.id, query.sink.toString, query.state, query.error.orNull)
    id match {
      case Some(one) => Seq(row(ContinuousQueries.resume(session, ContinuousQueries.find(session, one))))
      case None => ResumeAll(session).map(row)
    }
  }
}

/** EXPLAIN id: all details of a query, and its plan. */
final case class ExplainQuery(id: String) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("name" -> StringType, "value" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    val query = ContinuousQueries.find(session, id)
    val plan =
      try PlanText.of(ContinuousStatement.again(session, query.record, grows = false).frame.queryExecution.analyzed)
      catch { case NonFatal(e) => s"it cannot be planned: ${e.getMessage}" }
    (QueryView.details(query) :+ ("plan" -> plan)).map { case (name, value) => Row(name, value) }
  }
}
