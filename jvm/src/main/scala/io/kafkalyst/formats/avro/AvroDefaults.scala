package io.kafkalyst.formats
package avro

import java.io.ByteArrayOutputStream

import scala.jdk.CollectionConverters._
import scala.util.Try

import org.apache.avro.{JsonProperties, Schema}
import org.apache.avro.Schema.Type
import org.apache.avro.generic.{GenericData, GenericDatumWriter}
import org.apache.avro.io.EncoderFactory
import org.apache.spark.sql.catalyst.InternalRow

/**
 * Applies the table's own schema to fields that a writer's schema lacks or has under an older name (Avro specification,
 * schema resolution): aliases and defaults.
 */
private[formats] object AvroDefaults {

  /** The writer's schema with aliases of the table's schema replaced by the current names. */
  def renamed(writer: Schema, table: Schema): Schema =
    // If both names are in use the alias is ignored.
    Try(Schema.applyAliases(writer, table)).getOrElse(writer)

  /** The field of the table's record for each column; null if it has none. */
  def fields(table: Schema, columns: Seq[String]): Array[Schema.Field] = {
    val found = new Array[Schema.Field](columns.size)
    if (table != null) {
      val all = table.getFields.asScala.toSeq
      val index = new FieldIndex(all.map(_.name))
      columns.zipWithIndex.foreach { case (column, i) =>
        val at = if (index.exact(column) >= 0) index.exact(column) else index.inOtherCase(column)
        if (at >= 0) found(i) = all(at)
      }
    }
    found
  }

  /** Sets a column to the field's default; None if the default is missing, null, or not a value of the column. */
  def reader(field: Schema.Field)(of: Schema => AvroReader): Option[AvroReader] =
    if (field == null || !field.hasDefaultValue || field.defaultVal == JsonProperties.NULL_VALUE) None
    else Try {
      val out = new ByteArrayOutputStream
      val encoder = EncoderFactory.get.directBinaryEncoder(out, null)
      new GenericDatumWriter[Any](field.schema).write(GenericData.get.getDefaultValue(field), encoder)
      encoder.flush()
      val default = new DefaultReader(out.toByteArray, of(field.schema))
      // A default that the column cannot hold fails here, not per record.
      default.read(null)
      default
    }.toOption

  /** The record schema inside an optional union, or null. */
  def record(table: Schema): Schema = if (table == null) null else AvroSchemas.recordOf(table).orNull

  /** The element schema of an array or map inside an optional union; null if it is not of the writer's type. */
  def element(table: Schema, writer: Type): Schema = plain(table) match {
    case null => null
    case own if own.getType != writer => null
    case list if writer == Type.ARRAY => list.getElementType
    case map => map.getValueType
  }

  /**
   * The writer's symbols as read: a symbol that the table's enum lacks is read as that enum's default, if it has one.
   */
  def symbols(writer: Schema, table: Schema): Seq[String] = {
    val written = writer.getEnumSymbols.asScala.toSeq
    plain(table) match {
      case own if own != null && own.getType == Type.ENUM && own.getEnumDefault != null =>
        written.map(s => if (own.hasEnumSymbol(s)) s else own.getEnumDefault)
      case _ => written
    }
  }

  private def plain(schema: Schema): Schema =
    if (schema == null || schema.getType != Type.UNION) schema
    else schema.getTypes.asScala.filter(_.getType != Type.NULL).toSeq match {
      case Seq(one) => one
      case _ => null
    }

  /** Decodes the same bytes for every record, independent of the record's own. */
  private final class DefaultReader(bytes: Array[Byte], reader: AvroReader) extends AvroReader {
    private val own = new ByteReader

    override def read(in: ByteReader): Any = {
      own.reset(bytes, 0, bytes.length)
      reader.read(own)
    }

    override def into(in: ByteReader, row: InternalRow, ordinal: Int): Unit = {
      own.reset(bytes, 0, bytes.length)
      reader.into(own, row, ordinal)
    }
  }
}
