package io.kafkalyst.model

import java.util.Locale

import io.kafkalyst.model.flink.{FlinkProperties, KeptType}

import org.apache.spark.sql.types.{StringType, StructField}

/** The kind of a declared object: a stream of facts, or a table of the latest row per key. */
sealed abstract class ObjectKind(val name: String) extends Serializable {
  override def toString: String = name
}

object ObjectKind {
  case object Stream extends ObjectKind("STREAM")
  case object Table extends ObjectKind("TABLE")

  def of(name: String): ObjectKind = if (name.equalsIgnoreCase(Table.name)) Table else Stream
}

/**
 * The serialisation of one side of the records.
 *
 * @param format   name of a registered format, upper case
 * @param schemaId registry id of the schema that rows are written with, if the format has schemas
 * @param options  the side's additional properties (delimiter, wrapping, …), names in upper case without their KEY_ or
 *                 VALUE_ prefix
 */
final case class SideFormat(format: String, schemaId: Option[Int] = None, options: Map[String, String] = Map.empty) {

  /** Whether a record is a change event, which yields any number of rows. */
  def isEvent: Boolean = options.contains(SideFormat.events)

  /** Whether an option is `true`; false if it is not given. */
  def isSet(option: String): Boolean = options.get(option).exists(_.equalsIgnoreCase("true"))

  /** Whether dates and times are texts only, as in Flink: digits are not days or milliseconds. */
  def hasTextTimes: Boolean =
    isSet(SideFormat.coerce) && options.get(SideFormat.timestampStandard).exists(!_.equalsIgnoreCase("NUMBER"))
}

object SideFormat {

  /** The format of a side without columns. */
  val none = "NONE"

  /** The format of Kafka's own serialisers, also for a side without a schema. */
  val bytes = "KAFKA"

  /** Whether a single column is a field of a record: `true` or `false`. */
  val wrapSingle = "WRAP_SINGLE"

  /** The character between the fields of a line. */
  val delimiter = "DELIMITER"

  /** Full name of the record or message within the schema. */
  val schemaFullName = "SCHEMA_FULL_NAME"

  /** The text of the schema that rows are written with, instead of one derived from the columns. */
  val schemaText = "SCHEMA"

  /** Registry id of an explicitly requested schema, in decimal digits. */
  val givenId = "SCHEMA_ID"

  /**
   * Set while columns are derived from a schema, or a schema from columns, by the rules of Kafka Connect, which ksqlDB
   * also uses. Never stored.
   */
  val likeConnect = "LIKE_CONNECT"

  /** Set while records are read and written in ksqlDB's dialect. Never stored. */
  val likeKsqldb = "LIKE_KSQLDB"

  /** The registry's subject, if given explicitly. */
  val subject = "SUBJECT"

  /** How the subject is named if it is not given, see `registry.Subjects`. */
  val subjectStrategy = "SUBJECT_STRATEGY"

  /** Whether schemas may be registered: `true` or `false`. */
  val autoRegister = "AUTO_REGISTER"

  /** Whether rows are written with the subject's latest schema: `true` or `false`. */
  val useLatest = "USE_LATEST"

  /** Full names of a topic's record types with the ids of their schemas: `com.shop.Placed=7,…`. */
  val types = "TYPES"

  /** Whether records name their schema by GUID in a header: `true` or `false`. */
  val guidHeaders = "SCHEMA_GUID_HEADERS"

  /**
   * The rows of an event format: [[changes]], where an update is two rows, or [[upserts]], where an update that keeps
   * its key is one; absent for other formats.
   */
  val events = "EVENTS"
  val changes = "changes"
  val upserts = "upserts"

  /** How Protobuf represents null: `OPTIONAL` or `WRAPPER`. */
  val nullableRepresentation = "PROTOBUF_NULLABLE_REPRESENTATION"

  /** Whether a JSON field that does not fit its column is null: `true` or `false`. */
  val nullBadFields = "NULL_BAD_FIELDS"

  /** Whether records whose side is bad are skipped although ON_ERROR is `fail`: `true` or `false`. */
  val skipBad = "SKIP_BAD"

