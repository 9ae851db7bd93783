package io.kafkalyst.model

import java.util.Locale

import io.kafkalyst.errors.{Conditions, KafkalystException}

/**
 * Flink's connector options as ours: `WITH ('connector' = 'kafka', 'topic' = …, …)`. Source: the options of Flink's
 * Kafka and upsert-kafka connectors.
 *
 * @param isUpsert   whether it is `upsert-kafka`: a table of the latest row per key
 * @param properties our properties, by name
 * @param keyFields  columns that are the key, in the key's order; empty where there is none
 * @param brokers    `properties.bootstrap.servers`, which is set per session
 */
final case class FlinkOptions(
    isUpsert: Boolean,
    properties: Seq[(String, String)],
    keyFields: Seq[String],
    brokers: Option[String]
)

object FlinkOptions {
  private val connector = "connector"

  /** Options that are our properties by another name. */
  private val renamed: Seq[(String, Property)] = Seq(
    "topic" -> Properties.topic,
    "format" -> Properties.valueFormat,
    "value.format" -> Properties.valueFormat,
    "key.format" -> Properties.keyFormat
  )

  /** Flink's names of formats that have another one here. */
  private val formats =
    Map("avro-confluent" -> "AVRO", "raw" -> "KAFKA", "csv" -> "DELIMITED", "protobuf-confluent" -> "PROTOBUF")

  /** What Flink calls a format of ours. */
  def formatName(ours: String): String = formats.collectFirst { case (theirs, `ours`) => theirs }
    .getOrElse(ours.toLowerCase(Locale.ROOT))

  /** Without effect: positions are kept in checkpoints, and no group is joined. */
  private val ignored = Set("properties.group.id")

  private val keyFields = "key.fields"
  private val brokers = "properties.bootstrap.servers"

  private def known: Seq[String] =
    (connector +: renamed.map(_._1)) ++ Seq(keyFields, brokers) ++ ignored ++
      Properties.kept.map(_.name.toLowerCase(Locale.ROOT))

  /** Whether a WITH clause is Flink's. */
  def isFlink(given: Seq[(String, String)]): Boolean = given.exists(_._1 == connector)

  /**
   * @param given      the WITH clause of a statement with a connector
   * @param primaryKey the columns of PRIMARY KEY, if there is one
   * @throws io.kafkalyst.errors.KafkalystException FLINK_OPTION naming the option and what is wrong with it
   */
  def of(given: Seq[(String, String)], primaryKey: Seq[String]): FlinkOptions = {
    given.groupBy(_._1).collectFirst { case (name, many) if many.size > 1 => name }.foreach { name =>
      throw KafkalystException("DUPLICATE_PROPERTY", "property" -> name)
    }
    val options = given.toMap
    val isUpsert = options(connector) match {
      case "kafka" => false
      case "upsert-kafka" => true
      case other => refuse(connector, s"'$other' is no connector of topics; kafka and upsert-kafka are")
    }
    if (options.contains("format") && options.contains("value.format")) refuse("format", "value.format says the same")
    val keys =
      if (isUpsert) upsertKeys(options, primaryKey)
      else {
        if (primaryKey.nonEmpty) {
          refuse(connector, "a PRIMARY KEY needs 'upsert-kafka'; the key of 'kafka' is given by 'key.fields'")
        }
        val listed = list(options.getOrElse(keyFields, ""))
        if (listed.nonEmpty && !options.contains("key.format")) refuse(keyFields, "it needs 'key.format'")
        if (listed.isEmpty && options.contains("key.format")) refuse("key.format", "it needs 'key.fields'")
        listed
      }
    val all = Properties.valueFieldsInclude.name.toLowerCase(Locale.ROOT)
    // Flink's default: the key's columns stand in the value too.
    val defaults = if (keys.isEmpty || options.contains(all)) Nil else Seq(all -> "ALL")
    FlinkOptions(
      isUpsert,
      (options - connector - keyFields - brokers).toSeq.flatMap { case (name, value) => ours(name, value) } ++ defaults,
      keys,
      options.get(brokers)
    )
  }

  private def upsertKeys(options: Map[String, String], primaryKey: Seq[String]): Seq[String] = {
    if (primaryKey.isEmpty) refuse(connector, "'upsert-kafka' needs a PRIMARY KEY (…) NOT ENFORCED")
    (keyFields +: options.keys.filter(_.startsWith("scan.startup.")).toSeq :+ "format").find(options.contains).foreach {
      name => refuse(name, "'upsert-kafka' has no such option")
    }
    Seq("key.format", "value.format").find(!options.contains(_)).foreach { name =>
      refuse(name, "'upsert-kafka' needs it")
    }
    primaryKey
  }

  private def ours(name: String, value: String): Option[(String, String)] =
    renamed.find(_._1 == name) match {
      case Some((_, property)) if name == "topic" =>
        if (value.contains(';')) refuse(name, "one topic is read per table")
        Some(property.name -> value)
      case Some((_, property)) => Some(property.name -> formats.getOrElse(value, value.toUpperCase(Locale.ROOT)))
      case None if ignored(name) => None
      case None if name.startsWith("properties.") =>
        refuse(name, s"clients are set per session: SET ${Settings.clientPrefix}${name.stripPrefix("properties.")}")
      case None if Properties.kept.exists(_.name.equalsIgnoreCase(name)) => Some(name -> value)
      case None =>
        refuse(name, s"there is no such option.${Conditions.nearest(name, known)} Known are: ${known.mkString(", ")}")
    }

  /** The parts of a list such as `a; b`. */
  private def list(text: String): Seq[String] = text.split(';').toSeq.map(_.trim).filter(_.nonEmpty)

  private def refuse(name: String, reason: String): Nothing =
    throw KafkalystException("FLINK_OPTION", "option" -> name, "reason" -> reason)
}
