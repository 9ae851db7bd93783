package io.kafkalyst.commands

import io.kafkalyst.streams.PlanText
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{ExecutableDuringAnalysis, LogicalPlan, SupervisingCommand}
import org.apache.spark.sql.execution.{CommandExecutionMode, ExtendedMode}
import org.apache.spark.sql.execution.command.{ExplainCommand, RunnableCommand}

import scala.util.control.NonFatal

/** Spark's EXPLAIN with the user's names; EXTENDED also shows the internal names. */
final case class ExplainPlan(explain: ExplainCommand) extends RunnableCommand with SupervisingCommand {
  override val output: Seq[Attribute] = explain.output

  /** As in Spark's EXPLAIN: Spark 4.0 moves the arguments of `spark.sql(text, args)` to the statement's plan. */
  override def withTransformedSupervisedPlan(transformer: LogicalPlan => LogicalPlan): LogicalPlan =
    ExplainPlan(ExplainCommand(transformer(explain.logicalPlan), explain.mode))

  override def run(session: SparkSession): Seq[Row] =
    try {
      val plan = explain.logicalPlan.transform { case during: ExecutableDuringAnalysis => during.stageForExplain() }
      val execution = session.sessionState.executePlan(plan, CommandExecutionMode.SKIP)
      val text = execution.explainString(explain.mode)
      val plans = Seq(execution.analyzed, execution.optimizedPlan)
      val mapping = if (explain.mode == ExtendedMode) PlanText.mapping(plans) else Nil
      val names = if (mapping.isEmpty) "" else mapping.mkString("\n== Internal Names ==\n", "\n", "\n")
      Seq(Row(PlanText.named(text, plans) + names))
    } catch { case NonFatal(_) => explain.run(session) } // Spark reports the error
}
