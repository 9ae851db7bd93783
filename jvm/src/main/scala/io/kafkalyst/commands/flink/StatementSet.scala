package io.kafkalyst.commands
package flink

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.StringType

/** Flink's EXECUTE STATEMENT SET BEGIN …; END: checks all INSERTs first, then runs them in order. */
final case class StatementSet(inserts: Seq[String]) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("statement" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    val state = session.sessionState
    inserts.foreach(text => state.executePlan(state.sqlParser.parsePlan(text)).assertAnalyzed())
    inserts.map { text =>
      session.sql(text).collect()
      Row(text)
    }
  }
}

/** Flink's EXPLAIN STATEMENT SET BEGIN …; END, and of CREATE TABLE … AS: the plan of each INSERT or query. */
final case class ExplainSet(texts: Seq[String]) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("plan" -> StringType)
  override def run(session: SparkSession): Seq[Row] = texts.flatMap(text => session.sql(s"EXPLAIN $text").collect())
}
