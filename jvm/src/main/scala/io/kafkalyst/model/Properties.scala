package io.kafkalyst.model

import java.util.Locale

import io.kafkalyst.model.flink.{FlinkProperties, OffsetsText}
import io.kafkalyst.errors.{Conditions, KafkalystException}

/** The properties of a WITH clause: the single table for validation, parsing and documentation. */
object Properties {
  import PropertyChecks._

  private def delimiter(text: String): Option[String] = {
    val word = text.equalsIgnoreCase("TAB") || text.equalsIgnoreCase("SPACE")
    if (word || (text.length == 1 && !text.head.isWhitespace)) None else Some("one character, TAB or SPACE is expected")
  }

  private def ascii(text: String): Option[String] =
    if (text.length == 1 && text.head > ' ' && text.head < 127) None else Some("one ASCII character is expected")

  private def quote(text: String): Option[String] =
    if (text == SideFormat.none) None
    else ascii(text).map(_ => s"one ASCII character, or ${SideFormat.none}, is expected")

  val topic: Property = Property("KAFKA_TOPIC", "Topic that holds the records. Required without AS SELECT.", notBlank)
  val keyFormat: Property = Property("KEY_FORMAT", "Format of the record keys.", notBlank)
  val valueFormat: Property = Property("VALUE_FORMAT", "Format of the record values.", notBlank)
  val format: Property = Property("FORMAT", "Format of keys and values, instead of the two above.", notBlank)
  val wrapValue: Property =
    Property("WRAP_SINGLE_VALUE", "Whether a single value column is a field of a record, or the bare value.", flag)
  val wrapKey: Property =
    Property("WRAP_SINGLE_KEY", "Whether a single key column is a field of a record, or the bare key.", flag)
  private val shapes = oneOf("STRUCTURED", "PLAIN") _
  val keyFormatType: Property =
    Property("KEY_FORMAT_TYPE", "STRUCTURED: the key is a record of its columns; PLAIN: the bare key.", shapes)
  val valueFormatType: Property =
    Property("VALUE_FORMAT_TYPE", "STRUCTURED: the value is a record of its columns; PLAIN: the bare value.", shapes)
  val keyColumns: Property = Property(
    "KEY_COLUMNS",
    "`FLATTEN`: a key that is looked up and is a record gives a key column for each of its fields, in every format; " +
      "`ROWKEY` (default): in AVRO and JSON_SR one column ROWKEY.",
    oneOf("FLATTEN", "ROWKEY")
  )
  val partitions: Property = Property("PARTITIONS", "Partitions of a topic that is created.", positive)
  val replicas: Property = Property(
    "REPLICAS",
    "Replicas of a topic that is created.",
    text => positive(text).orElse(if (text.toInt <= Short.MaxValue) None else Some("at most 32767 is expected"))
  )
  val retention: Property = Property(
    "RETENTION_MS",
    "How long a topic that is created keeps records, in milliseconds; -1 for ever. Default: the broker's, and for " +
      "ever in a windowed table. Only for streams and windowed tables: the topics of other tables are compacted.",
    text =>
      if (text.toLongOption.exists(_ >= -1)) None else Some("a whole number of milliseconds, or -1, is expected")
  )
  val cleanup: Property = Property(
    "CLEANUP_POLICY",
    "Cannot be set: `delete` for streams, `compact` for tables, both for windowed tables.",
    _ => Some("it follows from what is created: delete for a STREAM, compact for a TABLE, both for a windowed one")
  )
  private def connector(name: String) =
    Property(name, "Name of the connector that fills the topic; only kept and shown.", asQuery = false, kept = true)
  private val connectors = Seq(connector("SOURCED_BY_CONNECTOR"), connector("SOURCE_CONNECTOR"))
  val onError: Property = Property(
    "ON_ERROR",
    "What happens to a record that cannot be decoded: fail, skip, null or dead-letter; by default the setting " +
      "spark.kafkalyst.on.error.",
    v => if (OnError.of(v).isDefined) None else Some(s"one of ${OnError.all.map(_.name).mkString(", ")} is expected")
  )
  val schemaEvolution: Property = Property(
    "SCHEMA.EVOLUTION",
    "What happens to a record with fields that are neither columns nor in the object's schema: `ignore` (default) " +
      "leaves them out; `fail` treats it as a record that cannot be decoded, see ON_ERROR; `add` makes columns of the " +
      "fields that new versions of the value's schema have, also in the queries that read it; `rescue` keeps all fields " +
      "that are not columns as JSON in a column `_rescued`. Formats AVRO, JSON_SR and PROTOBUF, and JSON but for `add`.",
    oneOf("ignore", "fail", "add", "rescue"),
    kept = true
  )
  val failOnDataLoss: Property = Property(
    "FAILONDATALOSS",
    "`true` (default): a read fails if records that it should read are gone; `false`: it continues after " +
      "them. Also an option of one read.",
    flag,
    kept = true
  )
  val deadLetterTopic: Property = Property(
    "DEAD_LETTER_TOPIC",
    "Topic of the records that cannot be decoded, under ON_ERROR=dead-letter, which it implies. By default the " +
      "topic's name with -dlq. It is created when it does not exist. It does not begin with _: those are the topics of " +
      "Kafka and of the catalogs.",
    text =>
      notBlank(text).orElse {
        Option.when(text.startsWith("_"))("topics that begin with _ are those of Kafka and of the catalogs")
      }
  )

