package io.kafkalyst.model

import org.apache.spark.sql.types.{DataType, Metadata, MetadataBuilder, StringType, StructField}

/** What a declared object is: a stream of facts, or a table whose rows are the latest per key. */
sealed abstract class ObjectKind(val name: String) extends Serializable {
  override def toString: String = name
}

object ObjectKind {
  case object Stream extends ObjectKind("STREAM")
  case object Table extends ObjectKind("TABLE")

  def of(name: String): ObjectKind = if (name.equalsIgnoreCase(Table.name)) Table else Stream
}

/**
 * Where a metadata column's values are: not in the record's key or value, but around them.
 *
 * @param key     a key of `metadata.MetadataKeys`, such as `offset`, `headers` or `headers.name`
 * @param virtual whether the column is only read: it is no column of the object where rows are written to it
 */
final case class MetadataColumn(key: String, virtual: Boolean = false)

object MetadataColumn {

  /** Before the keys of what the value's format tells of its events; which those are, the format knows. */
  val eventPrefix = "value."
}

/**
 * One column of a topic. Every column is nullable: a record may always lack it.
 *
 * @param side     where it is in the record; for a metadata column, which is on neither, always Value
 * @param metadata set for a column that is neither in key nor value
 */
final case class TopicColumn(
    name: String,
    dataType: DataType,
    side: Side,
    metadata: Option[MetadataColumn] = None
) {
  def field: StructField = StructField(name, dataType, nullable = true, TopicColumn.metadata(side, metadata))

  /** Whether it is a part of that side of the record, which no metadata column is. */
  def isIn(side: Side): Boolean = this.side == side && metadata.isEmpty

  /** Whether rows that are written have it. */
  def isWritten: Boolean = !metadata.exists(_.virtual)

  /** The name as it is written in a statement, in quotes. */
  def sqlName: String = TopicColumn.quoted(name)

  /** The metadata of a field that stands for this column under another name or type. */
  def renamedMetadata(internal: String): Metadata = new MetadataBuilder()
    .withMetadata(TopicColumn.metadata(side, metadata))
    .putString(TopicColumn.nameKey, name)
    .putString(TopicColumn.internalKey, internal)
    .putString(TopicColumn.typeKey, dataType.json)
    .build()
}

object TopicColumn {

  /** Key of the column metadata that carries the role, so that any metastore keeps it. */
  val roleKey = "kafkalyst.role"

  /** Keys of the column metadata of a metadata column. */
  private val metadataKey = "kafkalyst.metadata"
  private val virtualKey = "kafkalyst.virtual"

  def metadata(side: Side, metadata: Option[MetadataColumn] = None): Metadata = {
    val builder = new MetadataBuilder().putString(roleKey, side.name)
    metadata.foreach(m => builder.putString(metadataKey, m.key).putBoolean(virtualKey, m.virtual))
    builder.build()
  }

  def quoted(name: String): String = "\"" + name.replace("\"", "\"\"") + "\""

  /** Keys of the external name and type where the field has internal ones. */
  val nameKey = "kafkalyst.name"
  val internalKey = "kafkalyst.internal"
  val typeKey = "kafkalyst.type"

  /** Marks the key columns that PARTITION BY makes. */
  private val madeKey = "kafkalyst.made"
  def isMade(metadata: Metadata): Boolean = metadata.contains(madeKey)
  def made(side: Side): Metadata =
    new MetadataBuilder().withMetadata(metadata(side)).putBoolean(madeKey, true).build()

  /** The name that the user knows the field by: an alias keeps the metadata, but is the user's own. */
  def nameOf(name: String, metadata: Metadata): String =
    if (metadata.contains(nameKey) && metadata.getString(internalKey) == name) metadata.getString(nameKey) else name

  /** The other way round: the name by which the table's scan finds the column. */
  def internalOf(name: String, metadata: Metadata): String =
    if (metadata.contains(nameKey) && metadata.getString(nameKey) == name) metadata.getString(internalKey) else name

  def sideOf(metadata: Metadata): Side =
    if (metadata.contains(roleKey) && metadata.getString(roleKey) == Side.Key.name) Side.Key else Side.Value

  def of(field: StructField): TopicColumn = {
    val given = field.metadata
    val dataType = if (given.contains(typeKey)) DataType.fromJson(given.getString(typeKey)) else field.dataType
    val metadata =
      if (given.contains(metadataKey))
        Some(MetadataColumn(given.getString(metadataKey), given.contains(virtualKey) && given.getBoolean(virtualKey)))
      else None
    TopicColumn(nameOf(field.name, given), dataType, sideOf(given), metadata)
  }
}

