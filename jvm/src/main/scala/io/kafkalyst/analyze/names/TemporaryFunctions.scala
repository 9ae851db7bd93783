package io.kafkalyst.analyze
package names

import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.trees.TreePattern.COMMAND
import org.apache.spark.sql.execution.command.{
  CreateFunctionCommand,
  CreateSQLFunctionCommand,
  LeafRunnableCommand,
  RunnableCommand
}

/**
 * A temporary function of the user takes the place of Kafkalyst's function of the same name: names that Spark leaves to
 * its users stay theirs.
 */
object TemporaryFunctions extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperatorsWithPruning(_.containsPattern(COMMAND)) {
    case c: CreateFunctionCommand if c.isTemp && isOurs(c.identifier) => InPlaceOfOurs(c.identifier, c)
    case c: CreateSQLFunctionCommand if c.isTemp && isOurs(c.name) => InPlaceOfOurs(c.name, c)
  }

  private def isOurs(name: FunctionIdentifier): Boolean =
    name.database.isEmpty && ExtensionFunctions.isOne(name.funcName)

  /** Runs Spark's command after taking Kafkalyst's function out of this session's registry; puts it back on failure. */
  final case class InPlaceOfOurs(function: FunctionIdentifier, create: RunnableCommand) extends LeafRunnableCommand {
    override def run(session: SparkSession): Seq[Row] = {
      val registry = session.sessionState.functionRegistry
      // Spark 4.2 keeps an extension's functions under a longer name.
      val found = registry.listFunction().filter { name =>
        name.funcName.equalsIgnoreCase(function.funcName) &&
        registry.lookupFunction(name).exists(ExtensionFunctions.isDescribedBy)
      }
      val taken = found.map(name => (name, registry.lookupFunction(name), registry.lookupFunctionBuilder(name)))
      taken.foreach { case (name, _, _) => registry.dropFunction(name) }
      try create.run(session)
      catch {
        case e: Throwable =>
          taken.foreach { case (name, info, build) => registry.registerFunction(name, info.get, build.get) }
          throw e
      }
    }
  }
}
