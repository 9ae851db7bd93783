package io.kafkalyst.formats
package avro

import java.util.Locale

import scala.util.control.NonFatal

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import io.kafkalyst.registry.{RegisteredSchema, WireFormat}
import org.apache.avro.Schema
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._

/**
 * AVRO: Avro's binary encoding after a schema id of the registry. A record is read with the schema that it was written
 * with, and written with the schema of the side's schema id.
 *
 * Null: a field that the writer's schema lacks gets its default from the table's schema, else null; a side of several
 * columns that are all null is still a record of nulls; a null single unwrapped column is null bytes.
 */
object AvroFormat extends Format {
  override def name: String = AvroSchemas.format

  override def wrapping: Wrapping = Wrapping.Either

  override def schemaType: Option[String] = Some("AVRO")

  override def properties: Seq[String] =
    Seq(SideFormat.schemaFullName, SideFormat.timestampUnit, SideFormat.requiredFields)

  /**
   * KafkalystException UNSUPPORTED_COLUMN_TYPE, INVALID_FIELD_NAME with all names that are invalid in Avro, or
   * INVALID_PROPERTY for an invalid full name.
   */
  override def validate(side: Side, columns: Seq[TopicColumn], as: SideFormat): Unit =
    validate(name, side, columns, as)

  override def isSame(one: RegisteredSchema, other: RegisteredSchema): Boolean =
    one.references.isEmpty && AvroSchemas.plain(one) == AvroSchemas.plain(other)

  private[formats] def validate(name: String, side: Side, columns: Seq[TopicColumn], as: SideFormat): Unit = {
    FormatRules.requireTypes(name, side, columns, mapsInKeys = true)
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
    // The name of a bare column is not written.
    val named = FormatRules.wrapped(side, as, columns.size)
    val bad = columns.flatMap(c => (if (named) own(c.name, c.name) else Nil) ++ within(c.dataType, c.name))
    FormatRules.refuseNames(name, side, columns.map(_.name), bad)
    as.options.get(SideFormat.schemaFullName).filterNot(_.split("\\.", -1).forall(AvroSchemas.legal)).foreach { given =>
      throw KafkalystException(
        "INVALID_PROPERTY",
        "property" -> s"${side.name.toUpperCase(Locale.ROOT)}_${SideFormat.schemaFullName}",
        "value" -> given,
        "expected" -> "a record's full name is expected, as in com.example.Order: names of letters, digits and _"
      )
    }
  }

  override def columnsOf(schema: RegisteredSchema, side: Side, as: SideFormat): Seq[TopicColumn] =
    AvroSchemas.columns(schema, side, as)

  override def leftOut(schema: RegisteredSchema, side: Side, as: SideFormat): Seq[String] =
    AvroSchemas.leftOut(schema, side, as)

  override def docs(schema: RegisteredSchema): Map[String, String] =
    AvroSchemas.docs(schema)

  override def required(schema: RegisteredSchema, side: Side, as: SideFormat): Seq[String] =
    AvroSchemas.required(schema, side, as)

  override def schemaOf(columns: Seq[TopicColumn], side: Side, objectName: String, as: SideFormat): String =
    AvroSchemas.schema(columns, side, objectName, as)

  override def inFormOf(known: RegisteredSchema, as: SideFormat): SideFormat =
    AvroSchemas.hasEntries(known).fold(as) { entries =>
      as.copy(options = as.options - SideFormat.likeConnect ++ Option.when(entries)(SideFormat.likeConnect -> "true"))
    }

  override def extended(
      known: RegisteredSchema,
      added: Seq[TopicColumn],
      side: Side,
      as: SideFormat
  ): Option[String] = AvroExtension(known, added, side, as)

  override def decoder(request: DecodeRequest): Decoder =
    Decoder.of(request)(
      if (request.format.options.contains(SideFormat.types)) new AvroTypesDecoder(request, parsed)
      else new AvroDecoder(request)
    )(new AvroRestDecoder(request))

  override def encoder(request: EncodeRequest): Encoder =
    if (request.sources.isEmpty) (_: InternalRow) => null
    else if (request.format.options.contains(SideFormat.types)) new AvroTypesEncoder(request, encoder)
    else AvroEncoder(request, WriterSchemas.toWrite(this, request)(parsed))

  /** The schema, or why it is invalid. */
  private[formats] def parsed(known: RegisteredSchema): Either[String, Schema] =
    WriterSchemas.otherType(this, known).toLeft(()).flatMap { _ =>
      try Right(AvroSchemas.parse(known))
      catch { case NonFatal(e) => Left(s"it is not a valid Avro schema: ${e.getMessage}") }
    }

  /** The table's own schema, if it differs from the record's. */
  private[formats] def table(request: DecodeRequest, written: RegisteredSchema): Option[Schema] = for {
    id <- request.format.schemaId if id != written.id
    known <- request.registry().byId(id)
    schema <- parsed(known).toOption
  } yield schema
}

/** Sets the rescued column: caches a decoder for every schema id seen. */
private final class AvroRestDecoder(request: DecodeRequest) extends Decoder {
  private val wrapped = FormatRules.wrapped(request.side, request.format, request.declared.size)
  private val decoders = new WriterSchemas[Decoder](request.registry())(known => {
    val writer = AvroFormat.parsed(known).fold(reason => throw new BadBytes(reason), identity)
    // Renames the fields that the table's schema has under a newer name.
    val renamed = AvroFormat.table(request, known).fold(writer)(AvroDefaults.renamed(writer, _))
    val recordName = request.format.options.get(SideFormat.schemaFullName)
    val isRecord = wrapped && AvroSchemas.chosen(renamed, recordName).exists(AvroSchemas.recordOf(_).isDefined)
    val whole = known.copy(schema = renamed.toString, references = Nil)
    SchemaRest(request, AvroSchemas.columns(whole, request.side, request.format), isRecord) { (names, targets) =>
      val program = AvroProgram.of(renamed, names, targets, wrapped, recordName)
      (bytes: Array[Byte], offset: Int, length: Int, row: InternalRow) => program.run(bytes, offset, length, row)
    }
  })

  override def decode(bytes: Array[Byte], offset: Int, length: Int, row: InternalRow): Unit =
    decoders
      .of(bytes, offset, length)
      .decode(bytes, offset + WireFormat.headerLength, length - WireFormat.headerLength, row)
}

/** Caches the program of every schema id seen. */
private final class AvroDecoder(request: DecodeRequest) extends Decoder {
  private val wrapped = FormatRules.wrapped(request.side, request.format, request.declared.size)
  private val recordName = request.format.options.get(SideFormat.schemaFullName)
  private val programs = new WriterSchemas[AvroProgram](request.registry())(known => {
    val writer = AvroFormat.parsed(known).fold(reason => throw new BadBytes(reason), identity)
    val own = AvroFormat.table(request, known)
    own.foreach(o =>
      if (wrapped) AvroResolution.check(writer, o, request) else AvroResolution.checkName(writer, o, request)
    )
    val isUpper = request.format.isSet(SideFormat.likeKsqldb)
    val unit = request.format.options.get(SideFormat.timestampUnit)
    AvroProgram.of(writer, request.declared.map(_.name), request.targets, wrapped, recordName, own, isUpper, unit)
  })

  override def decode(bytes: Array[Byte], offset: Int, length: Int, row: InternalRow): Unit =
    programs
      .of(bytes, offset, length)
      .run(bytes, offset + WireFormat.headerLength, length - WireFormat.headerLength, row)
}
