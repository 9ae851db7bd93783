package io.kafkalyst.analyze

import io.kafkalyst.analyze.names.{
  BareColumns,
  ExactNames,
  ExtensionFunctions,
  FlinkNames,
  QuotedNames,
  ResolveExact,
  ResolveFlinkCalls,
  ResolveNested
}
import io.kafkalyst.analyze.sinks.{NameSinkColumns, RefusedChanges}
import io.kafkalyst.analyze.statements.{ComputedNames, DroppedSchemas, EarlyArguments}
import io.kafkalyst.analyze.tables.{RefusedOnTopics, ResolvePushQueries, ResolveTopicTables, Unnest}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.analysis.{AnalysisContext, CTESubstitution, PlanWithUnresolvedIdentifier}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule

import scala.annotation.tailrec

/** The rules that run after CTE substitution and before Spark resolves names, in order. */
object BeforeSpark {
  val rules: Seq[SparkSession => Rule[LogicalPlan]] = Seq(
    _ => EarlyArguments,
    _ => ComputedNames,
    session => new DroppedSchemas(session),
    session => new Unnest(session),
    session => new ResolvePushQueries(session),
    session => new ResolveTopicTables(session),
    session => new FlinkNames(session),
    session => new RefusedOnTopics(session),
    _ => RefusedChanges.OfMerges,
    session => new ResolveFlinkCalls(session),
    session => new ExtensionFunctions(session),
    session => new QuotedNames(session),
    _ => BareColumns,
    session => new ExactNames(session),
    _ => ResolveNested,
    _ => ResolveExact,
    _ => NameSinkColumns
  )

  /** Whether the session's analyzer lacks the batch of injected hint rules, as with Hive's catalog. */
  def isByHand(session: SparkSession): Boolean = session.conf.get("spark.sql.catalogImplementation") == "hive"

  /**
   * Applies the rules to a parsed plan if the session's analyzer does not: with Hive's catalog, it has no batch of
   * injected hint rules in any supported version. What `IDENTIFIER(…)` names is known to Spark's analysis only.
   */
  def byHand(session: SparkSession): LogicalPlan => LogicalPlan = {
    lazy val made = rules.map(_(session))
    @tailrec def fixed(plan: LogicalPlan): LogicalPlan = {
      val next = made.foldLeft(plan)((p, rule) => rule(p))
      if (next.fastEquals(plan)) plan else fixed(next)
    }
    def early(plan: LogicalPlan): LogicalPlan = fixed(named(ComputedNames(CTESubstitution(plan))))
    def named(plan: LogicalPlan) = plan.transformDownWithSubqueries { case p: PlanWithUnresolvedIdentifier =>
      new PlanWithUnresolvedIdentifier(p.identifierExpr, p.children, (name, on) => early(p.planBuilder(name, on)))
    }
    plan => if (isByHand(session)) early(plan) else plan
  }

  /** Applies the rules to the query of a view if the analyzer does not, resolving names in the view's own database. */
  final class InViews(session: SparkSession) extends Rule[LogicalPlan] {
    private lazy val isByHand = BeforeSpark.isByHand(session)
    private lazy val made = rules.map(_(session))

    override def apply(plan: LogicalPlan): LogicalPlan =
      if (plan.resolved || AnalysisContext.get.catalogAndNamespace.isEmpty || !isByHand) plan
      else made.foldLeft(plan)((p, rule) => rule(p))
  }
}
