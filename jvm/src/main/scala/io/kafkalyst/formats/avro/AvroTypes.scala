package io.kafkalyst.formats
package avro

import scala.jdk.CollectionConverters._

import io.kafkalyst.formats.avro.AvroReaders.UnreadableReader
import io.kafkalyst.model.SideFormat
import io.kafkalyst.registry.{RegisteredSchema, WireFormat}
import org.apache.avro.Schema
import org.apache.avro.Schema.Type
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

/**
 * One of the record types in a topic.
 *
 * @param name     full name of the record
 * @param schemaId id of the schema that rows are written with and records are resolved to
 * @param column   name of its column
 */
final case class RecordType(name: String, schemaId: Int, column: String)

/**
 * Several record types in one topic: `_type` is the full name of a record's type, the column of that type holds the
 * record, and the other columns are null. A record of an unlisted type sets only `_type`. A null value is null in all
 * columns.
 */
object AvroTypes {
  val typeColumn = "_type"

  /** Option of a side: only these record types are decoded, as a filter drops the others. */
  val wanted = "TYPES_WANTED"

  /** The types of a side, in order; empty if it has only one type. */
  def of(format: SideFormat): Seq[RecordType] =
    format.options.get(SideFormat.types).toSeq.flatMap(read)

  /** The types as stored in the side's options. */
  def kept(types: Seq[(String, Int)]): String = types.map { case (name, id) => s"$name=$id" }.mkString(",")

  /** The columns of types: simple names, or full names if two simple names are equal ignoring case. */
  def columns(names: Seq[String]): Seq[String] = {
    def simple(name: String) = name.substring(name.lastIndexOf('.') + 1)
    names.map { name =>
      if (names.count(n => simple(n).equalsIgnoreCase(simple(name))) == 1) simple(name) else name
    }
  }

  private def read(text: String): Seq[RecordType] = {
    val pairs = text.split(',').toSeq.map(_.split('=')).collect { case Array(name, id) => (name, id.toInt) }
    pairs.zip(columns(pairs.map(_._1))).map { case ((name, id), column) => RecordType(name, id, column) }
  }
}

/** Reads each record into its type's column; columns that are not required are not decoded. */
private[formats] final class AvroTypesDecoder(
    request: DecodeRequest,
    parsed: RegisteredSchema => Either[String, Schema]
) extends Decoder {
  private val in = new ByteReader
  private val types = AvroTypes.of(request.format)
  private val asked = request.format.options.get(AvroTypes.wanted).map(_.split(',').toSet)
  private val typeAt = request.targets.find(_.name == AvroTypes.typeColumn).fold(-1)(_.ordinal)
  private val places = request.targets.filter(_.name != AvroTypes.typeColumn).map(_.ordinal)
  private val programs = new WriterSchemas[Program](request.registry())(program)

  override def decode(bytes: Array[Byte], offset: Int, length: Int, row: InternalRow): Unit = {
    val program = programs.of(bytes, offset, length)
    in.reset(bytes, offset + WireFormat.headerLength, length - WireFormat.headerLength)
    program(row)
  }

  private type Program = InternalRow => Unit

  private def program(known: RegisteredSchema): Program = {
    val writer = parsed(known).fold(reason => throw new BadBytes(reason), identity)
    if (writer.getType != Type.UNION) branch(known.id, writer)
    else {
      val branches = writer.getTypes.asScala.map(branch(known.id, _)).toArray
      row => branches(in.readBranch(branches.length))(row)
    }
  }

  private def branch(id: Int, writer: Schema): Program = {
    val name = if (writer.getType == Type.NULL) null else UTF8String.fromString(writer.getFullName)
    val target = types.find(t => t.name == writer.getFullName && asked.forall(_.contains(t.name))).flatMap { t =>
      request.targets.find(_.name == t.column).map(t -> _)
    }
    val reader = target.map { case (t, at) => reading(id, writer, t, at) }.orNull
    val own = target.fold(-1)(_._2.ordinal)
    row => {
      places.foreach(row.setNullAt)
      if (typeAt >= 0) { if (name == null) row.setNullAt(typeAt) else row.update(typeAt, name) }
      if (reader != null) {
        reader.into(in, row, own)
        if (in.remaining != 0) in.bad(s"${in.remaining} bytes more than the schema describes")
      }
    }
  }

  private def reading(id: Int, writer: Schema, of: RecordType, target: Target): AvroReader =
    try {
      val table =
        if (of.schemaId == id) None else request.registry().byId(of.schemaId).flatMap(parsed(_).toOption)
      AvroProgram.value(writer, target.dataType, target.name, table)
    } catch { case bad: BadBytes => new UnreadableReader(s"schema id $id: ${bad.reason}") }
}

/** Writes the record of a row's only non-null type column. */
private[formats] final class AvroTypesEncoder(request: EncodeRequest, encoder: EncodeRequest => Encoder)
    extends Encoder {
  private val typeAt = request.sources.find(_.name == AvroTypes.typeColumn).fold(-1)(_.ordinal)
  private val types = AvroTypes.of(request.format).toArray
  private val places = types.map(t => request.sources.find(_.name == t.column).get)
  private val encoders = types.zip(places).map { case (t, source) =>
    val format = request.format.copy(schemaId = Some(t.schemaId), options = Map(SideFormat.wrapSingle -> "false"))
    encoder(request.copy(format = format, sources = Array(source)))
  }

  override def encode(row: InternalRow): Array[Byte] = {
    val set = types.indices.filter(i => !row.isNullAt(places(i).ordinal))
    NotWritable.guard(request) {
      if (set.size != 1) {
        val found = if (set.isEmpty) "none is" else s"${set.map(places(_).name).mkString(" and ")} are"
        throw new NotWritable(places.map(_.name).mkString(", "), s"exactly one of them must be set, but $found")
      }
      if (typeAt >= 0 && !row.isNullAt(typeAt) && row.getUTF8String(typeAt).toString != types(set.head).name) {
        throw new NotWritable(
          AvroTypes.typeColumn,
          s"it says ${row.getUTF8String(typeAt)}, but the row has a ${types(set.head).name}; it may be left out"
        )
      }
    }
    encoders(set.head).encode(row)
  }
}