/**
 * How one side of the records is serialised.
 *
 * @param format   name of a registered format, upper case
 * @param schemaId registry id of the schema that rows are written with, where the format has one
 * @param options  the side's own properties beyond the format (delimiter, wrapping, …), names in upper case
 *                 without their KEY_ or VALUE_ prefix
 */
final case class SideFormat(format: String, schemaId: Option[Int] = None, options: Map[String, String] = Map.empty) {

  /** Whether a record is the event of a change, which makes any number of rows. */
  def isEvent: Boolean = options.contains(SideFormat.events)
}

object SideFormat {

  /** Whether a single column is a field of a record: `true` or `false`. */
  val wrapSingle = "WRAP_SINGLE"

  /** The character between the fields of a line. */
  val delimiter = "DELIMITER"

  /** Full name of the record or message within the schema. */
  val schemaFullName = "SCHEMA_FULL_NAME"

  /** Registry id of a schema that the side was asked to have, in figures. */
  val givenId = "SCHEMA_ID"

  /** The registry's subject, where it was named. */
  val subject = "SUBJECT"

  /** How the subject is named otherwise, see `registry.Subjects`. */
  val subjectStrategy = "SUBJECT_STRATEGY"

  /** Whether schemas may be registered: `true` or `false`. */
  val autoRegister = "AUTO_REGISTER"

  /** Whether rows are written with the subject's latest schema: `true` or `false`. */
  val useLatest = "USE_LATEST"

  /** Full names of the record types that one topic has, with the ids of their schemas: `com.shop.Placed=7,…`. */
  val types = "TYPES"

  /** Whether records name their schema by GUID in a header: `true` or `false`. */
  val guidHeaders = "SCHEMA_GUID_HEADERS"

  /**
   * Of a format of events what its rows are: [[changes]], an update being two, or [[upserts]], an update that keeps
   * its key being one; not there for other formats.
   */
  val events = "EVENTS"
  val changes = "changes"
  val upserts = "upserts"

  /** How Protobuf tells null: `OPTIONAL` or `WRAPPER`. */
  val nullableRepresentation = "PROTOBUF_NULLABLE_REPRESENTATION"

  /** Whether a JSON field that does not fit its column is null: `true` or `false`. */
  val nullBadFields = "NULL_BAD_FIELDS"

  /** Whether a JSON field must be there: `true` or `false`. */
  val requireFields = "REQUIRE_FIELDS"

  /** How times are written as texts: `ISO-8601` or `SQL`. */
  val timestampStandard = "TIMESTAMP_STANDARD"

  /** What a TIMESTAMP counts in the schemas that AVRO is written with, where none is there yet. */
  val timestampUnit = "TIMESTAMP_UNIT"
  val millis = "MILLIS"
  val micros = "MICROS"

  /** Names of columns, separated by `;`, whose fields are required in the schema that AVRO derives. */
  val requiredFields = "REQUIRED_FIELDS"

  /** In which order a number's bytes are, where they may be of Flink's `raw`: `BIG-ENDIAN` or `LITTLE-ENDIAN`. */
  val byteOrder = "BYTE_ORDER"
  val bigEndian = "BIG-ENDIAN"
  val littleEndian = "LITTLE-ENDIAN"

  /** The name of the character set of bare texts. */
  val charset = "CHARSET"
}

