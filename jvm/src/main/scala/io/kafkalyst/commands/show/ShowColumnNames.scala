package io.kafkalyst.commands
package show

import io.kafkalyst.catalog.ObjectStore
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.util.StringUtils
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.StringType

/**
 * SHOW COLUMNS of a topic, including computed columns.
 *
 * @param like an SQL pattern for the names, and whether names must match it; None for all names
 */
final case class ShowColumnNames(parts: Seq[String], like: Option[(String, Boolean)] = None)
    extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("col_name" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    val o = Commands.find(new ObjectStore(session), parts).topic
    val names = o.computed.foldLeft(o.columns.map(_.name))((columns, c) => columns.patch(c.place, Seq(c.name), 0))
    names.filter(name =>
      like.forall { case (pattern, isWanted) => name.matches(StringUtils.escapeLikeRegex(pattern, '\\')) == isWanted }
    ).map(Row(_))
  }
}
