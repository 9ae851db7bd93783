package io.kafkalyst.formats
package protobuf

import io.kafkalyst.formats.avro.ByteReader
import io.kafkalyst.formats.bytes.ByteWriter
import io.kafkalyst.errors.KafkalystTaskException
import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import io.kafkalyst.registry.{RegisteredSchema, WireFormat}
import org.apache.spark.sql.catalyst.InternalRow

/**
 * PROTOBUF: a Protobuf message after a schema id of the registry and the message indexes. A record is read with the
 * message that it was written with, and written with the one of the side's schema id.
 *
 * Null: a plain proto3 field holds no null, so null is written as an absent field and reads back as the type's default;
 * fields with `optional`, of a wrapper type or of a message, and members of a oneof, preserve it. A null list or map
 * reads back empty. A side whose columns are all null is a message without fields.
 */
object ProtobufFormat extends Format {
  override def name: String = "PROTOBUF"

  override def wrapping: Wrapping = Wrapping.Always

  override def schemaType: Option[String] = Some("PROTOBUF")

  override def properties: Seq[String] = Seq(SideFormat.nullableRepresentation, SideFormat.schemaFullName)

  override def inherited: Seq[String] = Seq(SideFormat.schemaFullName)

  /** Without presence, null in a proto3 field reads back as 0 or ''. */
  override def keepsNulls(as: SideFormat): Boolean = as.options.contains(SideFormat.nullableRepresentation)

  override def validate(side: Side, columns: Seq[TopicColumn], as: SideFormat): Unit =
    ProtoRules.validate(side, columns, as)

  override def columnsOf(schema: RegisteredSchema, side: Side, as: SideFormat): Seq[TopicColumn] =
    ProtoTypes.columns(schema, side, as)

  override def leftOut(schema: RegisteredSchema, side: Side, as: SideFormat): Seq[String] =
    ProtoTypes.leftOut(schema, side, as)

  override def schemaOf(columns: Seq[TopicColumn], side: Side, objectName: String, as: SideFormat): String =
    ProtoText.of(columns, as)

  override def decoder(request: DecodeRequest): Decoder =
    Decoder.of(request)(new ProtobufDecoder(
      request,
      ProtoProgram.of(_, _, request.declared.map(_.name), request.targets, request.format.isSet(SideFormat.likeKsqldb))
    )) {
      new ProtobufDecoder(
        request,
        (schema, message) =>
          SchemaRest(request, ProtoTypes.columns(schema, message, request.side, request.format), wrapped = true)(
            ProtoProgram.of(schema, message, _, _, isUpper = false)
          )
      )
    }

  override def encoder(request: EncodeRequest): Encoder =
    if (request.sources.isEmpty) (_: InternalRow) => null
    else {
      def fail(condition: String, more: (String, String)*) = throw KafkalystTaskException(
        null,
        condition,
        Seq("format" -> name, "side" -> request.side.name, "topic" -> request.topic) ++ more: _*
      )
      val id = request.format.schemaId.getOrElse(fail("NO_SCHEMA_ID"))
      def unusable(reason: String) = fail("UNUSABLE_SCHEMA", "id" -> id.toString, "reason" -> reason)
      val known = request.registry().byId(id).getOrElse(fail("UNKNOWN_SCHEMA_ID", "id" -> id.toString))
      val (schema, message) = written(known, request.format).fold(unusable, identity)
      ProtoEncoder(request, WireFormat.header(id) ++ place(message), schema, message, nullIsNull = false)
    }

  override def frame(schema: RegisteredSchema, as: SideFormat): Array[Byte] =
    written(schema, as).fold(_ => Array.emptyByteArray, found => place(found._2))

  /** The columns of these bytes' message. Errors: [[BadBytes]], UNSUPPORTED_SCHEMA. */
  private[formats] def columnsOf(
      bytes: Array[Byte],
      known: RegisteredSchema,
      side: Side,
      as: SideFormat
  ): Seq[TopicColumn] = {
    val schema = ProtoSchema.of(known).fold(reason => throw new BadBytes(reason), identity)
    val in = new ByteReader
    in.reset(bytes, WireFormat.headerLength, bytes.length - WireFormat.headerLength)
    val place = ProtobufDecoder.indexes(in)
    val message = schema.at(place).getOrElse(throw ProtobufDecoder.noMessage(place))
    ProtoTypes.columns(schema, message, side, as)
  }

