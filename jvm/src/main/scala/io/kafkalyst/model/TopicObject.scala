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

/** One column of a topic. Every column is nullable: a record may always lack it. */
final case class TopicColumn(name: String, dataType: DataType, side: Side) {
  def field: StructField = StructField(name, dataType, nullable = true, TopicColumn.metadata(side))

  /** The name as it is written in a statement, in quotes. */
  def sqlName: String = TopicColumn.quoted(name)

  /** The metadata of a field that stands for this column under another name or type. */
  def renamedMetadata(internal: String): Metadata = new MetadataBuilder()
    .withMetadata(TopicColumn.metadata(side))
    .putString(TopicColumn.nameKey, name)
    .putString(TopicColumn.internalKey, internal)
    .putString(TopicColumn.typeKey, dataType.json)
    .build()
}

object TopicColumn {

  /** Key of the column metadata that carries the role, so that any metastore keeps it. */
  val roleKey = "kafkalyst.role"

  def metadata(side: Side): Metadata = new MetadataBuilder().putString(roleKey, side.name).build()

  def quoted(name: String): String = "\"" + name.replace("\"", "\"\"") + "\""

  /** Keys of the external name and type where the field has internal ones. */
  val nameKey = "kafkalyst.name"
  val internalKey = "kafkalyst.internal"
  val typeKey = "kafkalyst.type"

  /** The name that the user knows the field by: an alias keeps the metadata, but is the user's own. */
  def nameOf(name: String, metadata: Metadata): String =
    if (metadata.contains(nameKey) && metadata.getString(internalKey) == name) metadata.getString(nameKey) else name

  def sideOf(metadata: Metadata): Side =
    if (metadata.contains(roleKey) && metadata.getString(roleKey) == Side.Key.name) Side.Key else Side.Value

  def of(field: StructField): TopicColumn = {
    val dataType =
      if (field.metadata.contains(typeKey)) DataType.fromJson(field.metadata.getString(typeKey)) else field.dataType
    TopicColumn(nameOf(field.name, field.metadata), dataType, sideOf(field.metadata))
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
final case class SideFormat(format: String, schemaId: Option[Int] = None, options: Map[String, String] = Map.empty)

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

  /** How Protobuf tells null: `OPTIONAL` or `WRAPPER`. */
  val nullableRepresentation = "PROTOBUF_NULLABLE_REPRESENTATION"
}

/** A stream or table over one Kafka topic: everything that reading and writing it needs to know. */
final case class TopicObject(
    kind: ObjectKind,
    topic: String,
    key: SideFormat,
    value: SideFormat,
    columns: Seq[TopicColumn],
    onError: OnError = OnError.Fail,
    deadLetterTopic: Option[String] = None
) {
  def format(side: Side): SideFormat = side match {
    case Side.Key => key
    case Side.Value => value
  }

  def columns(side: Side): Seq[TopicColumn] = columns.filter(_.side == side)

  /** Where records go that cannot be decoded, under [[OnError.DeadLetter]]. */
  def deadLetters: String = deadLetterTopic.getOrElse(s"$topic-dlq")

  /** Columns that can be selected by name but are not in `*`. A declared column of the same name stands before one. */
  def hidden: Seq[StructField] =
    if (onError == OnError.Null && !columns.exists(_.name.equalsIgnoreCase(ErrorColumn.name))) Seq(ErrorColumn.field)
    else Nil
}

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
