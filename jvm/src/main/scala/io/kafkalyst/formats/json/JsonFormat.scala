package io.kafkalyst.formats
package json

import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import org.apache.spark.sql.catalyst.InternalRow

/**
 * JSON: one UTF-8 JSON value per side, without a schema. A side is an object of its columns; a single key column, or a
 * single column with WRAP_SINGLE=false, is the bare value.
 *
 * Types: numbers as they are, also DECIMAL (which may also be a string); BINARY as base64; DATE, TIMESTAMP and
 * TIMESTAMP_NTZ as ISO-8601 strings, also read from epoch days and milliseconds; ARRAY, STRUCT, and MAP with STRING
 * keys as arrays and objects. With TIMESTAMP_STANDARD, DATE and TIMESTAMP are also written as text.
 *
 * Records of JSON_SR are read too, as in ksqlDB: their schema ids are skipped. With COERCE, a stream's value may be an
 * array of objects, a row each.
 *
 * Null: absent fields and null fields are null; null columns are written as null, or left out with
 * OMIT_NULLS; a null bare column is null bytes; the JSON value null is null columns.
 */
object JsonFormat extends Format {
  override def name: String = "JSON"

  override def wrapping: Wrapping = Wrapping.Either

  override def tellsNewFields: Boolean = true

  override def properties: Seq[String] =
    Seq(
      SideFormat.nullBadFields,
      SideFormat.skipBad,
      SideFormat.requireFields,
      SideFormat.omitNulls,
      SideFormat.decimalForm,
      SideFormat.timestampStandard,
      SideFormat.coerce
    )

  override def emptyValue: Option[Array[Byte]] = Some("{}".getBytes(java.nio.charset.StandardCharsets.UTF_8))

  override def validate(side: Side, columns: Seq[TopicColumn], as: SideFormat): Unit =
    FormatRules.requireTypes(name, side, columns, mapsInKeys = true)

  override def decoder(request: DecodeRequest): Decoder = {
    val wrapped = FormatRules.wrapped(request.side, request.format, request.declared.size)
    val one =
      Decoder.of(request)(new JsonDecoder(request, wrapped, JsonShape.Free))(new JsonRestDecoder(request, wrapped))
    if (wrapped && JsonArrayDecoder.areIn(request))
      new JsonArrayDecoder(request, one, JsonDecoder.fields(request, JsonShape.Free))
    else
      (bytes, offset, length, row) => {
        val head = JsonArrayDecoder.headerOf(bytes, offset, length)
        one.decode(bytes, offset + head, length - head, row)
      }
  }

  override def encoder(request: EncodeRequest): Encoder =
    if (request.sources.isEmpty) (_: InternalRow) => null
    else {
      val wrapped = FormatRules.wrapped(request.side, request.format, request.sources.length)
      new JsonEncoder(request, Array.emptyByteArray, wrapped, JsonShape.Free)
    }
}
