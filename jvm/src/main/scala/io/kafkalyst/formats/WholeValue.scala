package io.kafkalyst.formats

import io.kafkalyst.formats.events.EventFormat
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import io.kafkalyst.registry.{HttpRegistry, RecordSchemas, RegisteredSchema, RegistryClient, RegistryConfig}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.types.{DataType, StructType}

/**
 * A single value in a format's bytes, without a topic: a STRUCT is encoded as a record of its fields, like a topic's
 * value; a value of another type is encoded bare.
 *
 * @param user     named in errors instead of a topic
 * @param as       the format, with the schema id to write with if it has schemas
 * @param registry location of the schemas; None for formats without
 */
final case class WholeValue(user: String, dataType: DataType, as: SideFormat, registry: Option[RegistryConfig]) {
  private def side = Side.Value
  private def format = Formats(as.format)

  private val isRecord = dataType.isInstanceOf[StructType]

  private val columns: Seq[TopicColumn] = dataType match {
    case struct: StructType => struct.map(f => TopicColumn(f.name, f.dataType, side))
    case other => Seq(TopicColumn(FormatRules.bareColumn(side), other, side))
  }

  private def asWritten: SideFormat =
    if (format.wrapping != Wrapping.Either) as
    else as.copy(options = as.options + (SideFormat.wrapSingle -> isRecord.toString))

  /**
   * Checks that the format can encode the value.
   *
   * @throws io.kafkalyst.errors.KafkalystException naming the type and a supported alternative
   */
  def validate(): Unit = {
    Formats.events(as.format).foreach(EventFormat.refuseAsValue(user, _))
    if (!isRecord && format.wrapping == Wrapping.Always) throw KafkalystException(
      "FUNCTION_STRUCT_NEEDED",
      "function" -> user,
      "format" -> format.name,
      "type" -> dataType.sql
    )
    format.validate(side, columns, asWritten)
  }

  /** The schema text to register for the value; only for formats with schemas. */
  def schema(name: String): String = format.schemaOf(columns, side, name, asWritten)

  /** A function that decodes bytes; throws BadBytes for invalid bytes. Not thread-safe; its results share no memory. */
  def decoder(): Array[Byte] => Any = {
    val decoder =
      format.decoder(DecodeRequest(side, user, asWritten, columns, targets, () => new RecordSchemas(client())))
    bytes => {
      val row = new GenericInternalRow(columns.size)
      decoder.decode(bytes, 0, bytes.length, row)
      if (isRecord) row else row.get(0, dataType)
    }
  }

  /** A function that encodes the value; throws KafkalystTaskException if it does not fit. Not thread-safe. */
  def encoder(): Any => Array[Byte] = {
    val encoder = format.encoder(EncodeRequest(side, user, asWritten, targets, () => new RecordSchemas(client())))
    if (isRecord) value => encoder.encode(value.asInstanceOf[InternalRow])
    else value => encoder.encode(new GenericInternalRow(Array[Any](value)))
  }

  private def targets = columns.zipWithIndex.map { case (c, i) => Target(c.name, c.dataType, i) }.toArray

  private def client: () => RegistryClient = () =>
    HttpRegistry(registry.getOrElse(throw KafkalystException("NO_REGISTRY")))
}

object WholeValue {

  /** The type of the values that a registered schema describes. */
  def typeOf(schema: RegisteredSchema, as: SideFormat): DataType =
    Formats(as.format).columnsOf(schema, Side.Value, as) match {
      case Seq(bare) if bare.name == FormatRules.bareColumn(Side.Value) => bare.dataType
      case columns => StructType(columns.map(_.field.copy(metadata = org.apache.spark.sql.types.Metadata.empty)))
    }
}
