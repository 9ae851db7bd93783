package io.kafkalyst.formats

import io.kafkalyst.errors.Printable
import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import io.kafkalyst.registry.{RegisteredSchema, RegistryClient}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.DataType

/**
 * Serialises one side of a record. A new format is one file with this trait and one line in [[Formats]]; other code
 * asks the trait. Only `model.flink` knows formats by name, because Flink's names differ.
 */
trait Format extends Serializable {

  /** Its name in KEY_FORMAT and VALUE_FORMAT, upper case. */
  def name: String

  /** The registry's schema type (AVRO, JSON, PROTOBUF), if the format's schemas live in a registry. */
  def schemaType: Option[String] = None

  /** Whether a single column is encoded as a record or as a bare value. */
  def wrapping: Wrapping

  /** The format's properties beyond name and wrapping, without the KEY_ or VALUE_ prefix: DELIMITER, …. */
  def properties: Seq[String] = Nil

  /** The properties that a query's sink inherits from a source of the same format. */
  def inherited: Seq[String] = Nil

  /** Whether a field that is written as null is read back as null. */
  def keepsNulls(as: SideFormat): Boolean = true

  /** Whether fields have names, so that their order does not matter. */
  def namesFields: Boolean = true

  /**
   * Checks that this format can encode these columns on that side.
   *
   * @throws io.kafkalyst.errors.KafkalystException naming the column, its type and a supported alternative
   */
  def validate(side: Side, columns: Seq[TopicColumn], as: SideFormat): Unit

  /** Whether the decoder can detect fields without a column. */
  def tellsNewFields: Boolean = schemaType.isDefined

  /** Columns that a registry schema describes; only for formats with a [[schemaType]]. */
  def columnsOf(schema: RegisteredSchema, side: Side, as: SideFormat): Seq[TopicColumn] =
    throw new UnsupportedOperationException(s"$name has no schemas")

  /** The paths of schema fields that [[columnsOf]] omits because they cannot be columns. */
  def leftOut(schema: RegisteredSchema, side: Side, as: SideFormat): Seq[String] = Nil

  /** What the schema says of its fields, by their names. */
  def docs(schema: RegisteredSchema): Map[String, String] = Map.empty

  /** The schema's required fields: neither nullable, nor optional, nor with a default. */
  def required(schema: RegisteredSchema, side: Side, as: SideFormat): Seq[String] = Nil

  /** The schema text to register for these columns; only for formats with a [[schemaType]]. */
  def schemaOf(columns: Seq[TopicColumn], side: Side, objectName: String, as: SideFormat): String =
    throw new UnsupportedOperationException(s"$name has no schemas")

  /** Options under which [[schemaOf]] writes types in the form of the existing schema, where a type has several. */
  def inFormOf(known: RegisteredSchema, as: SideFormat): SideFormat = as

  /**
   * An existing schema extended by fields for the added columns, otherwise unchanged; None if that is not possible.
   *
   * @param added columns without a field in the schema
   */
  def extended(known: RegisteredSchema, added: Seq[TopicColumn], side: Side, as: SideFormat): Option[String] = None

  /** Whether the texts differ in what neither bytes nor columns depend on, such as Kafka Connect's names of types. */
  def isSame(one: RegisteredSchema, other: RegisteredSchema): Boolean = one.schema == other.schema

  /** Bytes that an encoder writes between the schema id and the body; empty for most formats. */
  def frame(schema: RegisteredSchema, as: SideFormat): Array[Byte] = Array.emptyByteArray

  /** The value of a record whose columns are all in its key; None if it is null bytes, or if no such value exists. */
  def emptyValue: Option[Array[Byte]] = None

  def decoder(request: DecodeRequest): Decoder

  def encoder(request: EncodeRequest): Encoder
}

/** Whether a side with a single column is encoded as a record or as the bare value. */
sealed trait Wrapping

object Wrapping {

  /** As WRAP_SINGLE says; by default a value is a record and a key is bare. */
  case object Either extends Wrapping

  /** Always a record. */
  case object Always extends Wrapping

  /** Never a record, even for several columns. */
  case object Never extends Wrapping
}

/**
 * A column that a decoder must return: its external name, its type, and its ordinal in the target row.
 *
 * @param written an event's METADATA only: the type as its statement declares it, with its length or precision
 */
final case class Target(name: String, dataType: DataType, ordinal: Int, written: String = "")

/**
 * The parameters of a decoder, built once per task.
 *
 * @param declared all columns of the side as declared; decides whether a single value is bare or a record
 * @param targets  the required columns; if empty, the bytes are not parsed
 * @param registry created on first use; only formats with schemas use it
 * @param event    required columns of an event beside its row, by the name of their [[EventKey]]; only for an
 *                 [[EventFormat]]
 * @param isClosed whether bytes with a field that has no column are bad
 * @param rescuedAt ordinal of the column for the fields that have none; -1 if it is not required
 * @param hasRows  whether the bytes may be several rows, or none
 */
final case class DecodeRequest(
    side: Side,
    topic: String,
    format: SideFormat,
    declared: Seq[TopicColumn],
    targets: Array[Target],
    registry: () => RegistryClient,
    event: Array[Target] = Array.empty,
    isClosed: Boolean = false,
    rescuedAt: Int = -1,
    hasRows: Boolean = false
)

/**
 * The parameters of an encoder, built once per task.
 *
 * @param sources the side's columns with their ordinals in the incoming rows
 */
final case class EncodeRequest(
    side: Side,
    topic: String,
    format: SideFormat,
    sources: Array[Target],
    registry: () => RegistryClient
)

/** Decodes the bytes of one side into columns of a row. Not thread-safe: one per task. */
trait Decoder {

  /**
   * Sets every target of the row, to null if the bytes lack it. The bytes must not change afterwards, as strings may
   * point into them.
   *
   * @throws BadBytes if the bytes are not valid in this format; targets are then undefined
   */
  def decode(bytes: Array[Byte], offset: Int, length: Int, row: InternalRow): Unit
}

object Decoder {

  /** Combines what the request needs: a decoder of the targets, one of the rescued column, both or none. */
  private[formats] def of(request: DecodeRequest)(targets: => Decoder)(rest: => Decoder): Decoder =
    if (request.rescuedAt < 0) {
      if (request.targets.isEmpty) (_: Array[Byte], _: Int, _: Int, _: InternalRow) => () else targets
    } else if (request.targets.isEmpty) rest
    else {
      val (first, second) = (targets, rest)
      (bytes: Array[Byte], offset: Int, length: Int, row: InternalRow) => {
        first.decode(bytes, offset, length, row)
        second.decode(bytes, offset, length, row)
      }
    }
}

/** Encodes columns of a row as the bytes of one side. Not thread-safe: one per task. */
trait Encoder {

  /** The bytes; null if this side of the record is null. */
  def encode(row: InternalRow): Array[Byte]
}

/** Bytes that a decoder cannot read. No stack trace, as it may be thrown often. */
final class BadBytes(text: String, cause: Throwable = null) extends RuntimeException(text, cause, false, false) {

  /** Why, in the user's terms, as one line. It may quote the record. */
  def reason: String = Printable(text)

  override def getMessage: String = reason
}

object BadBytes {

  /** Why a decoder failed on the bytes. Bytes that are nested too deep fail by a stack overflow. */
  def unapply(failure: Throwable): Option[BadBytes] = failure match {
    case bad: BadBytes => Some(bad)
    // The stack is unwound here, and a decoder keeps no state of an unfinished record.
    case _: StackOverflowError => Some(new BadBytes("the value, or its schema, is nested too deep"))
    case _ => None
  }
}
