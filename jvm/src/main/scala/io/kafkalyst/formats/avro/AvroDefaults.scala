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
 * What the table's own schema says of fields that a writer's schema lacks or has under an older name (Avro
 * specification, schema resolution): its aliases, and its defaults.
 */
private[formats] object AvroDefaults {

  /** The writer's schema with the names that the table's schema has now for what it knows by an alias. */
  def renamed(writer: Schema, table: Schema): Schema =
    // Where both names are in use the alias means nothing.
    Try(Schema.applyAliases(writer, table)).getOrElse(writer)

  /** The field of the table's record for each column; null where it has none. */
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

  /** Sets a column to the field's default; None where it has none, null, or one that is no value of the column. */
  def reader(field: Schema.Field)(of: Schema => AvroReader): Option[AvroReader] =
    if (field == null || !field.hasDefaultValue || field.defaultVal == JsonProperties.NULL_VALUE) None
    else Try {
      val out = new ByteArrayOutputStream
      val encoder = EncoderFactory.get.directBinaryEncoder(out, null)
      new GenericDatumWriter[Any](field.schema).write(GenericData.get.getDefaultValue(field), encoder)
      encoder.flush()
      val default = new DefaultReader(out.toByteArray, of(field.schema))
      // A default that the column cannot hold shows here, not at the records.
      default.read(null)
      default
    }.toOption

  /** The record that the schema is, null aside; null where it is none. */
  def record(table: Schema): Schema = if (table == null) null else AvroSchemas.recordOf(table).orNull

  /** What the items of an array or the values of a map are, null aside; null where it is neither. */
  def element(table: Schema): Schema = plain(table) match {
    case null => null
    case list if list.getType == Type.ARRAY => list.getElementType
    case map if map.getType == Type.MAP => map.getValueType
    case _ => null
  }

  /** The writer's symbols as they are read: one that the table's enum lacks as that one's default, where it has one. */
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

  /** Reads the same bytes at each record, whatever the record's own are. */
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
