package io.kafkalyst.commands

import io.kafkalyst.commands.show.ShowCreate
import io.kafkalyst.catalog.ObjectStore
import io.kafkalyst.model.Settings
import io.kafkalyst.model.flink.FlinkOptions
import org.apache.spark.sql.{Row, SparkSession}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.util.QuotingUtils.quoteIdentifier
import org.apache.spark.sql.execution.command.LeafRunnableCommand
import org.apache.spark.sql.types.StringType

/**
 * An element of Flink's CREATE TABLE between the parentheses.
 *
 * @param part one of [[TablePart]]
 * @param name a column's; empty for elements that a table has at most once
 * @param sql  as written
 */
final case class TableElement(part: String, name: String, sql: String)

/** The parts of a Flink table, by the names in its LIKE clause. */
object TablePart {

  /** A key or value column, which LIKE always includes. */
  val Column = "COLUMN"
  val Metadata = "METADATA"
  val Generated = "GENERATED"
  val Watermarks = "WATERMARKS"
  val Constraints = "CONSTRAINTS"
  val Options = "OPTIONS"
  val All = "ALL"

  val including = "INCLUDING"
  val excluding = "EXCLUDING"
  val overwriting = "OVERWRITING"

  private val replaceable = Seq(Generated, Metadata, Options, Watermarks)

  /** The features that LIKE may name; a topic's table has no partitions or distribution. */
  val features: Seq[String] = Seq(All, Constraints, "DISTRIBUTION", "PARTITIONS") ++ replaceable

  /** The merging strategies that LIKE allows for a feature. */
  def strategies(feature: String): Seq[String] =
    Seq(including, excluding) ++ (if (replaceable.contains(feature)) Seq(overwriting) else Nil)
}

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
    rules: Map[String, String]
) extends LeafRunnableCommand {
  override val output: Seq[Attribute] = Commands.output("status" -> StringType)

  override def run(session: SparkSession): Seq[Row] = {
    val like = Commands.find(new ObjectStore(session), source)
    val brokers = Commands.settings(session)(Settings.bootstrapServers)
    val (theirs, options) = ShowCreate.inFlink(like.name.table, like.topic, brokers)
    val head = "CREATE TABLE " + (if (ifNotExists) "IF NOT EXISTS " else "") + parts.map(quoteIdentifier).mkString(".")
    session.sql(ShowCreate.flinkStatement(head, all(theirs), merged(options))).collect().toSeq
  }

  private def rule(part: String) = rules.getOrElse(
    part,
    rules.getOrElse(TablePart.All, if (part == TablePart.Options) TablePart.overwriting else TablePart.including)
  )

  /** An overridden element keeps its position. CREATE rejects remaining duplicates. */
  private def all(theirs: Seq[TableElement]): Seq[TableElement] = {
    val taken = theirs.filter(e => e.part == TablePart.Column || rule(e.part) != TablePart.excluding)
    val replaced = taken.map { e =>
      if (rule(e.part) != TablePart.overwriting) e
      else elements.find(own => own.part == e.part && own.name == e.name).getOrElse(e)
    }
    replaced ++ elements.filterNot(replaced.contains)
  }

  private def merged(theirs: Seq[(String, String)]): Seq[(String, String)] = {
    val own = properties.map { case (name, value) => FlinkOptions.ofValue(name) -> value }
    rule(TablePart.Options) match {
      case TablePart.excluding => own
      case TablePart.overwriting => theirs.filterNot(o => own.exists(_._1 == o._1)) ++ own
      case _ => theirs ++ own
    }
  }
}
