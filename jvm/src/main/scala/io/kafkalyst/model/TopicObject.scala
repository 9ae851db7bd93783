package io.kafkalyst.model

import org.apache.spark.sql.types.{DataType, Metadata, MetadataBuilder, StructField, StructType}

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

  def of(field: StructField): TopicColumn = {
    val given = field.metadata
    val isKey = given.contains(roleKey) && given.getString(roleKey) == Side.Key.name
    val metadata =
      if (given.contains(metadataKey))
        Some(MetadataColumn(given.getString(metadataKey), given.contains(virtualKey) && given.getBoolean(virtualKey)))
      else None
    TopicColumn(field.name, field.dataType, if (isKey) Side.Key else Side.Value, metadata)
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

/**
 * A stream or table over one Kafka topic: everything that reading and writing it needs to know.
 *
 * @param options the kept properties of the WITH clause ([[Property.kept]]), by upper-case name
 */
final case class TopicObject(
    kind: ObjectKind,
    topic: String,
    key: SideFormat,
    value: SideFormat,
    columns: Seq[TopicColumn],
    onError: OnError = OnError.Fail,
    options: Map[String, String] = Map.empty
) {
  def format(side: Side): SideFormat = side match {
    case Side.Key => key
    case Side.Value => value
  }

  /** The columns of that side of the record; metadata columns are on neither. */
  def columns(side: Side): Seq[TopicColumn] = columns.filter(isIn(_, side))

  private lazy val valueHasKey = options.get(Properties.valueFieldsInclude.name).exists(_.equalsIgnoreCase("ALL"))

  /** Whether that side of the record has the column: its own, or the value's copy of a key's. */
  def isIn(column: TopicColumn, side: Side): Boolean =
    column.isIn(side) || (side == Side.Value && valueHasKey && column.isIn(Side.Key))

  /** The columns of rows that are written, in order. */
  def sinkColumns: Seq[TopicColumn] = columns.filter(_.isWritten)

  def schema: StructType = StructType(columns.map(_.field))
}

/** What happens to a record that cannot be decoded. */
sealed abstract class OnError(val name: String) extends Serializable

object OnError {
  case object Fail extends OnError("fail")
  case object Skip extends OnError("skip")

  val all: Seq[OnError] = Seq(Fail, Skip)
  def of(name: String): Option[OnError] = all.find(_.name.equalsIgnoreCase(name))
}