  /** The character around a line's field that contains delimiters; `NONE` for no such character. */
  val quote = "QUOTE_CHARACTER"

  /** The escape character of a line. */
  val escape = "ESCAPE_CHARACTER"

  /** The text of a line's field that is NULL. */
  val nullLiteral = "NULL_LITERAL"

  /**
   * Which empty fields of a line are NULL: `true`: those without quotes; [[always]]: all; `false`: none in a STRING
   * column.
   */
  val emptyIsNull = "EMPTY_IS_NULL"
  val always = "ALWAYS"

  /** Whether lines that begin with # are comments: `true` or `false`. */
  val allowComments = "ALLOW_COMMENTS"

  /** The character between the elements of an ARRAY, or the fields of a STRUCT, in a line's field. */
  val arrayDelimiter = "ARRAY_DELIMITER"

  /** Regular expressions for the whole names of the databases and tables whose changes are read. */
  val databaseInclude = "DATABASE_INCLUDE"
  val tableInclude = "TABLE_INCLUDE"

  /** Whether a JSON field must be present: `true` or `false`. */
  val requireFields = "REQUIRE_FIELDS"

  /** Whether values of other forms are converted as Flink does: `true` or `false`. */
  val coerce = "COERCE"

  /** Whether null fields of JSON objects are left out: `true` or `false`. */
  val omitNulls = "OMIT_NULLS"

  /** The text form of DECIMALs: [[scaled]] or [[scientific]]. */
  val decimalForm = "DECIMAL_FORM"
  val scaled = "SCALED"
  val scientific = "SCIENTIFIC"

  /** The text form of times: `ISO-8601` or `SQL`. */
  val timestampStandard = "TIMESTAMP_STANDARD"

  /** The unit of a TIMESTAMP in the Avro schemas for writing, if none is registered yet. */
  val timestampUnit = "TIMESTAMP_UNIT"
  val millis = "MILLIS"
  val micros = "MICROS"

  /** Avro's encoding without a registry: `binary` or `json`. */
  val avroEncoding = "ENCODING"

  /** Names of columns, separated by `;`, whose fields are required in the schema that AVRO derives. */
  val requiredFields = "REQUIRED_FIELDS"

  /** The byte order of a number, for the bytes of Flink's `raw`: `BIG-ENDIAN` or `LITTLE-ENDIAN`. */
  val byteOrder = "BYTE_ORDER"
  val bigEndian = "BIG-ENDIAN"
  val littleEndian = "LITTLE-ENDIAN"

  /** The name of the character set of bare strings. */
  val charset = "CHARSET"
}

/**
 * A stream or table over one Kafka topic: everything that reading and writing it requires.
 *
 * @param options   the kept properties of the WITH clause ([[Property.kept]]), by upper-case name
 * @param computed  columns that are not part of a record but computed from others on reading
 * @param watermark the maximum lateness of rows in a stream of the object
 * @param declared  what the columns' declarations contain beyond the types here
 */
