package io.kafkalyst.commands
package show

import java.util.Locale

import io.kafkalyst.functions.KsqlFunctions
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.StringType

/**
 * LIST FUNCTIONS: the functions of ksqlDB's language. SHOW FUNCTIONS is Spark's statement and lists Spark's functions.
 */
final case class ListFunctions(listed: Listed) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("function" -> StringType, "kind" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    val rows = KsqlFunctions.all.map(_.name) ++ KsqlFunctions.sharedWithSpark
    val all = rows.map(name => name -> (if (KsqlFunctions.isAggregate(name)) "AGGREGATE" else "SCALAR")) ++
      KsqlFunctions.tableFunctions.map(_ -> "TABLE")
    listed(all.map { case (name, kind) => name.toUpperCase(Locale.ROOT) -> kind }.distinct.sorted)(_._1)
      .map { case (name, kind) => Row(name, kind) }
  }
}