  /** The properties that exist per side, by the name of the side's option. */
  val sideOptions: Seq[(Side, String, Property)] = Side.all.flatMap { side =>
    def property(option: String, doc: String, check: String => Option[String]) =
      (side, option, Property(s"${side.name.toUpperCase(Locale.ROOT)}_$option", doc, check))
    Seq(
      property(
        SideFormat.delimiter,
        s"The character between the fields of a ${side.name}, or TAB or SPACE. Format DELIMITED.",
        delimiter
      ),
      property(
        SideFormat.quote,
        s"The character around a field of a ${side.name} that contains the DELIMITER: a double quote by default, or NONE " +
          "for fields as they are. Format DELIMITED.",
        quote
      ),
      property(
        SideFormat.escape,
        s"The character of a ${side.name} that makes the next one literal; none by default. Format DELIMITED.",
        ascii
      ),
      property(
        SideFormat.nullLiteral,
        s"The text of a field of a ${side.name} that is NULL. Format DELIMITED.",
        _ => None
      ),
      property(
        SideFormat.emptyIsNull,
        s"Whether an empty field of a ${side.name} is NULL: TRUE for one without quotes (default), ALWAYS for each (default " +
          "in ksqlDB's dialect, which writes no quotes for an empty text behind the first field), FALSE for none where the " +
          "column is STRING. Format DELIMITED.",
        oneOf("TRUE", "FALSE", SideFormat.always)
      ),
      property(
        SideFormat.allowComments,
        s"Whether a ${side.name} that begins with # is a comment, and so cannot be decoded. Format DELIMITED.",
        flag
      ),
      property(
        SideFormat.arrayDelimiter,
        s"The text between the elements of an ARRAY, or the fields of a STRUCT, in a field of a ${side.name}; " +
          "without it they are refused. Format DELIMITED.",
        text => Option.when(text.isEmpty)("at least one character is expected")
      ),
      property(
        SideFormat.databaseInclude,
        "A regular expression for the whole names of the databases whose changes are read. Format CANAL_JSON.",
        FlinkProperties.expression
      ),
      property(
        SideFormat.tableInclude,
        "A regular expression for the whole names of the tables whose changes are read. Format CANAL_JSON.",
        FlinkProperties.expression
      ),
      property(
        SideFormat.nullableRepresentation,
        s"How a Protobuf ${side.name} represents NULL: OPTIONAL or WRAPPER. By default NULL is the type's default.",
        oneOf("OPTIONAL", "WRAPPER")
      ),
      property(
        SideFormat.nullBadFields,
        s"Whether a field of the ${side.name} that does not fit its column is NULL; otherwise the record is bad. " +
          "Formats JSON and DELIMITED; in DELIMITED a line may then also lack its last fields.",
        flag
      ),
      property(
        SideFormat.skipBad,
        s"Whether a record whose ${side.name} cannot be decoded is skipped and counted where ON_ERROR is `fail`. Formats " +
          "JSON and DELIMITED, and events in JSON.",
        flag
      ),
      property(
        SideFormat.requireFields,
        s"Whether a JSON ${side.name} without the field of a selected column is bad. Format JSON.",
        flag
      ),
      property(
        SideFormat.coerce,
        s"Whether the ${side.name} is read as Flink reads it: a text or number in a BOOLEAN column is whether it is the " +
          "text `true`, and a DECIMAL is rounded to its column's digits, and NULL if it has more before the point; JSON " +
          "may have control characters in its texts, and text behind the value, as a line another line behind it; a " +
          "STREAM's value of no bytes is not a row in JSON. Otherwise they are bad. Formats JSON and DELIMITED, and events in JSON.",
        flag
      ),
      property(
        SideFormat.omitNulls,
        s"Whether a JSON ${side.name} is written without its NULL fields, at every depth of ROWs; elements and values of " +
          "ARRAYs and MAPs stay. Formats JSON, and events in JSON.",
        flag
      ),
      property(
        SideFormat.decimalForm,
        s"How DECIMALs are written in the ${side.name}: SCALED (default: with all digits of their scale, as 2.50) or " +
          "SCIENTIFIC (as 2.5, and 1E+2 for 100; in DELIMITED as 2.50, and 1E-10). Formats JSON, events in JSON, and " +
          "DELIMITED.",
        oneOf(SideFormat.scaled, SideFormat.scientific)
      ),
      property(
        SideFormat.timestampStandard,
        s"How DATE, TIME and TIMESTAMP are written in the ${side.name}: ISO-8601, SQL (a blank for the T) or NUMBER " +
          "(default: days or milliseconds). All are read, but no numbers with COERCE and one of the first two. Formats " +
          "JSON and DELIMITED.",
        oneOf("ISO-8601", "SQL", "NUMBER")
      ),
      property(
        SideFormat.timestampUnit,
        s"What a TIMESTAMP counts in a schema that is registered for the ${side.name}'s columns: MILLIS or MICROS; by " +
          "default as the setting spark.kafkalyst.avro.timestamp.unit says. An existing schema keeps its unit. " +
          "Formats AVRO and AVRO_NOSR, there MICROS by default.",
        oneOf(SideFormat.millis, SideFormat.micros)
      ),
      property(
        SideFormat.avroEncoding,
        s"Avro's encoding of a ${side.name}: `binary` (default) or `json`. Format AVRO_NOSR.",
        oneOf("binary", "json")
      ),
      property(
        SideFormat.requiredFields,
        s"Columns of the ${side.name}, separated by `;`, that are never NULL: required fields of the schema that is " +
          "registered for the columns. Flink's NOT NULL. Formats AVRO and AVRO_NOSR.",
        notBlank
      ),
      property(
        SideFormat.byteOrder,
        s"Byte order of a number in the ${side.name}. If set, the column may also be BOOLEAN, TINYINT, SMALLINT or " +
          "FLOAT. Format KAFKA.",
        oneOf(SideFormat.bigEndian, SideFormat.littleEndian)
      ),
      property(
        SideFormat.charset,
        s"Character set of a STRING in the ${side.name}: UTF-8 (default) or another one of Java's. Format KAFKA.",
        charset
      )
    )
  }

