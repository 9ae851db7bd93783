package io.kafkalyst.commands
package flink

import io.kafkalyst.commands.show.FlinkStatement
import io.kafkalyst.catalog.ObjectStore
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.flink.{FlinkOptions, FlinkProperties, TableElement, TablePart}
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.StringType

/**
 * Flink's CREATE TABLE … LIKE: the statement that created the other object, with this statement's additions and
 * overrides.
 *
 * @param rules INCLUDING, EXCLUDING or OVERWRITING by part
 */
final case class CreateLike(
    parts: Seq[String],
    ifNotExists: Boolean,
    elements: Seq[TableElement],
    properties: Seq[(String, String)],
    source: Seq[String],
    rules: Map[String, String],
    temporary: Boolean = false
) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("status" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    val store = new ObjectStore(session)
    val like = Commands.find(store, source)
    val target = store.name(parts).fold(store.settings)(store.settings)
    val brokers = target(Settings.bootstrapServers)
    val (theirs, options) = FlinkStatement.parts(like.name.table, like.topic, brokers)
    val words = Seq("CREATE") ++ Option.when(temporary)("TEMPORARY") ++ Seq("TABLE") ++
      Option.when(ifNotExists)("IF NOT EXISTS")
    val head = s"${words.mkString(" ")} ${parts.map(quoteIdentifier).mkString(".")}"
    session.sql(FlinkStatement.write(head, all(theirs), merged(options))).collect().toSeq
  }

  private def rule(part: String) = rules.getOrElse(
    part,
    rules.getOrElse(TablePart.All, if (part == TablePart.Options) TablePart.overwriting else TablePart.including)
  )

  /** An overridden element keeps its position. CREATE rejects any duplicates that remain. */
  private def all(theirs: Seq[TableElement]): Seq[TableElement] = {
    val taken = theirs.filter(e => e.part == TablePart.Column || rule(e.part) != TablePart.excluding)
    val replaced = taken.map { e =>
      if (rule(e.part) != TablePart.overwriting) e
      else elements.find(own => own.part == e.part && own.name == e.name).getOrElse(e)
    }
    replaced ++ elements.filterNot(replaced.contains)
  }

  private def merged(given: Seq[(String, String)]): Seq[(String, String)] = {
    val (partitions, theirs) = given.partition(o => isPartitions(o._1))
    val (ownPartitions, own) =
      properties.map { case (name, value) => FlinkOptions.ofValue(name) -> value }.partition(o => isPartitions(o._1))
    val taken = if (rule(TablePart.Partitions) == TablePart.excluding) Nil else partitions
    if (taken.nonEmpty && ownPartitions.nonEmpty) throw KafkalystException(
      "FLINK_OPTION",
      "option" -> "PARTITIONED BY",
      "reason" -> s"${source.mkString(".")} has partitions, too; say EXCLUDING PARTITIONS to have only these"
    )
    val options = rule(TablePart.Options) match {
      case TablePart.excluding =>
        if (!FlinkOptions.isFlink(own)) throw KafkalystException(
          "FLINK_OPTION",
          "option" -> FlinkOptions.connector,
          "reason" -> ("it is missing: with EXCLUDING OPTIONS the table has none of the other's options. Give 'connector', " +
            "'topic' and the formats in WITH")
        )
        own
      case TablePart.overwriting => theirs.filterNot(o => own.exists(_._1 == o._1)) ++ own
      case _ => theirs ++ own
    }
    options ++ taken ++ ownPartitions
  }

  private def isPartitions(option: String) = option.equalsIgnoreCase(FlinkProperties.partitionedBy.name)
}
