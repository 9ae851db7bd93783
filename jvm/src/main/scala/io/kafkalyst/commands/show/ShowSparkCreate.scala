package io.kafkalyst.commands
package show

import io.kafkalyst.catalog.{ObjectName, ObjectStore, StoredObject, TopicSource}
import io.kafkalyst.names.InternalSchema
import io.kafkalyst.query.QueryRecord
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.util.quoteIfNeeded
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.StringType

/**
 * Spark's SHOW CREATE TABLE of a topic. Spark's own text would lose the backslashes in the properties' JSON, and in a
 * cluster's catalog it would contain properties that Spark's CREATE TABLE refuses, so that the text is ksqlDB's
 * statement there.
 */
final case class ShowSparkCreate(parts: Seq[String]) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("createtab_stmt" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    val found = Commands.find(new ObjectStore(session), parts)
    if (found.name.isOfCluster)
      Seq(Row(KsqldbStatement.of(found.name.table, found.topic, found.comment, Some(found.name.database))))
    else Seq(Row(entry(found, session.sessionState.conf.redactOptions(properties(found)))))
  }

  /**
   * The properties without the object's query, which the statement would duplicate, and without those that Spark adds
   * itself.
   */
  private def properties(found: StoredObject): Map[String, String] =
    (found.properties -- QueryRecord.propertiesOf(found).keys - StoredObject.comment)
      .filterNot { case (name, _) => TopicSource.isSparkProperty(name) }

  private def entry(found: StoredObject, properties: Map[String, String]): String = {
    val columns = InternalSchema.of(found.topic.columns).map(f => s"${quoteIfNeeded(f.name)} ${f.dataType.sql}")
    val name = Seq(ObjectName.sessionCatalog, found.name.database, found.name.stored).map(quoteIfNeeded).mkString(".")
    val comment = found.comment.fold("")(c => s"COMMENT ${text(c)}\n")
    val all = properties.toSeq.sorted.map { case (key, value) => s"${text(key)} = ${text(value)}" }
    s"CREATE TABLE $name (\n  ${columns.mkString(",\n  ")})\nUSING ${TopicSource.name}\n${comment}TBLPROPERTIES (\n  " +
      s"${all.mkString(",\n  ")})\n"
  }

  private def text(value: String) = s"'${value.replace("\\", "\\\\").replace("'", "\\'")}'"
}
