package io.kafkalyst.model

import org.apache.spark.sql.types.{DataType, Metadata, MetadataBuilder, StringType, StructField, StructType}

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
}

object TopicColumn {

  /** Key of the column metadata that carries the role, so that any metastore keeps it. */
  val roleKey = "kafkalyst.role"

  def metadata(side: Side): Metadata = new MetadataBuilder().putString(roleKey, side.name).build()

  def of(field: StructField): TopicColumn = {
    val isKey = field.metadata.contains(roleKey) && field.metadata.getString(roleKey) == Side.Key.name
    TopicColumn(field.name, field.dataType, if (isKey) Side.Key else Side.Value)
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

  def schema: StructType = StructType(columns.map(_.field))

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