final case class TopicObject(
    kind: ObjectKind,
    topic: String,
    key: SideFormat,
    value: SideFormat,
    columns: Seq[TopicColumn],
    onError: OnError = OnError.Fail,
    deadLetterTopic: Option[String] = None,
    options: Map[String, String] = Map.empty,
    computed: Seq[ComputedColumn] = Nil,
    watermark: Option[Watermark] = None,
    declared: Seq[DeclaredColumn] = Nil
) {
  def format(side: Side): SideFormat = side match {
    case Side.Key => key
    case Side.Value => value
  }

  /** The same, for reading and writing it in ksqlDB's dialect. Formats of Flink's DDL stay Flink's. */
  def likeKsqldb: TopicObject = {
    def like(as: SideFormat) =
      if (as.isSet(SideFormat.coerce)) as else as.copy(options = as.options + (SideFormat.likeKsqldb -> "true"))
    copy(key = like(key), value = like(value))
  }

  /** The columns of that side of the record, with its names and in its order; excludes metadata columns. */
  def columns(side: Side): Seq[TopicColumn] = inOrder(side, columns.filter(isIn(_, side)))(identity).map(named(_, side))

  /** Sorts items that belong to columns of a side by the column order of its record. */
  def inOrder[T](side: Side, things: Seq[T])(column: T => TopicColumn): Seq[T] = side match {
    case Side.Key if keyOrder.nonEmpty => things.sortBy(t => keyOrder.indexOf(column(t).name))
    case _ => things
  }

  /** The column with the name of its field on that side of the record. */
  def named(column: TopicColumn, side: Side): TopicColumn = keyPrefix match {
    case Some(prefix) if side == Side.Key => column.copy(name = column.name.stripPrefix(prefix))
    case _ => column
  }

  private lazy val keyOrder = options.get(FlinkProperties.keyFields.name).fold(Seq.empty[String])(FlinkProperties.list)
  private lazy val keyPrefix = options.get(FlinkProperties.keyFieldsPrefix.name)

  /** Whether the value also contains the key's columns and must have the same values. */
  def verifiesKey: Boolean = valueHasKey && isSet(FlinkProperties.verifyIntegrity)

  /**
   * Whether key columns that the value lacks are read from the key: when key and value are compared, and in a TABLE,
   * whose rows would otherwise lack their key.
   */
  def completesKey: Boolean = verifiesKey ||
    valueHasKey && kind == ObjectKind.Table && key.format != SideFormat.none && !value.isEvent

  private def isSet(flag: Property) = options.get(flag.name).exists(_.equalsIgnoreCase("true"))

  /** Whether records are skipped if that side cannot be decoded, and the object's own policy is to fail. */
  def skipsBad(side: Side): Boolean = format(side).isSet(SideFormat.skipBad)

  /** Whether records without that side yield no row. */
  def skipsEmpty(side: Side): Boolean =
    options.get(FlinkProperties.emptyRecords.name).exists(_.equalsIgnoreCase("skip")) &&
      columns.exists(_.isIn(side)) && !Set(SideFormat.bytes, SideFormat.none)(
        format(side).format
      ) && !(side == Side.Value && kind == ObjectKind.Table)

  /** Whether Flink's DDL declared the object: that DDL always sets how records without a value are read. */
  def isFlinks: Boolean = options.contains(FlinkProperties.emptyRecords.name)

  /** Whether groups, joins and similar operators over a stream of change data capture see current rows, not changes. */
  def combinesRows: Boolean = options.get(FlinkProperties.combinedChanges.name).exists(_.equalsIgnoreCase("rows"))

  /** The topics that are read; empty for a pattern, whose topics are not known here; see [[reads]]. */
  def topics: Seq[String] = if (pattern.isDefined) Nil else FlinkProperties.list(topic)

  /** The regular expression for the topics' names, if they are given as a pattern. */
  def pattern: Option[String] = options.get(FlinkProperties.topicPattern.name)

  /** Whether the object reads the topic of that name. */
  def reads(name: String): Boolean = pattern.fold(topics.contains(name))(TopicPattern.matches(_, name))

  /** Whether the object sends its dead letters to a topic that it reads, so that each read would send them again. */
  def readsDeadLetters: Boolean = onError == OnError.DeadLetter && reads(deadLetters)

  /** Whether the object is over a single topic: false for lists such as `a;b` and for patterns. */
  def isOne: Boolean = topics.size == 1

  /** The object's own properties for the Kafka clients that read and write it, by Kafka's names. */
  def clients: Map[String, String] = (options -- Seq(FlinkProperties.group, FlinkProperties.reset)).collect {
    case (name, value) if name.startsWith(FlinkProperties.clientPrefix) =>
      name.stripPrefix(FlinkProperties.clientPrefix).toLowerCase(Locale.ROOT) -> value
  }

  private lazy val valueHasKey = TopicObject.valueHasKey(options)

  /** Whether that side of the record contains the column: its own, or the value's copy of a key column. */
  def isIn(column: TopicColumn, side: Side): Boolean =
    column.isIn(side) || (side == Side.Value && valueHasKey && column.isIn(Side.Key))

  /** The column's declaration; None if it was declared by its type alone. */
  def written(column: TopicColumn): Option[DeclaredColumn] =
    declared.find(d => d.name == column.name && d.sql == KeptType.sqlOf(column.dataType))

  /** The type that may have a length, to which INSERT cuts or pads values; None outside Flink's tables. */
  def lengthOf(column: TopicColumn): Option[String] = written(column).filter(_ => isFlinks).map(_.written)

  /** The object with comments for columns without a declaration beyond their type. */
  def commented(comment: TopicColumn => Option[String]): TopicObject = {
    val more = columns.filter(written(_).isEmpty).flatMap { c =>
      comment(c).filter(_.nonEmpty).map(DeclaredColumn(c.name, "", KeptType.sqlOf(c.dataType), _))
    }
    if (more.isEmpty) this else copy(declared = declared ++ more)
  }

  /** The comment of a computed column; empty if it has none. */
  def comment(column: ComputedColumn): String = declared.find(d => d.name == column.name).fold("")(_.comment)

  /** Whether written rows need a value in the column, declared NOT NULL. Rows that are read may still lack it. */
  def isRequired(column: TopicColumn): Boolean = written(column).exists(_.isRequired)

  /** The columns of written rows, in order. */
  def sinkColumns: Seq[TopicColumn] = columns.filter(_.isWritten)

  /** The topic for records that cannot be decoded, under [[OnError.DeadLetter]]. */
  def deadLetters: String = deadLetterTopic.getOrElse(s"$topic-dlq")
}

