package io.kafkalyst.commands

import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.joins.JoinRules
import io.kafkalyst.model.{Side, SideFormat, TopicColumn, TopicObject}
import io.kafkalyst.query.TopicStatement
import io.kafkalyst.streams.{AnalyzedQuery, PlanText}
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.catalyst.plans.logical.{Join, LogicalPlan}
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.StringType

/** A statement that starts a continuous query into a topic. */
trait QueryStatement extends TopicStatement {

  /** The query and the definition of its sink, checked without creating or starting anything. */
  private[commands] def checked(session: SparkSession): (AnalyzedQuery, TopicObject)
}

/**
 * EXPLAIN of a statement that starts a query into a topic: the query's plan, and which of its sources' keys are
 * rewritten as other bytes, and why. Runs all checks of the statement and creates nothing.
 */
final case class ExplainQueryStatement(statement: QueryStatement) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("plan" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    val (of, sink) = statement.checked(session)
    val lines = ExplainQueryStatement.keys(of.plan, of.sources, sink.key.format)
    Seq(Row(s"== Keys ==\n${lines.mkString("\n")}\n\n== Analyzed Logical Plan ==\n${PlanText.of(of.plan)}"))
  }
}

object ExplainQueryStatement {

  /** @param format the format of the sink's keys */
  private def keys(plan: LogicalPlan, sources: Seq[TopicTable], format: String): Seq[String] = {
    val left = sources.head
    def shown(as: SideFormat) =
      as.format + as.options.get(SideFormat.delimiter).fold("")(d => s" with the delimiter $d")
    val sink = s"The sink's keys are $format."
    val other =
      if (left.topic.key.format == format) None
      else Some(s"Keys of ${left.name} are ${shown(left.topic.key)} and are written again as $format.")
    // Joins compare key values, whatever their bytes; bytes change only on output, and on one side only.
    val right = sources.tail.filter(s => shown(s.topic.key) != shown(left.topic.key)).map { s =>
      s"Keys of ${s.name} are ${shown(s.topic.key)}, those of ${left.name} ${shown(left.topic.key)}: where key formats " +
        s"differ the right side is re-keyed, so ${s.name} takes the key format of ${left.name}."
    }
    val moved = plan.collect { case join: Join => join }.flatMap { join =>
      JoinRules.pairs(join).flatMap { case (l, r) => Seq(l, r) }.filterNot(isKey).map { e =>
        s"Rows are re-keyed by ${JoinRules.external(e)}, as the join asks for it and it is not a key of its source."
      }
    }
    (sink +: (other.toSeq ++ right ++ moved)).distinct
  }

  private def isKey(e: Expression): Boolean = e match {
    case a: Attribute => TopicColumn.sideOf(a.metadata) == Side.Key
    case _ => false
  }
}