  /** The message for writing rows, or why there is none. */
  private def written(known: RegisteredSchema, as: SideFormat): Either[String, (ProtoSchema, ProtoMessage)] =
    ProtoSchema.of(known).flatMap { schema =>
      val names = schema.names.mkString(", ")
      val message = as.options.get(SideFormat.schemaFullName) match {
        case Some(wanted) =>
          schema.message(wanted).toRight(s"schema id ${known.id} has no message $wanted, only $names")
        case None if schema.file.messages.size == 1 => Right(schema.file.messages.head)
        case None => Left(s"schema id ${known.id} has the messages $names, and no SCHEMA_FULL_NAME says which")
      }
      message.map(schema -> _)
    }

  /** The message indexes: zigzag varints, count first; the first message alone is a single zero byte. */
  private def place(message: ProtoMessage): Array[Byte] = {
    val indexes = message.indexes
    val out = new ByteWriter
    if (indexes == Seq(0)) out.writeLong(0)
    else (indexes.size +: indexes).foreach(n => out.writeLong(n.toLong))
    out.toArray
  }
}

/**
 * Caches the program of every schema id and message seen.
 *
 * @param of the program of a message: a decoder of its bytes
 */
private final class ProtobufDecoder(request: DecodeRequest, of: (ProtoSchema, ProtoMessage) => Decoder)
    extends Decoder {
  private val registry = request.registry()
  private val in = new ByteReader
  private val schemas = new java.util.HashMap[Int, Either[BadBytes, ProtoSchema]]
  private val programs = new java.util.HashMap[(Int, Seq[Int]), Either[BadBytes, Decoder]]
  private var lastId = 0
  // The program of the first message of the last id, which nearly all records use.
  private var last: Decoder = _

  override def decode(bytes: Array[Byte], offset: Int, length: Int, row: InternalRow): Unit = {
    val head = WireFormat.headerLength
    if (length < head || bytes(offset) != WireFormat.magic) {
      throw new BadBytes(WireFormat.fault(bytes, offset, length))
    }
    val id = WireFormat.schemaId(bytes, offset)
    if (length > head && bytes(offset + head) == 0) {
      if (last == null || id != lastId) {
        last = null
        last = program(id, Seq(0))
        lastId = id
      }
      last.decode(bytes, offset + head + 1, length - head - 1, row)
    } else {
      in.reset(bytes, offset + head, length - head)
      val place = ProtobufDecoder.indexes(in)
      val body = in.remaining
      program(id, place).decode(bytes, offset + length - body, body, row)
    }
  }

  private def program(id: Int, place: Seq[Int]): Decoder = {
    val known = programs.get((id, place))
    val found = if (known != null) known else resolve(id, place)
    found.fold(bad => throw bad, identity)
  }

  private def resolve(id: Int, place: Seq[Int]): Either[BadBytes, Decoder] = {
    val resolved = schema(id).flatMap { schema =>
      try {
        val message = schema.at(place).getOrElse(throw ProtobufDecoder.noMessage(place))
        ProtoResolution.check(message, request)
        Right(of(schema, message))
      } catch { case bad: BadBytes => Left(new BadBytes(s"schema id $id: ${bad.reason}")) }
    }
    // Limits the cache: garbage bytes would fill it with arbitrary indexes.
    if (schemas.containsKey(id) && programs.size < ProtobufDecoder.mostPrograms) programs.put((id, place), resolved)
    resolved
  }

  private def schema(id: Int): Either[BadBytes, ProtoSchema] = {
    val known = schemas.get(id)
    if (known != null) known
    else
      registry.byId(id) match {
        // Not cached: an unknown id may be registered before the next record.
        case None => Left(new BadBytes(s"schema id $id is not known to the schema registry"))
        case Some(found) =>
          val parsed = ProtoSchema.of(found).left.map(new BadBytes(_))
          schemas.put(id, parsed)
          parsed
      }
  }
}

private object ProtobufDecoder {
  private val deepest = 100
  private val mostPrograms = 10000

  /** Reads the message indexes; the reader is at the byte after the schema id. */
  def indexes(in: ByteReader): Seq[Int] = {
    if (in.remaining == 0) in.bad("no message index behind the schema id")
    val size = in.readInt()
    if (size < 0 || size > deepest) in.bad(s"$size message indexes")
    if (size == 0) Seq(0) else Seq.fill(size)(in.readInt())
  }

  def noMessage(place: Seq[Int]): BadBytes = new BadBytes(s"there is no message at index ${place.mkString(", ")}")
}