  /** The side's two properties for the wrapping of a single column. */
  def wrappingOf(side: Side): (Property, Property) = side match {
    case Side.Key => (wrapKey, keyFormatType)
    case Side.Value => (wrapValue, valueFormatType)
  }
  val timestamp: Property = Property(
    "TIMESTAMP",
    "Column whose value is ROWTIME and, when rows are written, the record's timestamp: BIGINT (milliseconds), " +
      "TIMESTAMP, or STRING with TIMESTAMP_FORMAT. A nested field is written `a->b`.",
    notBlank,
    kept = true
  )
  val timestampFormat: Property = Property(
    "TIMESTAMP_FORMAT",
    "Pattern of a STRING column in TIMESTAMP, as Java's DateTimeFormatter reads it.",
    notBlank,
    kept = true
  )
  val sinkTopics: Property = Property(
    "SINK.TOPICS.ALLOWED",
    "Topics, separated by `;`, to which a METADATA column `topic` may send rows besides the object's own.",
    notBlank,
    kept = true
  )
  val monotonic: Property = Property(
    "SCAN.TIMESTAMP.MONOTONIC",
    "`true`: timestamps never decrease within a partition, so that an upper bound on them ends the read early.",
    flag,
    kept = true
  )
  val history: Property = Property(
    "HISTORY",
    "Table of Delta or Iceberg that a query of this stream's records fills. Bounded reads take the records that it " +
      "has from the table and the others from the topic. Only for streams.",
    notBlank,
    kept = true
  )

