package io.kafkalyst.formats

import java.nio.ByteBuffer
import java.nio.charset.{CharacterCodingException, StandardCharsets}

import scala.util.Try

import io.kafkalyst.formats.avro.AvroNosrFormat
import io.kafkalyst.formats.json.JsonFormat
import io.kafkalyst.formats.protobuf.{ProtobufFormat, ProtobufNosrFormat}
import io.kafkalyst.formats.raw.KafkaFormat
import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import io.kafkalyst.registry.{RegisteredSchema, RegistryClient, WireFormat}
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow
import org.apache.spark.sql.types.{BinaryType, StringType}

/** Formats a record's bytes for display: decoded values as JSON, bare strings unchanged. */
object RecordText {

  /** The bytes as UTF-8 text; None if they are not valid UTF-8, or contain control characters. */
  def printable(bytes: Array[Byte]): Option[String] =
    try {
      val decoded = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString
      Option.unless(decoded.exists(c => Character.isISOControl(c) && !Character.isWhitespace(c)))(decoded)
    } catch { case _: CharacterCodingException => None }

  /** Text of bytes that begin with the id of this schema; None if they cannot be decoded with it. */
  def ofSchema(bytes: Array[Byte], side: Side, schema: RegisteredSchema, registry: RegistryClient): Option[String] =
    schema.schemaType match {
      case "JSON" => printable(bytes.drop(WireFormat.headerLength))
      case schemaType =>
        Try {
          val as = SideFormat(Formats(schemaType).name, None, Map(FormatRules.wrapSingle -> "true"))
          val columns =
            if (schemaType == ProtobufFormat.name) ProtobufFormat.columnsOf(bytes, schema, side, as)
            else Formats(schemaType).columnsOf(schema, side, as)
          val isBare = columns.map(_.name) == Seq(FormatRules.bareColumn(side))
          text(bytes, side, as.copy(options = Map(FormatRules.wrapSingle -> (!isBare).toString)), columns, registry)
        }.toOption
    }

  /**
   * Text of a declared side in a binary format without a registry; None for other formats and bytes that it cannot
   * decode.
   */
  def ofSide(
      bytes: Array[Byte],
      side: Side,
      as: SideFormat,
      columns: Seq[TopicColumn],
      registry: => RegistryClient
  ): Option[String] =
    if (!unreadable(as.format) || columns.isEmpty || columns.map(_.dataType) == Seq(BinaryType)) None
    else Try(text(bytes, side, as, columns, registry)).toOption

  /** The number in bytes of Kafka's own serialisers, recognised by the length alone. */
  def ofNumber(bytes: Array[Byte]): Option[String] = bytes.length match {
    case 4 => Some(ByteBuffer.wrap(bytes).getInt.toString)
    case 8 => Some(ByteBuffer.wrap(bytes).getLong.toString)
    case _ => None
  }

  def hex(bytes: Array[Byte]): String = bytes.map(b => f"${b & 0xff}%02x").mkString("0x", "", "")

  private val unreadable = Set(KafkaFormat.name, AvroNosrFormat.name, ProtobufNosrFormat.name)

  private def text(
      bytes: Array[Byte],
      side: Side,
      as: SideFormat,
      columns: Seq[TopicColumn],
      registry: => RegistryClient
  ): String = {
    val format = Formats(as.format)
    val places = columns.zipWithIndex.map { case (c, i) => Target(c.name, c.dataType, i) }.toArray
    val row = new SpecificInternalRow(columns.map(_.dataType))
    format.decoder(DecodeRequest(side, "", as, columns, places, () => registry)).decode(bytes, 0, bytes.length, row)
    val isBare = columns.size == 1 && format.wrapping != Wrapping.Always &&
      (format.wrapping == Wrapping.Never || !FormatRules.wrapped(side, as, 1))
    if (isBare && columns.head.dataType == StringType) row.getUTF8String(0).toString
    else {
      val json = SideFormat(JsonFormat.name, None, Map(FormatRules.wrapSingle -> (!isBare).toString))
      val encoded = JsonFormat.encoder(EncodeRequest(side, "", json, places, () => registry)).encode(row)
      new String(encoded, StandardCharsets.UTF_8)
    }
  }
}
