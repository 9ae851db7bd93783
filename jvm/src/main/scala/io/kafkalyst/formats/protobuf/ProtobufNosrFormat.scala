package io.kafkalyst.formats
package protobuf

import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType

/**
 * PROTOBUF_NOSR: a bare Protobuf message without a registry. Its fields are the side's columns, numbered from 1 in
 * column order; their types are those that PROTOBUF derives.
 *
 * Unwrapped, a single STRUCT column is the message itself; a single column of another type is still wrapped in a
 * message, as Protobuf has no bare values. A null unwrapped column is null bytes. Other nulls are as in PROTOBUF.
 */
object ProtobufNosrFormat extends Format {
  override def name: String = "PROTOBUF_NOSR"

  override def wrapping: Wrapping = Wrapping.Either

  override def properties: Seq[String] = Seq(SideFormat.nullableRepresentation)

  override def inherited: Seq[String] = properties

  /** Without presence, null in a proto3 field reads back as 0 or ''. */
  override def keepsNulls(as: SideFormat): Boolean = as.options.contains(SideFormat.nullableRepresentation)

  override def emptyValue: Option[Array[Byte]] = Some(Array.emptyByteArray)

  override def validate(side: Side, columns: Seq[TopicColumn], as: SideFormat): Unit =
    ProtoRules.validate(side, columns, as)

  override def decoder(request: DecodeRequest): Decoder =
    if (request.targets.isEmpty) (_: Array[Byte], _: Int, _: Int, _: InternalRow) => ()
    else {
      val (schema, struct) = message(request.side, request.format, request.declared)
      val top = schema.file.messages.head
      val isUpper = request.format.isSet(SideFormat.likeKsqldb)
      if (struct.isDefined) ProtoProgram.ofStruct(schema, top, request.targets.head, isUpper)
      else ProtoProgram.of(schema, top, request.declared.map(_.name), request.targets, isUpper)
    }

  override def encoder(request: EncodeRequest): Encoder =
    if (request.sources.isEmpty) (_: InternalRow) => null
    else {
      val columns = request.sources.toSeq.map(s => TopicColumn(s.name, s.dataType, request.side))
      val (schema, struct) = message(request.side, request.format, columns)
      val top = schema.file.messages.head
      struct match {
        case Some(t) => ProtoEncoder.ofStruct(request, schema, top, t)
        case None =>
          val isBare = !FormatRules.wrapped(request.side, request.format, columns.size)
          ProtoEncoder(request, Array.emptyByteArray, schema, top, nullIsNull = isBare)
      }
    }

  /** The message for the columns; also the struct whose fields are the message's own, if there is one. */
  private def message(side: Side, as: SideFormat, columns: Seq[TopicColumn]): (ProtoSchema, Option[StructType]) = {
    val struct = columns match {
      case Seq(TopicColumn(_, s: StructType, _, _)) if !FormatRules.wrapped(side, as, 1) => Some(s)
      case _ => None
    }
    val fields = struct.fold(columns)(_.fields.toSeq.map(f => TopicColumn(f.name, f.dataType, side)))
    (ProtoSchema.parse(ProtoText.of(fields, as)), struct)
  }
}
