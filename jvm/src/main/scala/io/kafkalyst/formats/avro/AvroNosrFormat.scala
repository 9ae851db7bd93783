package io.kafkalyst.formats
package avro

import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import org.apache.spark.sql.catalyst.InternalRow

/**
 * AVRO_NOSR: Avro's binary or JSON encoding without a registry, like Flink's format `avro`. For both reading and
 * writing, its schema is the one that AVRO derives from the side's columns.
 *
 * Null: the null of a nullable field; null for a field of REQUIRED_FIELDS cannot be written; a null single unwrapped
 * column is null bytes.
 */
object AvroNosrFormat extends Format {
  override def name: String = "AVRO_NOSR"

  override def wrapping: Wrapping = Wrapping.Either

  override def properties: Seq[String] =
    Seq(SideFormat.timestampUnit, SideFormat.requiredFields, SideFormat.avroEncoding)

  override def emptyValue: Option[Array[Byte]] = Some(Array.emptyByteArray)

  override def validate(side: Side, columns: Seq[TopicColumn], as: SideFormat): Unit =
    AvroFormat.validate(name, side, columns, as)

  override def decoder(request: DecodeRequest): Decoder =
    if (request.targets.isEmpty) (_: Array[Byte], _: Int, _: Int, _: InternalRow) => ()
    else {
      val names = request.declared.map(_.name)
      val wrapped = FormatRules.wrapped(request.side, request.format, names.size)
      val own = schema(request.declared, request.side, request.format)
      val program = AvroProgram.of(own, names, request.targets, wrapped)
      if (AvroJson.is(request.format)) {
        val json = new AvroJson(own)
        (bytes: Array[Byte], offset: Int, length: Int, row: InternalRow) => {
          val binary = json.binary(bytes, offset, length)
          program.run(binary, 0, binary.length, row)
        }
      } else (bytes: Array[Byte], offset: Int, length: Int, row: InternalRow) => program.run(bytes, offset, length, row)
    }

  override def encoder(request: EncodeRequest): Encoder =
    if (request.sources.isEmpty) (_: InternalRow) => null
    else {
      val columns = request.sources.toSeq.map(s => TopicColumn(s.name, s.dataType, request.side))
      val own = schema(columns, request.side, request.format)
      val encoder = AvroEncoder(request.copy(format = request.format.copy(schemaId = None)), own)
      if (!AvroJson.is(request.format)) encoder
      else {
        val json = new AvroJson(own)
        (row: InternalRow) => Option(encoder.encode(row)).map(json.json).orNull
      }
    }

  /** Has the record names of Flink's schema, as the JSON encoding repeats them at each ROW of a nullable column. */
  private def schema(columns: Seq[TopicColumn], side: Side, as: SideFormat) = {
    val named = as.copy(options = as.options + (SideFormat.schemaFullName -> flinkName))
    new org.apache.avro.Schema.Parser().parse(AvroSchemas.schema(columns, side, name, named))
  }

  private val flinkName = "org.apache.flink.avro.generated.record"
}
