package io.kafkalyst.formats
package avro

import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import org.apache.spark.sql.catalyst.InternalRow

/**
 * AVRO_NOSR: Avro's binary encoding without a registry, like Flink's format `avro`. For both reading and writing, its
 * schema is the one that AVRO derives from the side's columns.
 *
 * Null: the null of a nullable field; null for a field of REQUIRED_FIELDS cannot be written; a null single unwrapped
 * column is null bytes.
 */
object AvroNosrFormat extends Format {
  override def name: String = "AVRO_NOSR"

  override def wrapping: Wrapping = Wrapping.Either

  override def properties: Seq[String] = Seq(SideFormat.timestampUnit, SideFormat.requiredFields)

  override def emptyValue: Option[Array[Byte]] = Some(Array.emptyByteArray)

  override def validate(side: Side, columns: Seq[TopicColumn], as: SideFormat): Unit =
    AvroFormat.validate(name, side, columns, as)

  override def decoder(request: DecodeRequest): Decoder =
    if (request.targets.isEmpty) (_: Array[Byte], _: Int, _: Int, _: InternalRow) => ()
    else {
      val names = request.declared.map(_.name)
      val wrapped = FormatRules.wrapped(request.side, request.format, names.size)
      val program =
        AvroProgram.of(schema(request.declared, request.side, request.format), names, request.targets, wrapped)
      (bytes: Array[Byte], offset: Int, length: Int, row: InternalRow) => program.run(bytes, offset, length, row)
    }

  override def encoder(request: EncodeRequest): Encoder =
    if (request.sources.isEmpty) (_: InternalRow) => null
    else {
      val columns = request.sources.toSeq.map(s => TopicColumn(s.name, s.dataType, request.side))
      AvroEncoder(
        request.copy(format = request.format.copy(schemaId = None)),
        schema(columns, request.side, request.format)
      )
    }

  private def schema(columns: Seq[TopicColumn], side: Side, as: SideFormat) =
    new org.apache.avro.Schema.Parser().parse(AvroSchemas.schema(columns, side, name, as))
}
