package io.kafkalyst.model
package flink

import java.util.Locale

import org.apache.kafka.clients.admin.AdminClientConfig
import org.apache.kafka.clients.consumer.ConsumerConfig
import org.apache.kafka.clients.producer.ProducerConfig
import org.apache.kafka.common.config.{ConfigDef, ConfigException}

import scala.jdk.CollectionConverters._

/**
 * The properties of a WITH clause that come from Flink's Kafka connector, except those for the start and end of
 * reading; a part of [[Properties]]. Source: the options of Flink's kafka and upsert-kafka connectors, FLIP-107.
 */
object FlinkProperties {
  import PropertyChecks._

  /** A note to the user on a start mode: `latest-offset` applies to unbounded reads only. */
  def startNote(mode: String): Option[String] = Option.when(mode.equalsIgnoreCase("latest-offset"))(
    "'latest-offset' is where reads without end begin: a SELECT that ends reads from the earliest record on"
  )

  /** Checks a regular expression. */
  private[model] def expression(text: String): Option[String] =
    try { java.util.regex.Pattern.compile(text); notBlank(text) }
    catch { case e: java.util.regex.PatternSyntaxException => Some(e.getDescription) }

  val topicPattern: Property = Property(
    "TOPIC-PATTERN",
    "Instead of a topic: a regular expression for the whole names of the topics to read.",
    expression,
    kept = true
  )
  val valueFieldsInclude: Property = Property(
    "VALUE.FIELDS-INCLUDE",
    "`ALL`: the value has the key's columns too, and they are read from there. Default: `EXCEPT_KEY`.",
    oneOf("ALL", "EXCEPT_KEY"),
    kept = true
  )
  val keyFields: Property = Property(
    "KEY.FIELDS",
    "The key's columns in the key's order, separated by `;`.",
    notBlank,
    kept = true
  )
  val keyFieldsPrefix: Property = Property(
    "KEY.FIELDS-PREFIX",
    "Prefix of the key's columns that their fields in the key do not have.",
    notBlank,
    kept = true
  )
  val verifyIntegrity: Property = Property(
    "FIELDS.VERIFY-INTEGRITY",
    "`true`: a record whose value contradicts its key in a key column cannot be decoded; a key column that the " +
      "value lacks is the key's. With `VALUE.FIELDS-INCLUDE` = `ALL`.",
    flag,
    kept = true
  )
  val emptyRecords: Property = Property(
    "SCAN.EMPTY-RECORDS",
    "Records of a STREAM without a value, and those without a key where it has columns: `row` (default): the side's " +
      "columns are NULL; `skip`: they have no row, and the metric `recordsDropped` counts them; not for sides of " +
      "the format KAFKA. Of a TABLE, those without a key.",
    oneOf("row", "skip"),
    kept = true
  )
  val combinedChanges: Property = Property(
    "CHANGES.COMBINED",
    "What groups, joins and the like over a STREAM of change data capture see: `changes` (default): every change as a " +
      "row; `rows`: the current rows, unless the query names `_op`.",
    oneOf("changes", "rows"),
    kept = true
  )
  val endOffsets: Property = Property(
    "SCAN.BOUNDED.SPECIFIC-OFFSETS",
    "Where the bounded mode `specific-offsets` ends, exclusive: " +
      "`partition:0,offset:42;partition:1,offset:300`. Other partitions are not read.",
    text => if (OffsetsText.offsets(text).isDefined) None else Some(OffsetsText.form),
    kept = true
  )
  val partitionedBy: Property = Property(
    "PARTITIONED.BY",
    "The columns of Flink's PARTITIONED BY, separated by `;`. Such a table is only read, as in Flink.",
    notBlank,
    kept = true
  )
  val schemaInclude: Property = Property(
    "VALUE.SCHEMA-INCLUDE",
    "`true`: Debezium's events have their schema. They are read either way, and no rows are written, as in Flink.",
    flag,
    kept = true
  )

  val all: Seq[Property] = Seq(
    valueFieldsInclude,
    topicPattern,
    keyFields,
    keyFieldsPrefix,
    verifyIntegrity,
    emptyRecords,
    combinedChanges,
    endOffsets,
    partitionedBy,
    schemaInclude
  )

  /** Why no rows are written to an object that Flink's connector only reads. */
  def notWritten(options: Map[String, String]): Option[String] =
    options.get(partitionedBy.name).map(columns =>
      s"it is PARTITIONED BY (${list(columns).mkString(", ")}), and Flink's Kafka connector only reads such tables. Write " +
        "into a table over its topic without PARTITIONED BY, such as CREATE TABLE … LIKE it (EXCLUDING PARTITIONS): a " +
        "record's partition follows from the columns in 'key.fields'"
    ).orElse(options.get(schemaInclude.name).filter(_.equalsIgnoreCase("true")).map(_ =>
      "it has 'debezium-json.schema-include' = 'true', and events are written without a schema. Write " +
        "into a table over its topic without that option"
    ))

  /** Values that have the same meaning as an absent property. */
  def defaults: Map[String, String] = Map(
    valueFieldsInclude.name -> "EXCEPT_KEY",
    emptyRecords.name -> "row",
    combinedChanges.name -> "changes",
    verifyIntegrity.name -> "false",
    schemaInclude.name -> "false"
  )

  /** Prefix of properties for the Kafka clients that read and write the object. */
  val clientPrefix = "PROPERTIES."

  /** A client property with its own meaning: the consumer group whose offsets `group-offsets` uses. */
  val group: String = clientPrefix + "GROUP.ID"

  /** Where `group-offsets` starts in a partition without a committed offset: `earliest`, `latest` or `none`. */
  val reset: String = clientPrefix + "AUTO.OFFSET.RESET"

  private lazy val clientKeys =
    Seq(ConsumerConfig.configDef, ProducerConfig.configDef, AdminClientConfig.configDef).map(_.configKeys.asScala)

  /** The error for an invalid client value; None if it is valid, or if the property is unknown or loads a class. */
  def clientFault(property: String, value: String): Option[String] = {
    val name = property.stripPrefix(clientPrefix).toLowerCase(Locale.ROOT)
    clientKeys.flatMap(_.get(name)).filter(_.`type` != ConfigDef.Type.CLASS).flatMap { key =>
      try {
        val parsed = ConfigDef.parseType(name, value, key.`type`)
        Option(key.validator).foreach(_.ensureValid(name, parsed))
        None
      } catch { case e: ConfigException => Some(e.getMessage) }
    }.headOption
  }

  /** Why a name in a list of key columns is invalid. */
  def notPhysical(name: String, physical: Seq[String]): String = {
    val separator = if (name.contains(',')) "; the names in the list are separated by ';'" else ""
    s"$name is not a column of key or value; those are ${physical.mkString(", ")}$separator"
  }

  /** The parts of a list such as `a; b`. */
  def list(text: String): Seq[String] = text.split(';').toSeq.map(_.trim).filter(_.nonEmpty)
}
