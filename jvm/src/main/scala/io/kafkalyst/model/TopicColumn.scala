package io.kafkalyst.model

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.types.{DataType, Metadata, MetadataBuilder, StructField}

/**
 * The source of a metadata column's values, outside the record's key and value.
 *
 * @param key     a key of `metadata.MetadataKeys`, such as `offset`, `headers` or `headers.name`
 * @param virtual whether the column is read-only: writes to the object do not include it
 */
final case class MetadataColumn(key: String, virtual: Boolean = false)

object MetadataColumn {

  /** Prefix of metadata keys that the value format defines. */
  val eventPrefix = "value."

  /** Key of the fields without a column, for formats that can report them. */
  val rescued: String = eventPrefix + "rescued"
}

/**
 * One column of a topic. Every column is nullable: any record may lack it.
 *
 * @param side     its side of the record; always Value for a metadata column, which is on neither
 * @param metadata set for a column that is in neither key nor value
 */
final case class TopicColumn(
    name: String,
    dataType: DataType,
    side: Side,
    metadata: Option[MetadataColumn] = None
) {
  def field: StructField = StructField(name, dataType, nullable = true, TopicColumn.metadata(side, metadata))

  /** Whether the column is part of that side of the record; never for a metadata column. */
  def isIn(side: Side): Boolean = this.side == side && metadata.isEmpty

  /** Whether written rows include it. */
  def isWritten: Boolean = !metadata.exists(_.virtual)

  /** The quoted name for use in a statement. */
  def sqlName: String = TopicColumn.quoted(name)

  /** The metadata of a field that represents this column under another name or type. */
  def renamedMetadata(internal: String): Metadata = new MetadataBuilder()
    .withMetadata(TopicColumn.metadata(side, metadata))
    .putString(TopicColumn.nameKey, name)
    .putString(TopicColumn.internalKey, internal)
    .putString(TopicColumn.typeKey, dataType.json)
    .build()
}

object TopicColumn {

  /** Key of the column's side in its metadata, which any metastore preserves. */
  val roleKey = "kafkalyst.role"

  /** Keys of the column metadata of a metadata column. */
  private val metadataKey = "kafkalyst.metadata"
  private val virtualKey = "kafkalyst.virtual"

  def metadata(side: Side, metadata: Option[MetadataColumn] = None): Metadata = {
    val builder = new MetadataBuilder().putString(roleKey, side.name)
    metadata.foreach(m => builder.putString(metadataKey, m.key).putBoolean(virtualKey, m.virtual))
    builder.build()
  }

  /** The metadata without what Kafkalyst has added. */
  def unmarked(metadata: Metadata): Metadata =
    marks.foldLeft(new MetadataBuilder().withMetadata(metadata))(_.remove(_)).build()

  /** Whether Kafkalyst has added something. */
  def isMarked(metadata: Metadata): Boolean = metadata != Metadata.empty && marks.exists(metadata.contains)

  def quoted(name: String): String = "\"" + name.replace("\"", "\"\"") + "\""

  /** Keys of the external name and type, for a field with internal ones. */
  val nameKey = "kafkalyst.name"
  val internalKey = "kafkalyst.internal"
  val typeKey = "kafkalyst.type"

  /** Marks key columns created by PARTITION BY. */
  private val madeKey = "kafkalyst.made"
  private val marks = Seq(roleKey, metadataKey, virtualKey, nameKey, internalKey, typeKey, madeKey)
  def isMade(metadata: Metadata): Boolean = metadata.contains(madeKey)
  def made(side: Side): Metadata =
    new MetadataBuilder().withMetadata(metadata(side)).putBoolean(madeKey, true).build()

  /** The user-visible name of a field. An alias keeps the metadata, but its name is the user's own. */
  def nameOf(name: String, metadata: Metadata): String =
    if (metadata.contains(nameKey) && metadata.getString(internalKey) == name) metadata.getString(nameKey) else name

  /** The inverse of [[nameOf]]: the name of the column in the table's scan. */
  def internalOf(name: String, metadata: Metadata): String =
    if (metadata.contains(nameKey) && metadata.getString(nameKey) == name) metadata.getString(internalKey) else name

  def sideOf(metadata: Metadata): Side =
    if (metadata.contains(roleKey) && metadata.getString(roleKey) == Side.Key.name) Side.Key else Side.Value

  /** The column that a plan's attribute represents. */
  def of(a: Attribute): TopicColumn = of(StructField(a.name, a.dataType, metadata = a.metadata))

  def of(field: StructField): TopicColumn = {
    val given = field.metadata
    val dataType = if (given.contains(typeKey)) StoredType.of(given.getString(typeKey)) else field.dataType
    val metadata =
      if (given.contains(metadataKey))
        Some(MetadataColumn(given.getString(metadataKey), given.contains(virtualKey) && given.getBoolean(virtualKey)))
      else None
    TopicColumn(nameOf(field.name, given), dataType, sideOf(given), metadata)
  }
}