object TopicObject {

  /** The option of a SOURCE STREAM or TABLE, which is read-only. */
  val readOnly = "KAFKALYST.SOURCE"

  /** Whether the value also contains the key's columns, from properties with upper-case names. */
  def valueHasKey(options: Map[String, String]): Boolean =
    options.get(FlinkProperties.valueFieldsInclude.name).exists(_.equalsIgnoreCase("ALL"))
}

/**
 * A column that is computed from others on reading; written rows do not include it.
 *
 * @param written the expression in the statement's dialect
 * @param sql     the expression in Spark's dialect
 * @param place   its position among all columns of the object, including computed ones
 */
final case class ComputedColumn(name: String, written: String, sql: String, place: Int)

/**
 * What a statement declares of a column beyond its stored type: lengths, precisions, NOT NULL, and a comment.
 *
 * @param written the type as Flink's statement declares it; empty if only the comment is kept
 * @param sql     Spark's text of the type; `written` holds as long as the column still has this type
 */
final case class DeclaredColumn(name: String, written: String, sql: String, comment: String = "") {

  /** Whether the column itself is NOT NULL, not only a field of it. */
  def isRequired: Boolean = written.toUpperCase(Locale.ROOT).matches("(?s).*\\bNOT\\s+NULL\\s*")
}

/**
 * The maximum lateness of a stream's rows, relative to the latest time seen.
 *
 * @param column the time column
 * @param sql    as written: the column, or the column minus an interval
 */
final case class Watermark(column: String, sql: String)

/** Why a row under [[OnError.Null]] lacks a side: STRING, null if the record is good. */
object ErrorColumn {
  val name = "_error"
  val field: StructField = StructField(name, StringType, nullable = true)
}

/** The handling of a record that cannot be decoded. */
sealed abstract class OnError(val name: String) extends Serializable

object OnError {

  /** The read fails and reports the record's position. */
  case object Fail extends OnError("fail")

  /** The record is skipped and counted. */
  case object Skip extends OnError("skip")

  /** The bad side's columns are null, and the hidden column [[ErrorColumn]] contains the reason. */
  case object Null extends OnError("null")

  /** The record is sent unchanged to a separate topic, skipped and counted. */
  case object DeadLetter extends OnError("dead-letter")

  val all: Seq[OnError] = Seq(Fail, Skip, Null, DeadLetter)
  def of(name: String): Option[OnError] = all.find(_.name.equalsIgnoreCase(name))
}
