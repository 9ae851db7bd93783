package io.kafkalyst.model
package flink

import java.util.Locale

import io.kafkalyst.model.settings.Setting
import io.kafkalyst.errors.{Conditions, KafkalystException, Redaction}

/**
 * Converts Flink's connector options: `WITH ('connector' = 'kafka', 'topic' = …, …)`. Source: the options of Flink's
 * Kafka and upsert-kafka connectors.
 *
 * @param isTable    whether it is a table of the latest row per key: `upsert-kafka`, or a PRIMARY KEY over events
 * @param properties Kafkalyst properties, by name
 * @param keyFields  the key columns, in the key's order; empty if there is no key
 * @param brokers    `properties.bootstrap.servers`, which is set per session
 * @param registries registry addresses in format options, which are set per session
 */
final case class FlinkOptions(
    isTable: Boolean,
    properties: Seq[(String, String)],
    keyFields: Seq[String],
    brokers: Option[String],
    registries: Seq[String]
)

object FlinkOptions {
  val connector = "connector"
  private val keyFields = "key.fields"
  private val brokers = "properties.bootstrap.servers"

  /** Flink's changelog formats, whose rows are not only inserts. */
  private val events = Map(
    "debezium-json" -> "DEBEZIUM_JSON",
    "debezium-avro-confluent" -> "DEBEZIUM_AVRO",
    "canal-json" -> "CANAL_JSON",
    "maxwell-json" -> "MAXWELL_JSON",
    "ogg-json" -> "OGG_JSON"
  )

  /** Flink's names of formats that have another name here. */
  private val formats = events ++
    Map(
      "avro-confluent" -> "AVRO",
      "avro" -> "AVRO_NOSR",
      "raw" -> "KAFKA",
      "csv" -> "DELIMITED",
      "protobuf-confluent" -> "PROTOBUF"
    )

  /** Flink's name of a Kafkalyst format. */
  def formatName(ours: String): String = formats.collectFirst { case (theirs, `ours`) => theirs }
    .getOrElse(ours.toLowerCase(Locale.ROOT))

  private def formatOf(theirs: String): String =
    formats.getOrElse(theirs.toLowerCase(Locale.ROOT), theirs.toUpperCase(Locale.ROOT))

  /** The former name of sink.delivery-guarantee. */
  private val semantic = "sink.semantic"

  /** Client properties that reading and writing always override. */
  private val overridden = Set("key", "value").flatMap(side => Set(s"$side.deserializer", s"$side.serializer"))
    .map("properties." + _) + "properties.enable.auto.commit"

  /** Options of Flink's connectors and formats that are supported here. */
  private val known = Seq(
    connector,
    "topic",
    "topic-pattern",
    "format",
    "key.format",
    "value.format",
    keyFields,
    "key.fields-prefix",
    "value.fields-include",
    "fields.verify-integrity",
    "scan.startup.mode",
    "scan.startup.timestamp-millis",
    "scan.startup.specific-offsets",
    "scan.bounded.mode",
    "scan.bounded.timestamp-millis",
    "scan.bounded.specific-offsets",
    "properties.*",
    "json.ignore-parse-errors",
    "json.fail-on-missing-field",
    "json.timestamp-format.standard",
    "csv.field-delimiter",
    "csv.ignore-parse-errors",
    "csv.quote-character",
    "csv.disable-quote-character",
    "csv.escape-character",
    "csv.null-literal",
    "csv.allow-comments",
    "csv.array-element-delimiter",
    "raw.endianness",
    "raw.charset",
    "avro-confluent.url",
    "avro-confluent.subject",
    "sink.partitioner",
    "sink.delivery-guarantee",
    semantic
  ) ++ FlinkIgnored.names

  /** Properties that Flink sets through another option. */
  private val otherwise = Set(Properties.topic, Properties.keyFormat, Properties.valueFormat, Properties.format)

