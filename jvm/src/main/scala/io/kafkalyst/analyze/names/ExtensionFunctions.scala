package io.kafkalyst.analyze
package names

import java.util.Locale

import io.kafkalyst.functions.{KafkaFunctions, KsqlCall, KsqlFunction, KsqlFunctions, VersionFunction}
import io.kafkalyst.functions.flink.FlinkFunctions
import io.kafkalyst.keys.AsValue
import org.apache.spark.sql.{AnalysisException, SparkSession, SparkSessionExtensions}
import org.apache.spark.sql.catalyst.analysis.{AnalysisContext, UnresolvedFunction}
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo}
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.catalyst.plans.logical.{AlterViewAs, CreateView, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.CurrentOrigin
import org.apache.spark.sql.catalyst.trees.TreePattern.UNRESOLVED_FUNCTION
import org.apache.spark.sql.catalyst.util.quoteIfNeeded

import scala.util.Try

/**
 * Spark treats an extension's functions as temporary: they hide permanent functions of the same name, and views cannot
 * use them. This rule prefers a user's permanent function, and makes Kafkalyst's functions available in views.
 */
final class ExtensionFunctions(session: SparkSession) extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    val ofView = AnalysisContext.get.catalogAndNamespace
    val isView = ofView.nonEmpty || plan.isInstanceOf[CreateView] || plan.isInstanceOf[AlterViewAs]
    def path =
      if (ofView.nonEmpty) ofView.map(quoteIfNeeded).mkString(".")
      else s"${quoteIfNeeded(session.catalog.currentCatalog())}.${session.catalog.currentDatabase}"
    plan.transformDownWithSubqueriesAndPruning(_.containsPattern(UNRESOLVED_FUNCTION)) {
      case operator => operator.transformExpressionsWithPruning(_.containsPattern(UNRESOLVED_FUNCTION)) {
          case call: UnresolvedFunction if isPlain(call) =>
            ours(call.nameParts.head).fold(call: Expression) { function =>
              val permanent = s"$path.${quoteIfNeeded(call.nameParts.head)}"
              if (exists(permanent)) named(permanent, call)
              else if (isView) KsqlCall(function, call.arguments)
              else call
            }
        }
    }
  }

  /** A name of one part and no further clauses. The type of the IGNORE NULLS field differs since Spark 4.2. */
  private def isPlain(call: UnresolvedFunction) = call.nameParts.size == 1 && call.filter.isEmpty &&
    call.orderingWithinGroup.isEmpty && !call.productIterator.exists(flag => flag == true || flag == Some(true))

  /** The call under another name. Spark's parser creates it, because the class differs between versions. */
  private def named(name: String, call: UnresolvedFunction) = CurrentOrigin.withOrigin(call.origin) {
    val places = call.arguments.map(_ => "NULL").mkString("(", ", ", ")")
    CatalystSqlParser.parseExpression(name + places).withNewChildren(call.arguments)
  }

  /** Kafkalyst's function of that name, unless a temporary function replaces it in this session. */
  private def ours(name: String) = ExtensionFunctions.find(name).filter { function =>
    val found = Try(session.catalog.getFunction(quoteIfNeeded(name))).toOption
    found.forall(f => !f.isTemporary || f.description == function.usage)
  }

  /** Whether a permanent function exists; false in catalogs without functions, such as a cluster's. */
  private def exists(name: String) =
    try session.catalog.functionExists(name)
    catch { case _: AnalysisException => false }
}

object ExtensionFunctions {

  /** All functions that are available in every statement; the first marks a sink's value column. */
  val all: Seq[SparkSessionExtensions#FunctionDescription] =
    Seq(AsValue.description) ++ (ksqls ++ FlinkFunctions.everywhere).map(_.description) ++
      KafkaFunctions.all :+ VersionFunction.description

  /** ksqlDB's functions that Flink lacks. Where both have a function, Flink's handles both dialects. */
  private def ksqls = KsqlFunctions.everywhere.filterNot(f => FlinkFunctions.everywhere.exists(_.name == f.name))

  private val byName =
    all.map { case (name, info, build) => name.funcName -> new KsqlFunction(name.funcName, info.getUsage)(build) }.toMap

  /** Whether a function has this name. */
  def isOne(name: String): Boolean = find(name).isDefined

  /** Whether the registry's entry is one of these functions, and not a user's of the same name. */
  def isDescribedBy(info: ExpressionInfo): Boolean = all.exists(_._2 eq info)

  private def find(name: String): Option[KsqlFunction] = byName.get(name.toLowerCase(Locale.ROOT))
}
