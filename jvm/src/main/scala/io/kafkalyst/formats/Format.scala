package io.kafkalyst.formats

import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import io.kafkalyst.registry.{RegisteredSchema, RegistryClient}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.DataType

/**
 * A serialisation of one side of a record. A new format is one file with this trait and one line in
 * [[Formats]]; nothing else names it.
 */
trait Format extends Serializable {

  /** Its name in KEY_FORMAT and VALUE_FORMAT, upper case. */
  def name: String

  /** The registry's schema type (AVRO, JSON, PROTOBUF) where its schemas live in one. */
  def schemaType: Option[String] = None

  /** How a side of one column stands in the bytes. */
  def wrapping: Wrapping

  /** The properties that it knows beyond its name and wrapping, without KEY_ or VALUE_: DELIMITER, …. */
  def properties: Seq[String] = Nil

  /**
   * Checks that this format can carry these columns on that side.
   *
   * @throws io.kafkalyst.errors.KafkalystException naming the column, its type and what would work
   */
  def validate(side: Side, columns: Seq[TopicColumn], as: SideFormat): Unit

  /** Columns that a registry schema describes; only for formats with a [[schemaType]]. */
  def columnsOf(schema: RegisteredSchema, side: Side, as: SideFormat): Seq[TopicColumn] =
    throw new UnsupportedOperationException(s"$name has no schemas")

  /** The paths of fields in a schema that [[columnsOf]] leaves out, as they can be no column. */
  def leftOut(schema: RegisteredSchema, side: Side, as: SideFormat): Seq[String] = Nil

  /** The schema text to register for these columns; only for formats with a [[schemaType]]. */
  def schemaOf(columns: Seq[TopicColumn], side: Side, objectName: String, as: SideFormat): String =
    throw new UnsupportedOperationException(s"$name has no schemas")

  /**
   * A schema that is there with fields for more columns, all else of it as it is; None where that cannot be done.
   *
   * @param added columns that it has no field for
   */
  def extended(known: RegisteredSchema, added: Seq[TopicColumn], side: Side, as: SideFormat): Option[String] = None

  /** What an encoder puts between the id of that schema and the body; nothing in most formats. */
  def frame(schema: RegisteredSchema, as: SideFormat): Array[Byte] = Array.emptyByteArray

  /** The value of a record whose columns are all in its key; None where it is null bytes, or no such value can be. */
  def emptyValue: Option[Array[Byte]] = None

  def decoder(request: DecodeRequest): Decoder

  def encoder(request: EncodeRequest): Encoder
}

/** Whether a side of a single column is a record of it, or the bare value. */
sealed trait Wrapping

object Wrapping {

  /** As the side's WRAP_SINGLE says; without it a value is a record and a key is bare. */
  case object Either extends Wrapping

  /** Always a record. */
  case object Always extends Wrapping

  /** Never a record, also not where there are several columns. */
  case object Never extends Wrapping
}

/** One column that a decoder is asked for: its external name, its type, and its place in the target row. */
final case class Target(name: String, dataType: DataType, ordinal: Int)

/**
 * What a decoder is built for, once per task.
 *
 * @param declared all columns of the side as declared, which tells single unnamed values from records
 * @param targets  the columns asked for; may be empty, then bytes are not looked at
 * @param registry made on first use; only formats with schemas ask for it
 * @param event    what is asked of an event around its row, by the name of its [[EventKey]]; only for an [[EventFormat]]
 */
final case class DecodeRequest(
    side: Side,
    topic: String,
    format: SideFormat,
    declared: Seq[TopicColumn],
    targets: Array[Target],
    registry: () => RegistryClient,
    event: Array[Target] = Array.empty
)

/**
 * What an encoder is built for, once per task.
 *
 * @param sources the side's columns with their places in the rows that will come
 */
final case class EncodeRequest(
    side: Side,
    topic: String,
    format: SideFormat,
    sources: Array[Target],
    registry: () => RegistryClient
)

/** Turns the bytes of one side into columns of a row. Not thread-safe: one per task. */
trait Decoder {

  /**
   * Sets every target of the row, to null where the bytes lack it. The bytes are never changed afterwards, so
   * strings may point into them.
   *
   * @throws BadBytes where the bytes are not of this format; targets are then undefined
   */
  def decode(bytes: Array[Byte], offset: Int, length: Int, row: InternalRow): Unit
}

/** Turns columns of a row into the bytes of one side. Not thread-safe: one per task. */
trait Encoder {

  /** The bytes; null where this side of the record is null. */
  def encode(row: InternalRow): Array[Byte]
}

/** Bytes that a decoder cannot read, with the reason in the user's words. No stack: it may be thrown often. */
final class BadBytes(val reason: String, cause: Throwable = null) extends RuntimeException(reason, cause, false, false)
