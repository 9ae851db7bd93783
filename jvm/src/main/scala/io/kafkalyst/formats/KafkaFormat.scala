package io.kafkalyst.formats

import java.nio.ByteBuffer

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * KAFKA: one bare column as Kafka's own serialisers write it: INT and BIGINT big-endian, DOUBLE as its IEEE bits
 * big-endian, STRING as UTF-8, BINARY as it is. A null column is null bytes. Empty bytes are the empty STRING or
 * BINARY; for the numbers, bytes of another length than theirs are bad.
 */
object KafkaFormat extends Format {
  override def name: String = "KAFKA"

  override def wrapping: Wrapping = Wrapping.Never

  /** KafkalystException UNSUPPORTED_COLUMN_COUNT for not exactly one column, UNSUPPORTED_COLUMN_TYPE for its type. */
  override def validate(side: Side, columns: Seq[TopicColumn], as: SideFormat): Unit = {
    if (columns.size != 1) {
      throw KafkalystException(
        "UNSUPPORTED_COLUMN_COUNT",
        "format" -> name,
        "side" -> side.name,
        "allowed" -> "exactly one column",
        "columns" -> (if (columns.isEmpty) "none" else columns.map(_.name).mkString(", ")),
        "hint" -> s"Set ${side.name.toUpperCase}_FORMAT to JSON or AVRO for several columns, or to NONE for none."
      )
    }
    columns.head.dataType match {
      case _: IntegerType | _: LongType | _: DoubleType | _: StringType | _: BinaryType =>
      case _ => throw FormatRules.unsupportedHere(name, side, columns.head, "INT, BIGINT, DOUBLE, STRING and BINARY")
    }
  }

  override def decoder(request: DecodeRequest): Decoder =
    if (request.targets.isEmpty) (_: Array[Byte], _: Int, _: Int, _: InternalRow) => ()
    else new KafkaDecoder(request.targets.head)

  override def encoder(request: EncodeRequest): Encoder =
    if (request.sources.isEmpty) (_: InternalRow) => null else new KafkaEncoder(request.sources.head)
}

private final class KafkaDecoder(target: Target) extends Decoder {
  private val ordinal = target.ordinal
  private val width = target.dataType match {
    case _: IntegerType => 4
    case _: LongType | _: DoubleType => 8
    case _ => -1
  }

  override def decode(bytes: Array[Byte], offset: Int, length: Int, row: InternalRow): Unit = {
    if (width >= 0 && length != width) {
      throw new BadBytes(s"column ${target.name}: ${target.dataType.sql} takes $width bytes, but there are $length")
    }
    target.dataType match {
      case _: IntegerType => row.setInt(ordinal, ByteBuffer.wrap(bytes, offset, length).getInt)
      case _: LongType => row.setLong(ordinal, ByteBuffer.wrap(bytes, offset, length).getLong)
      case _: DoubleType => row.setDouble(ordinal, ByteBuffer.wrap(bytes, offset, length).getDouble)
      case _: StringType => row.update(ordinal, UTF8String.fromBytes(bytes, offset, length))
      case _ => row.update(ordinal, java.util.Arrays.copyOfRange(bytes, offset, offset + length))
    }
  }
}

private final class KafkaEncoder(source: Target) extends Encoder {
  private val ordinal = source.ordinal

  override def encode(row: InternalRow): Array[Byte] =
    if (row.isNullAt(ordinal)) null
    else
      source.dataType match {
        case _: IntegerType => ByteBuffer.allocate(4).putInt(row.getInt(ordinal)).array
        case _: LongType => ByteBuffer.allocate(8).putLong(row.getLong(ordinal)).array
        case _: DoubleType => ByteBuffer.allocate(8).putDouble(row.getDouble(ordinal)).array
        case _: StringType => row.getUTF8String(ordinal).getBytes
        case _ => row.getBinary(ordinal)
      }
}