  /** Kafkalyst's own properties, accepted as options in addition to Flink's. */
  private val own: Seq[String] =
    Properties.all.filterNot(otherwise.contains).map(_.name.toLowerCase(Locale.ROOT)).filterNot(known.contains)

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
    val options = ofOneFormat(given.toMap)
    val isUpsert = options(connector) match {
      case "kafka" => false
      case "upsert-kafka" => true
      case other => refuse(connector, s"'$other' is not a connector of topics; kafka and upsert-kafka are")
    }
    options.keys.toSeq.sorted.foreach(requireKnown)
    for ((name, value) <- options.toSeq.sorted; fault <- FlinkIgnored.fault(name, value)) refuse(name, fault)
    val guarantee = Seq("sink.delivery-guarantee", semantic).flatMap(options.get)
    if (guarantee.exists(_.equalsIgnoreCase("exactly-once")) && !options.contains("sink.transactional-id-prefix"))
      refuse(
        "sink.transactional-id-prefix",
        "'exactly-once' needs it, in Flink; transactions have ids of their own here"
      )
    val isEvents =
      Seq("format", "value.format").flatMap(options.get).exists(f => events.values.exists(_ == formatOf(f)))
    options.get("key.format").filter(f => events.values.exists(_ == formatOf(f))).foreach { format =>
      refuse("key.format", s"'$format' is of change logs, and a key is only inserted")
    }
    if (isEvents && isUpsert) refuse("value.format", "'upsert-kafka' needs one that only inserts")
    val keys =
      if (isUpsert) upsertKeys(options, primaryKey)
      else if (isEvents && primaryKey.nonEmpty) eventKeys(options, primaryKey)
      else plainKeys(options, primaryKey)
    if (!Seq("format", "value.format").exists(options.contains)) refuse("format", "it is missing, as is value.format")
    prefix(options, keys)
    val mapped = options.toSeq.sorted.flatMap { case (name, value) => ofFormat(options, name, value) }
    options.keys.toSeq.sorted.collect {
      case name @ formatOptions(_, format) if ofFormat(options, name, options(name)).isEmpty =>
        refuse(
          name,
          s"options of '$format' go with 'format' = '$format', and with key. or value. before them with " +
            "'key.format' and 'value.format'"
        )
    }
    for (prefix <- Seq("", "key.", "value."); quote = s"${prefix}csv.quote-character" if options.contains(quote)) {
      if (options.get(s"${prefix}csv.disable-quote-character").exists(_.equalsIgnoreCase("true")))
        refuse(quote, "there is none with 'disable-quote-character' = 'true'")
    }
    Side.all.map(_.name.toUpperCase(Locale.ROOT)).foreach { side =>
      def isSet(option: String) = mapped.exists(_.properties.contains(s"${side}_$option" -> "true"))
      if (isSet(SideFormat.nullBadFields) && isSet(SideFormat.requireFields))
        refuse("json.ignore-parse-errors", "it and fail-on-missing-field cannot both be true")
    }
    val isLog =
      isEvents && primaryKey.isEmpty && !options.contains(FlinkProperties.combinedChanges.name.toLowerCase(Locale.ROOT))
    val combined = if (isLog) Seq(FlinkProperties.combinedChanges.name -> "rows") else Nil
    FlinkOptions(
      isUpsert || primaryKey.nonEmpty,
      completed(
        topics(options) ++ sides(options, keys) ++ plain(options) ++ mapped.flatMap(_.properties) ++ combined,
        keys
      ),
      keys,
      options.get(brokers),
      mapped.flatMap(_.registry)
    )
  }

  /**
   * Options for one query over an object, as Kafkalyst properties: all except topic and connector.
   *
   * @throws io.kafkalyst.errors.KafkalystException FLINK_OPTION
   */
  def ofQuery(given: Map[String, String], o: TopicObject): Map[String, String] = {
    val options = ofOneFormat(given.map { case (name, value) => name.toLowerCase(Locale.ROOT) -> value })
    val told = sidesOfQuery(options, o)
    val formats = Map(
      "key.format" -> told.getOrElse(Properties.keyFormat.name, o.key.format),
      "value.format" -> told.getOrElse(Properties.valueFormat.name, o.value.format)
    ).map { case (name, format) => name -> formatName(format) }
    val others =
      options.toSeq.sorted.filterNot(option => sideOptions.contains(option._1)).flatMap { case (name, value) =>
        if (name == brokers) refuse(name, "brokers are set per session")
        val isRead = Seq("scan.", "sink.", "properties.").exists(name.startsWith) || readOptions.contains(name)
        ofFormat(formats + ("format" -> formats("value.format")), name, value).map(_.properties).getOrElse {
          if (name == queryId) refuse(name, "it names a continuous query: end the statement with EMIT CHANGES")
          if (!isRead && (known.contains(name) || own.contains(name)))
            refuse(name, "it is part of the table's definition, and not of a query over it")
          requireKnown(name)
          plain(Map(name -> value))
        }
      }
    told ++ others.map { case (name, value) => name.toUpperCase(Locale.ROOT) -> value }
  }

  /** In Flink, `format` wins over `value.format`; `upsert-kafka` has no `format`, and rejects it. */
  private def ofOneFormat(options: Map[String, String]): Map[String, String] =
    if (options.contains("format") && !options.get(connector).contains("upsert-kafka")) options - "value.format"
    else options

  // Only for continuous INSERTs: those of ksqlDB, and those into tables of other catalogs.
  private val queryId = "query_id"

  private val sideOptions = Seq("format", "value.format", "key.format", keyFields, "key.fields-prefix")

  /** Formats and key columns, with Flink's defaults. */
  private def sidesOfQuery(options: Map[String, String], o: TopicObject): Map[String, String] =
    if (!sideOptions.exists(options.contains)) Map.empty
    else {
      val before = o.columns.filter(_.isIn(Side.Key)).map(_.name)
      val keys = options.get(keyFields).map(FlinkProperties.list)
      if (keys.exists(_.nonEmpty) && before.isEmpty && !options.contains("key.format"))
        refuse(keyFields, "it needs 'key.format'")
      if (keys.getOrElse(before).isEmpty && options.contains("key.format"))
        refuse("key.format", "it needs 'key.fields'")
      val include = FlinkProperties.valueFieldsInclude.name
      prefix(o.options.get(include).map("value.fields-include" -> _).toMap ++ options, keys.getOrElse(before))
      val said = sides(options, keys.getOrElse(before)) ++
        keys.map(_ => keyFields -> options(keyFields)) ++ plain(options.filter(_._1 == "key.fields-prefix"))
      val isAll = keys.isDefined && !options.contains("value.fields-include") && !o.options.contains(include)
      // A topic's own rule for empty records is preserved.
      completed(said, if (isAll) keys.get else Nil).toMap.map { case (name, value) =>
        name.toUpperCase(Locale.ROOT) -> value
      } - FlinkProperties.emptyRecords.name
    }

  private val readOptions = Seq(
    Properties.onError,
    FlinkProperties.valueFieldsInclude,
    FlinkProperties.verifyIntegrity
  ).map(_.name.toLowerCase(Locale.ROOT))

  private def upsertKeys(options: Map[String, String], primaryKey: Seq[String]): Seq[String] = {
    if (primaryKey.isEmpty) refuse(connector, "'upsert-kafka' needs a PRIMARY KEY (…) NOT ENFORCED")
    (keyFields +: options.keys.toSeq.sorted.filter(_.startsWith("scan.startup.")) :+ "format")
      .find(options.contains).foreach(refuse(_, "'upsert-kafka' has no such option"))
    Seq("key.format", "value.format").find(!options.contains(_)).foreach(refuse(_, "'upsert-kafka' needs it"))
    val flush =
      Seq("sink.buffer-flush.max-rows", "sink.buffer-flush.interval").map(options.get(_).exists(FlinkIgnored.isSome))
    if (flush.distinct.size > 1)
      refuse("sink.buffer-flush", "max-rows and interval must both be above zero, or neither")
    primaryKey
  }

  /** Without `key.format` the key's columns are read from the event. */
  private def eventKeys(options: Map[String, String], primaryKey: Seq[String]): Seq[String] =
    if (!Seq(keyFields, "key.format").exists(options.contains)) primaryKey
    else {
      val listed = plainKeys(options, Nil)
      if (listed.toSet != primaryKey.toSet) refuse(keyFields, "its columns must be those of the PRIMARY KEY")
      listed
    }

  private def plainKeys(options: Map[String, String], primaryKey: Seq[String]): Seq[String] = {
    if (primaryKey.nonEmpty)
      refuse(connector, "a PRIMARY KEY needs 'upsert-kafka'; the key of 'kafka' is given by 'key.fields'")
    val listed = FlinkProperties.list(options.getOrElse(keyFields, "")).distinct
    if (listed.nonEmpty && !options.contains("key.format")) refuse(keyFields, "it needs 'key.format'")
    if (listed.isEmpty && options.contains("key.format")) refuse("key.format", "it needs 'key.fields'")
    options.keys.find(_.startsWith("sink.buffer-flush.")).foreach(refuse(_, "only 'upsert-kafka' has it"))
    listed
  }

  private def prefix(options: Map[String, String], keys: Seq[String]): Unit =
    options.get("key.fields-prefix").filter(_.nonEmpty).foreach { prefix =>
      keys.find(!_.startsWith(prefix)).foreach { key =>
        refuse("key.fields-prefix", s"the key's column $key does not begin with '$prefix', as all must")
      }
      if (!options.get("value.fields-include").exists(_.equalsIgnoreCase("EXCEPT_KEY")))
        refuse("key.fields-prefix", "it needs 'value.fields-include' = 'EXCEPT_KEY'")
    }

  private def topics(options: Map[String, String]): Seq[(String, String)] = {
    val several = (options.get("topic").map(FlinkProperties.list), options.get("topic-pattern")) match {
      case (Some(_), Some(_)) => refuse("topic-pattern", "'topic' says already what is read")
      case (None, None) => refuse("topic", "it is missing, as is topic-pattern")
      case (Some(Seq()), _) => refuse("topic", "it names no topic")
      case (Some(list), _) => Seq(Properties.topic.name -> list.distinct.mkString(";"))
      case (_, Some(pattern)) =>
        Seq(Properties.topic.name -> pattern, FlinkProperties.topicPattern.name -> pattern)
    }
    val isOne = several.size == 1 && !several.head._2.contains(';')
    Seq("scan.startup.specific-offsets", "scan.bounded.specific-offsets").filter(options.contains).foreach { name =>
      if (!isOne) refuse(name, "offsets are of one topic, and several are read")
    }
    several
  }

  private def sides(options: Map[String, String], keys: Seq[String]): Seq[(String, String)] = {
    val value =
      options.get("format").orElse(options.get("value.format")).map(Properties.valueFormat.name -> formatOf(_))
    val key = options.get("key.format").filter(_ => keys.nonEmpty).map(Properties.keyFormat.name -> formatOf(_))
    key.toSeq ++ value
  }

  /** An option of a format; None for any other. */
  private def ofFormat(options: Map[String, String], name: String, value: String): Option[FlinkFormatOptions.Mapped] =
    Seq(("", "format", Side.Value), ("value.", "value.format", Side.Value), ("key.", "key.format", Side.Key)).flatMap {
      case (prefix, by, side) =>
        options.get(by).map(_.toLowerCase(Locale.ROOT)).filter(f => name.startsWith(s"$prefix$f.")).map { format =>
          FlinkFormatOptions.of(side, format, name.stripPrefix(s"$prefix$format."), value)
            .fold(reason => refuse(name, reason), identity)
        }
    }.headOption

  private def isOurs(name: String) =
    Properties.isOne(name) && !otherwise.exists(_.name.equalsIgnoreCase(name))

  /** Whether a WITH clause has Flink's options, but neither a connector nor properties for topic and formats. */
  def lackConnector(names: Seq[String]): Boolean = {
    val said = Seq(Properties.topic, Properties.keyFormat, Properties.valueFormat)
    !names.exists(n => n == connector || said.exists(_.name.equalsIgnoreCase(n))) &&
    names.exists(n => isTheirs(n) && !n.startsWith("properties.") && !Properties.isOne(n))
  }

  /** Options that are properties under the same name. */
  private def plain(options: Map[String, String]): Seq[(String, String)] = options.toSeq.sorted.flatMap {
    case ("key.fields-prefix", "") => None
    case (name, _) if name == brokers || name == "topic-pattern" || name == keyFields || overridden(name) => None
    case (`semantic`, value) => plain(Map("sink.delivery-guarantee" -> value))
    // Acknowledged writes exceed what `none` requires.
    case ("sink.delivery-guarantee", none) if none.equalsIgnoreCase("none") =>
      Some("sink.delivery-guarantee" -> SinkProperties.atLeastOnce)
    case (name, value) if name.startsWith("properties.") =>
      if (Redaction.isSecret(name))
        refuse(name, s"secrets are set per session: SET ${Setting.clientPrefix}${name.stripPrefix("properties.")}")
      Some(name -> value)
    case (name, value) if !FlinkIgnored.names(name) && isOurs(name) => Some(name -> value)
    case _ => None
  }

  /** Formats without records, in which a single key column is bare. */
  private[model] val bare = Set("KAFKA", "DELIMITED", "NONE")

  /** Whether Flink has an option of that name. */
  def isTheirs(name: String): Boolean = name match {
    case formatOptions(_, _) => true
    case _ => known.contains(name) || name.startsWith("properties.")
  }

  /** Adds Flink's defaults. */
  private def completed(given: Seq[(String, String)], keys: Seq[String]): Seq[(String, String)] = {
    def isGiven(property: String) = given.exists(_._1.equalsIgnoreCase(property))
    def format(property: Property) = given.collectFirst { case (property.name, format) => format }
    val texts = Set("JSON", "DELIMITED", "DEBEZIUM_JSON", "CANAL_JSON", "MAXWELL_JSON", "OGG_JSON")
    val times = Side.all.filter(s => format(Properties.formatOf(s)).exists(texts)).map { side =>
      s"${side.name.toUpperCase(Locale.ROOT)}_${SideFormat.timestampStandard}" -> "SQL"
    }
    val coerced = Side.all.filter(s => format(Properties.formatOf(s)).exists(texts)).map { side =>
      s"${side.name.toUpperCase(Locale.ROOT)}_${SideFormat.coerce}" -> "true"
    }
    val empty = Side.all.filter(s => format(Properties.formatOf(s)).contains("DELIMITED")).map { side =>
      s"${side.name.toUpperCase(Locale.ROOT)}_${SideFormat.emptyIsNull}" -> "false"
    }
    val record = format(Properties.keyFormat).filterNot(bare).map(_ => Properties.keyFormatType.name -> "STRUCTURED")
      .filterNot(_ => isGiven(Properties.wrapKey.name))
    val include = if (keys.isEmpty) None else Some(FlinkProperties.valueFieldsInclude.name -> "ALL")
    val defaults = times ++ coerced ++ empty ++ record ++ include :+ (FlinkProperties.emptyRecords.name -> "skip")
    given ++ defaults.filterNot(d => isGiven(d._1))
  }

  private[flink] val formatOptions =
    ("(key\\.|value\\.)?(json|csv|raw|avro|avro-confluent|protobuf|protobuf-confluent|" + events.keys.mkString("|") +
      ")\\..+").r

  /** The name of a value option if its format is set by `value.format`. */
  def ofValue(name: String): String = name match {
    case "format" => "value.format"
    case formatOptions(null, _) => s"value.$name"
    case _ => name
  }

  private def requireKnown(name: String): Unit = name match {
    case _ if known.contains(name) || own.contains(name.toLowerCase(Locale.ROOT)) =>
    case _ if name.startsWith("properties.") && name.length > "properties.".length =>
    case formatOptions(_, _) =>
    case _ => unknown(name)
  }

  private def unknown(name: String): Nothing = refuse(
    name,
    s"there is no such option.${Conditions.nearest(name, known ++ own)} Known are: ${Conditions.listed(known ++ own)}"
  )

  private def refuse(name: String, reason: String): Nothing =
    throw KafkalystException("FLINK_OPTION", "option" -> name, "reason" -> reason)
}