/**
 * A stream or table over one Kafka topic: everything that reading and writing it needs to know.
 *
 * @param options   the kept properties of the WITH clause ([[Property.kept]]), by upper-case name
 * @param computed  columns that are no part of a record, worked out of the others when it is read
 * @param watermark how late rows come in a stream of the object
 * @param declared  what was written of columns beyond their types here
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

  /** The columns of that side of the record, as it has them and in its order; metadata columns are on neither. */
  def columns(side: Side): Seq[TopicColumn] = inOrder(side, columns.filter(isIn(_, side)))(identity).map(named(_, side))

  /** Things that belong to columns of a side, in the order of its record. */
  def inOrder[T](side: Side, things: Seq[T])(column: T => TopicColumn): Seq[T] = side match {
    case Side.Key if keyOrder.nonEmpty => things.sortBy(t => keyOrder.indexOf(column(t).name))
    case _ => things
  }

  /** The column under the name that its field has on that side of the record. */
  def named(column: TopicColumn, side: Side): TopicColumn = keyPrefix match {
    case Some(prefix) if side == Side.Key => column.copy(name = column.name.stripPrefix(prefix))
    case _ => column
  }

  private lazy val keyOrder = options.get(FlinkProperties.keyFields.name).fold(Seq.empty[String])(FlinkProperties.list)
  private lazy val keyPrefix = options.get(FlinkProperties.keyFieldsPrefix.name)

  /** Whether the value has the key's columns too, and must say the same of them. */
  def verifiesKey: Boolean = valueHasKey && isSet(FlinkProperties.verifyIntegrity)

  private def isSet(flag: Property) = options.get(flag.name).exists(_.equalsIgnoreCase("true"))

  /** Whether records that lack that side give no row. */
  def skipsEmpty(side: Side): Boolean =
    options.get(FlinkProperties.emptyRecords.name).exists(_.equalsIgnoreCase("skip")) &&
      columns.exists(_.isIn(side)) && !Set("KAFKA", "NONE")(
        format(side).format
      ) && !(side == Side.Value && kind == ObjectKind.Table)

  /** The topics that are read; of a pattern, none that is known. */
  def topics: Seq[String] = if (pattern.isDefined) Nil else FlinkProperties.list(topic)

  /** The regular expression that the topics' names match, where they are given so. */
  def pattern: Option[String] = options.get(FlinkProperties.topicPattern.name)

  /** Whether it is over one topic, as all are but those that say `a;b` or a pattern. */
  def isOne: Boolean = topics.size == 1

  /** What the object says of the Kafka clients that read and write it, by Kafka's names. */
  def clients: Map[String, String] = (options -- Seq(FlinkProperties.group, FlinkProperties.reset)).collect {
    case (name, value) if name.startsWith(FlinkProperties.clientPrefix) =>
      name.stripPrefix(FlinkProperties.clientPrefix).toLowerCase(java.util.Locale.ROOT) -> value
  }

  private lazy val valueHasKey = TopicObject.valueHasKey(options)

  /** Whether that side of the record has the column: its own, or the value's copy of a key's. */
  def isIn(column: TopicColumn, side: Side): Boolean =
    column.isIn(side) || (side == Side.Value && valueHasKey && column.isIn(Side.Key))

  /** What was written of the column; None where that is its type alone. */
  def written(column: TopicColumn): Option[DeclaredColumn] =
    declared.find(d => d.name == column.name && d.sql == column.dataType.sql)

  /** The columns of rows that are written, in order. */
  def sinkColumns: Seq[TopicColumn] = columns.filter(_.isWritten)

  /** Where records go that cannot be decoded, under [[OnError.DeadLetter]]. */
  def deadLetters: String = deadLetterTopic.getOrElse(s"$topic-dlq")
}

object TopicObject {

  /** The option of a SOURCE STREAM or TABLE, which is only read. */
  val readOnly = "KAFKALYST.SOURCE"

  /** Whether the value has the key's columns too, by properties of upper-case names. */
  def valueHasKey(options: Map[String, String]): Boolean =
    options.get(Properties.valueFieldsInclude.name).exists(_.equalsIgnoreCase("ALL"))
}

/**
 * A column that is worked out of the others when the object is read; rows that are written have none.
 *
 * @param written the expression in the statement's language
 * @param sql     the expression as Spark writes it
 * @param place   among all columns of the object, these counted
 */
final case class ComputedColumn(name: String, written: String, sql: String, place: Int)

/**
 * What a statement said of a column that its type does not keep: lengths, precisions, NOT NULL, and a comment.
 *
 * @param written the type in the words of Flink's statement; empty where only the comment is kept
 * @param sql     the type as Spark writes it, as long as it is the column's
 */
final case class DeclaredColumn(name: String, written: String, sql: String, comment: String = "")

/**
 * How late the rows of a stream come: by no more than the delay behind the latest time that was seen.
 *
 * @param column the time's column
 * @param sql    as it was written: the column, or the column minus an interval
 */
final case class Watermark(column: String, sql: String)

/** Why a row under [[OnError.Null]] lacks a side: STRING, null where the record is good. */
object ErrorColumn {
  val name = "_error"
  val field: StructField = StructField(name, StringType, nullable = true)
}

/** What happens to a record that cannot be decoded. */
sealed abstract class OnError(val name: String) extends Serializable

object OnError {

  /** The read fails and says where the record is. */
  case object Fail extends OnError("fail")

  /** The record is passed over and counted. */
  case object Skip extends OnError("skip")

  /** The bad side's columns are null, and the hidden column [[ErrorColumn]] says why. */
  case object Null extends OnError("null")

  /** The record goes to a topic of its own, as it was, and is passed over and counted. */
  case object DeadLetter extends OnError("dead-letter")

  val all: Seq[OnError] = Seq(Fail, Skip, Null, DeadLetter)
  def of(name: String): Option[OnError] = all.find(_.name.equalsIgnoreCase(name))
}