  private def whole(text: String): Option[String] =
    if (text.toLongOption.exists(_ >= 0)) None else Some("a whole number of milliseconds is expected")

  val startMode: Property = Property(
    "SCAN.STARTUP.MODE",
    "Where reading begins: `earliest-offset` (default), `latest-offset` (streaming reads only), `group-offsets` (of " +
      "`PROPERTIES.GROUP.ID`), `timestamp` or `specific-offsets`.",
    oneOf("earliest-offset", "latest-offset", "group-offsets", "timestamp", "specific-offsets"),
    kept = true
  )
  val startTime: Property =
    Property("SCAN.STARTUP.TIMESTAMP-MILLIS", "Where the startup mode `timestamp` begins.", whole, kept = true)
  val startOffsets: Property = Property(
    "SCAN.STARTUP.SPECIFIC-OFFSETS",
    "Where the startup mode `specific-offsets` begins: `partition:0,offset:42;partition:1,offset:300`; other " +
      "partitions at their beginning.",
    text => if (OffsetsText.offsets(text).isDefined) None else Some(OffsetsText.form),
    kept = true
  )
  val endMode: Property = Property(
    "SCAN.BOUNDED.MODE",
    "Where reading ends, decided at planning time. By default in batch reads, and with `latest-offset` in all " +
      "reads: at the last record; `group-offsets`, `timestamp` or `specific-offsets`; `unbounded`: the default.",
    oneOf("unbounded", "latest-offset", "group-offsets", "timestamp", "specific-offsets"),
    kept = true
  )
  val endTime: Property =
    Property(
      "SCAN.BOUNDED.TIMESTAMP-MILLIS",
      "Where the bounded mode `timestamp` ends, exclusive.",
      whole,
      kept = true
    )

  val windowType: Property = Property(
    "WINDOW_TYPE",
    "The key's bytes end with a window's bounds: TUMBLING, HOPPING or SESSION. They are WINDOWSTART and WINDOWEND.",
    oneOf("TUMBLING", "HOPPING", "SESSION"),
    asQuery = false,
    kept = true
  )
  val windowSize: Property = Property(
    "WINDOW_SIZE",
    "Size of TUMBLING and HOPPING windows, such as `10 SECONDS`.",
    text =>
      if (Durations.millis(text).exists(_ > 0)) None
      else Some("a number above 0 and a unit, such as 10 SECONDS, is expected"),
    asQuery = false,
    kept = true
  )

