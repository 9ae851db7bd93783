package io.kafkalyst.formats
package avro

import scala.jdk.CollectionConverters._

import io.kafkalyst.formats.bytes.ByteWriter
import io.kafkalyst.keys.CanonicalMaps
import io.kafkalyst.model.{Side, SideFormat}
import io.kafkalyst.registry.WireFormat
import org.apache.avro.Schema
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

/**
 * Writes rows with one schema of the registry, resolved once.
 *
 * A field without a column gets the schema's default, else null; a column without a field is rejected, as its values
 * would be lost. Errors: KafkalystTaskException VALUE_NOT_WRITABLE naming the field: when built, for mismatches that
 * affect every row; when encoding, for a null in a required field and values that the field's type cannot hold.
 */
private[formats] final class AvroEncoder(request: EncodeRequest, header: Array[Byte], writer: AvroWriter, single: Int)
    extends Encoder {
  private val out = new ByteWriter

  override def encode(row: InternalRow): Array[Byte] =
    if (single >= 0 && row.isNullAt(single)) null
    else
      NotWritable.guard(request) {
        out.clear()
        out.writeRaw(header)
        writer.write(out, row, single)
        out.toArray
      }
}

private[formats] object AvroEncoder {

  /** @param schema the schema of the side's schema id */
  def apply(request: EncodeRequest, schema: Schema): AvroEncoder = NotWritable.guard(request) {
    val sources = request.sources.toSeq
    val header = request.format.schemaId.fold(Array.emptyByteArray)(WireFormat.header)
    val record = recordToWrite(request, schema)
    val canonical = request.side == Side.Key && sources.exists(s => CanonicalMaps.holdsMap(s.dataType))
    val build = new AvroWriterBuilder(canonical, request.format.options.get(SideFormat.timestampUnit))
    val struct = sources.head.dataType.isInstanceOf[StructType]
    // As in reading: a schema that is clearly a record of the columns, or clearly is not, decides itself.
    val asDeclared = !struct || FormatRules.wrapped(request.side, request.format, 1)
    val wrapped = sources.size > 1 || record.isDefined && asDeclared
    if (!wrapped) {
      val source = sources.head
      val writer = build.writer(schema, source.dataType, source.name)
      val whole = if (schema.getType == Schema.Type.BYTES) new AvroWriters.RestWriter(writer) else writer
      new AvroEncoder(request, header, whole, source.ordinal)
    } else {
      val shape = record.getOrElse {
        val reason = s"the schema is a bare ${schema.getType.getName}, which holds one column only"
        throw new NotWritable(sources.map(_.name).mkString(", "), reason)
      }
      val all = build.fields(shape, sources.map(s => (s.name, s.dataType, s.ordinal)), "")
      val branch = if (shape eq schema) Array.emptyByteArray else branchOf(schema, shape)
      new AvroEncoder(request, header ++ branch, all, -1)
    }
  }

  /** The side's record; SCHEMA_FULL_NAME selects it if the schema has several. */
  private def recordToWrite(request: EncodeRequest, schema: Schema): Option[Schema] = {
    val fullName = request.format.options.get(SideFormat.schemaFullName)
    AvroSchemas.chosen(schema, fullName) match {
      case Right(chosen) => AvroSchemas.recordOf(chosen)
      case Left(names) =>
        val reason = s"none of the schema's records is ${fullName.get}: ${names.mkString(", ")}"
        throw new NotWritable(request.sources.map(_.name).mkString(", "), reason)
    }
  }

  private def branchOf(union: Schema, branch: Schema): Array[Byte] = {
    val out = new ByteWriter
    out.writeLong(union.getTypes.asScala.indexWhere(_ eq branch).toLong)
    out.toArray
  }
}
