package io.kafkalyst.commands
package show

import java.util.Locale

import io.kafkalyst.catalog.ObjectStore
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.settings.Settings
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.StringType

/**
 * SHOW CREATE STREAM|TABLE name AS KSQLDB|FLINK: the statement that recreates the object in that dialect. Kafkalyst's
 * own properties are in a comment before it.
 */
final case class ShowCreate(parts: Seq[String], dialect: String) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("createtab_stmt" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    val store = new ObjectStore(session)
    val found = Commands.find(store, parts)
    dialect.toUpperCase(Locale.ROOT) match {
      case "KSQLDB" => Seq(Row(KsqldbStatement.of(found.name.table, found.topic, found.comment)))
      case "FLINK" =>
        val brokers = store.settings(found.name)(Settings.bootstrapServers)
        Seq(Row(FlinkStatement.of(found.name.table, found.topic, brokers, found.comment)))
      case _ => throw KafkalystException("UNKNOWN_DIALECT", "dialect" -> dialect)
    }
  }
}
