package io.kafkalyst.formats
package jsonschema

import io.kafkalyst.formats.json.{JsonDecoder, JsonEncoder, JsonOneOf, JsonRestDecoder, JsonShape}
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import io.kafkalyst.registry.{RegisteredSchema, WireFormat}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DataType, MapType, StructType}

/**
 * JSON_SR: JSON after a schema id of the registry, which holds its JSON Schema. Reading uses the schema only for what
 * the JSON itself does not determine; writing follows the schema of the side's id.
 *
 * Types: as [[JsonFormat]], but DATE as epoch days and TIMESTAMP as epoch milliseconds if the schema expects numbers,
 * as the schemas from [[schemaOf]] do; a value of no single type is a STRING with its JSON text.
 *
 * Null: as [[JsonFormat]]; a null column that the schema makes neither nullable nor required is omitted.
 */
object JsonSrFormat extends Format {
  override def name: String = "JSON_SR"

  override def schemaType: Option[String] = Some("JSON")

  override def wrapping: Wrapping = Wrapping.Either

  override def properties: Seq[String] = Seq(SideFormat.schemaFullName)

  override def isSame(one: RegisteredSchema, other: RegisteredSchema): Boolean =
    one.references.isEmpty && JsonSchemaText.plain(one) == JsonSchemaText.plain(other)

  override def validate(side: Side, columns: Seq[TopicColumn], as: SideFormat): Unit =
    FormatRules.requireTypes(name, side, columns, mapsInKeys = true)

  /** KafkalystException UNSUPPORTED_SCHEMA with the reason. */
  override def columnsOf(schema: RegisteredSchema, side: Side, as: SideFormat): Seq[TopicColumn] =
    try {
      val shape = new JsonSchemas(schema, as.options.contains(SideFormat.likeConnect)).named(fullName(as))
      val columns = shape match {
        case fields: JsonShape.Fields if FormatRules.wrapped(side, as, 1) =>
          JsonSchemas.dataType(fields).toSeq.flatMap {
            case s: StructType => s.fields.map(f => TopicColumn(f.name, f.dataType, side)).toSeq
            case _ => Nil
          }
        case bare =>
          val name = FormatRules.bareColumn(side)
          JsonSchemas.dataType(bare).map(TopicColumn(name, _, side)).toSeq
      }
      if (columns.isEmpty) throw new BadJsonSchema("it has no field that can be a column")
      columns
    } catch {
      case e: BadJsonSchema =>
        throw KafkalystException("UNSUPPORTED_SCHEMA", "format" -> name, "side" -> side.name, "reason" -> e.reason)
    }

  override def leftOut(schema: RegisteredSchema, side: Side, as: SideFormat): Seq[String] =
    JsonSchemas.leftOut(new JsonSchemas(schema).named(fullName(as)), "")

  override def required(schema: RegisteredSchema, side: Side, as: SideFormat): Seq[String] =
    new JsonSchemas(schema).named(fullName(as)) match {
      case fields: JsonShape.Fields if FormatRules.wrapped(side, as, 1) =>
        fields.fields.filter(f => f.required && f.default == null && !f.shape.get.nullable).map(_.name)
      case _ => Nil
    }

  override def schemaOf(columns: Seq[TopicColumn], side: Side, objectName: String, as: SideFormat): String =
    JsonSchemaText.of(columns, FormatRules.wrapped(side, as, columns.size), fullName(as))

  override def decoder(request: DecodeRequest): Decoder =
    Decoder.of(request)(new JsonSrDecoder(request, new JsonDecoder(request, _, _)))(
      new JsonSrDecoder(request, (wrapped, _) => new JsonRestDecoder(request, wrapped))
    )

  override def encoder(request: EncodeRequest): Encoder =
    if (request.sources.isEmpty) (_: InternalRow) => null
    else {
      val types = request.sources.map(_.dataType).toSeq
      val shape = WriterSchemas.toWrite(this, request)(shapeOf(_, request.format, types))
      val header = WireFormat.header(request.format.schemaId.get)
      val columns = request.sources.toSeq.map(s => TopicColumn(s.name, s.dataType, request.side))
      try new JsonEncoder(request, header, wrapped(request.side, request.format, columns, shape), shape)
      catch { case e: BadJsonSchema => WriterSchemas.toWrite(this, request)(_ => Left(unusable(e))) }
    }

  /** The shape of a schema's values for columns of these types, or why the schema is unusable. */
  private[formats] def shapeOf(
      schema: RegisteredSchema,
      as: SideFormat,
      types: Seq[DataType]
  ): Either[String, JsonShape] =
    WriterSchemas.otherType(this, schema).toLeft(()).flatMap { _ =>
      try Right(new JsonSchemas(schema, likeConnect = types.exists(JsonOneOf.isIn)).named(fullName(as)))
      catch { case e: BadJsonSchema => Left(unusable(e)) }
    }

  private[formats] def unusable(e: BadJsonSchema): String = s"it is not a usable JSON Schema: ${e.reason}"

  /** As in AVRO: a schema that is clearly an object of the columns, or clearly is not, decides itself. */
  private[formats] def wrapped(side: Side, as: SideFormat, columns: Seq[TopicColumn], shape: JsonShape): Boolean =
    if (columns.size != 1) true
    else {
      shape match {
        case _: JsonShape.Fields =>
          !columns.head.dataType.isInstanceOf[StructType] && !columns.head.dataType.isInstanceOf[MapType] ||
          FormatRules.wrapped(side, as, 1)
        case _: JsonShape.Mixed | JsonShape.Free =>
          FormatRules.wrapped(side, as, 1) && columns.head.name != FormatRules.bareColumn(side)
        case _ => false
      }
    }

  private def fullName(as: SideFormat): Option[String] = as.options.get(SideFormat.schemaFullName)
}

/**
 * Caches a decoder for every schema id seen.
 *
 * @param of the decoder for a value, by whether it is an object of the columns and by its shape
 */
private final class JsonSrDecoder(request: DecodeRequest, of: (Boolean, JsonShape) => Decoder) extends Decoder {
  private val decoders = new WriterSchemas[Decoder](request.registry())(schema => {
    val types = request.declared.map(_.dataType)
    val shape = JsonSrFormat.shapeOf(schema, request.format, types).fold(reason => throw new BadBytes(reason), identity)
    JsonSrTitles.check(schema, shape, request)
    try of(JsonSrFormat.wrapped(request.side, request.format, request.declared, shape), shape)
    catch { case e: BadJsonSchema => throw new BadBytes(JsonSrFormat.unusable(e)) }
  })

  override def decode(bytes: Array[Byte], offset: Int, length: Int, row: InternalRow): Unit =
    decoders
      .of(bytes, offset, length)
      .decode(bytes, offset + WireFormat.headerLength, length - WireFormat.headerLength, row)
}
