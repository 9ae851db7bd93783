package io.kafkalyst.formats

import scala.util.control.NonFatal

import io.kafkalyst.errors.{KafkalystException, KafkalystTaskException}
import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import io.kafkalyst.registry.{RegisteredSchema, WireFormat}
import org.apache.avro.Schema
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._

/**
 * AVRO: Avro's binary encoding behind a schema id of the registry. A record is read by the schema that it was
 * written with, and written by the one of the side's schema id.
 *
 * Null: a field that the writer's schema lacks is null; a side of several columns that are all null is still a
 * record of nulls; a null single unwrapped column is null bytes.
 */
object AvroFormat extends Format {
  override def name: String = "AVRO"

  override def wrapping: Wrapping = Wrapping.Either

  override def schemaType: Option[String] = Some("AVRO")

  /** KafkalystException UNSUPPORTED_COLUMN_TYPE, or INVALID_FIELD_NAME with all names that Avro does not take. */
  override def validate(side: Side, columns: Seq[TopicColumn], as: SideFormat): Unit = {
    FormatRules.requireTypes(name, side, columns)
    def within(t: DataType, path: String): Seq[String] = t match {
      case s: StructType =>
        s.fields.toSeq.flatMap { f =>
          val inner = s"$path.${f.name}"
          own(f.name, inner) ++ within(f.dataType, inner)
        }
      case a: ArrayType => within(a.elementType, path)
      case m: MapType => within(m.valueType, path)
      case _ => Nil
    }
    def own(field: String, path: String): Seq[String] = if (AvroSchemas.legal(field)) Nil else Seq(path)
    // A key's single column stands alone, so its name is not written.
    val named = side == Side.Value || columns.size > 1
    val bad = columns.flatMap(c => (if (named) own(c.name, c.name) else Nil) ++ within(c.dataType, c.name))
    if (bad.nonEmpty) {
      throw KafkalystException(
        "INVALID_FIELD_NAME",
        "format" -> name,
        "side" -> side.name,
        "names" -> bad.map(n => s"`$n`").mkString(", "),
        "rule" -> "letters, digits and _, the first no digit"
      )
    }
  }

  override def columnsOf(schema: RegisteredSchema, side: Side, as: SideFormat): Seq[TopicColumn] =
    AvroSchemas.columns(schema.schema, side)

  override def schemaOf(columns: Seq[TopicColumn], side: Side, objectName: String, as: SideFormat): String =
    AvroSchemas.schema(columns, side, objectName)

  override def decoder(request: DecodeRequest): Decoder =
    if (request.targets.isEmpty) (_: Array[Byte], _: Int, _: Int, _: InternalRow) => () else new AvroDecoder(request)

  override def encoder(request: EncodeRequest): Encoder =
    if (request.sources.isEmpty) (_: InternalRow) => null else AvroEncoder(request, schemaToWrite(request))

  private def schemaToWrite(request: EncodeRequest): Schema = {
    def fail(condition: String, more: (String, String)*) = throw KafkalystTaskException(
      null,
      condition,
      Seq("format" -> name, "side" -> request.side.name, "topic" -> request.topic) ++ more: _*
    )
    val id = request.format.schemaId.getOrElse(fail("NO_SCHEMA_ID"))
    val known = request.registry().byId(id).getOrElse(fail("UNKNOWN_SCHEMA_ID", "id" -> id.toString))
    parsed(known) match {
      case Right(schema) => schema
      case Left(reason) => fail("UNUSABLE_SCHEMA", "id" -> id.toString, "reason" -> reason)
    }
  }

  /** The schema, or why it is none. */
  private[formats] def parsed(known: RegisteredSchema): Either[String, Schema] =
    if (known.schemaType != schemaType.get) Left(s"schema id ${known.id} is of type ${known.schemaType}, not AVRO")
    else {
      try Right(AvroSchemas.parse(known.schema))
      catch { case NonFatal(e) => Left(s"schema id ${known.id} is no valid Avro schema: ${e.getMessage}") }
    }
}

/** Keeps the program of every schema id that was met. */
private final class AvroDecoder(request: DecodeRequest) extends Decoder {
  private val registry = request.registry()
  private val wrapped = FormatRules.wrapped(request.side, request.format, request.declared.size)
  private val programs = new java.util.HashMap[Int, Either[BadBytes, AvroProgram]]
  private var lastId = 0
  private var last: AvroProgram = _

  override def decode(bytes: Array[Byte], offset: Int, length: Int, row: InternalRow): Unit = {
    if (length < WireFormat.headerLength || bytes(offset) != WireFormat.magic) {
      throw new BadBytes(WireFormat.fault(bytes, offset, length))
    }
    val id = WireFormat.schemaId(bytes, offset)
    if (last == null || id != lastId) {
      last = program(id)
      lastId = id
    }
    last.run(bytes, offset + WireFormat.headerLength, length - WireFormat.headerLength, row)
  }

  private def program(id: Int): AvroProgram = {
    val known = programs.get(id)
    val found = if (known != null) known else resolve(id)
    found match {
      case Right(program) => program
      case Left(bad) =>
        last = null
        throw bad
    }
  }

  private def resolve(id: Int): Either[BadBytes, AvroProgram] = registry.byId(id) match {
    // Not kept: an id that is unknown now may be registered before the next record.
    case None => Left(new BadBytes(s"schema id $id is not known to the schema registry"))
    case Some(schema) =>
      val resolved = AvroFormat.parsed(schema).left.map(new BadBytes(_)).flatMap { writer =>
        try Right(AvroProgram.of(writer, request.declared.map(_.name), request.targets, wrapped))
        catch { case bad: BadBytes => Left(new BadBytes(s"schema id $id: ${bad.reason}")) }
      }
      programs.put(id, resolved)
      resolved
  }
}