  private val time = Seq(timestamp, timestampFormat, windowType, windowSize)
  private val flink =
    Seq(startMode, startTime, startOffsets, endMode, endTime, sinkTopics, monotonic, history) ++
      FlinkProperties.all

  val all: Seq[Property] =
    Seq(topic, keyFormat, valueFormat, format, keyFormatType, valueFormatType, wrapKey, wrapValue, keyColumns) ++
      sideOptions.map(_._3) ++ Seq(
        partitions,
        replicas,
        retention,
        cleanup,
        onError,
        schemaEvolution,
        failOnDataLoss,
        deadLetterTopic
      ) ++ connectors ++
      time ++ RegistryProperties.all ++ flink ++ SinkProperties.all

  val kept: Seq[Property] = all.filter(_.kept)

  /** Whether a property has that name, ignoring case. */
  def isOne(name: String): Boolean = all.exists(_.name.equalsIgnoreCase(name))

  /** Whether a property of that upper-case name is stored unchanged in [[TopicObject.options]]. */
  def isKept(name: String): Boolean = kept.exists(_.name == name) || name.startsWith(FlinkProperties.clientPrefix)

  /** Whether a record with fields that have no column is bad. */
  def isClosed(o: TopicObject): Boolean = o.options.get(schemaEvolution.name).exists(_.equalsIgnoreCase("fail"))

  /** Whether fields that new versions of the value's schema have become columns. */
  def isAdding(o: TopicObject): Boolean = o.options.get(schemaEvolution.name).exists(_.equalsIgnoreCase("add"))

  /** Whether fields without a column are kept in the column `_rescued`. Option names are upper case. */
  def isRescuing(options: Map[String, String]): Boolean =
    options.get(schemaEvolution.name).exists(_.equalsIgnoreCase("rescue"))

  def formatOf(side: Side): Property = side match {
    case Side.Key => keyFormat
    case Side.Value => valueFormat
  }

  /**
   * The clause's properties by upper-case name, with known names and valid values.
   *
   * @param asQuery whether the clause belongs to a CREATE … AS SELECT
   * @throws io.kafkalyst.errors.KafkalystException UNKNOWN_PROPERTY with the nearest name, INVALID_PROPERTY with the
   * expected value, DUPLICATE_PROPERTY for a repeated one, SECRET_IN_DEFINITION
   */
  def checked(given: Seq[(String, String)], asQuery: Boolean = false): Map[String, String] = {
    val upper = given.map { case (name, value) => name.toUpperCase(Locale.ROOT) -> value }
    upper.groupBy(_._1).collectFirst { case (name, many) if many.size > 1 => name }.foreach { name =>
      throw KafkalystException("DUPLICATE_PROPERTY", "property" -> name)
    }
    upper.foreach { case (name, value) =>
      all.find(_.name == name) match {
        case None if name.startsWith(FlinkProperties.clientPrefix) =>
          ClientProperties.noSecret(name.stripPrefix(FlinkProperties.clientPrefix).toLowerCase(Locale.ROOT))
          FlinkProperties.clientFault(name, value).foreach { reason =>
            throw KafkalystException("INVALID_PROPERTY", "property" -> name, "value" -> value, "expected" -> reason)
          }
        case None =>
          throw KafkalystException(
            "UNKNOWN_PROPERTY",
            "property" -> name,
            "nearest" -> ClientProperties.nearest(name, all.map(_.name)),
            "known" -> Conditions.listed(all.map(_.name))
          )
        case Some(property) if asQuery && !property.asQuery =>
          throw property.invalid(value, "the query says that, so CREATE … AS SELECT does not take it")
        case Some(property) => property.require(value)
      }
    }
    if (upper.exists(_._1 == format.name) && upper.exists(p => p._1 == keyFormat.name || p._1 == valueFormat.name)) {
      throw KafkalystException("FORMAT_GIVEN_TWICE")
    }
    upper.toMap
  }
}
