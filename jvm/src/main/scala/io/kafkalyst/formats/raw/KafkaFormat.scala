package io.kafkalyst.formats
package raw

import java.util.Locale
import java.nio.{ByteBuffer, ByteOrder}
import java.nio.charset.{Charset, StandardCharsets}

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{Side, SideFormat, TopicColumn}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * KAFKA: one bare column as Kafka's own serialisers write it: INT and BIGINT big-endian, DOUBLE as its IEEE bits
 * big-endian, STRING as UTF-8, BINARY unchanged. A null column is null bytes. Empty bytes are the empty STRING or
 * BINARY; for numbers, bytes of any other length are bad.
 *
 * With a byte order it is Flink's `raw`, which also supports BOOLEAN (one byte), TINYINT, SMALLINT and FLOAT.
 */
object KafkaFormat extends Format {
  override def name: String = SideFormat.bytes

  override def wrapping: Wrapping = Wrapping.Never

  override def properties: Seq[String] = Seq(SideFormat.byteOrder, SideFormat.charset)

  /** Whether only Flink's `raw` supports that type. */
  def isRaw(t: DataType): Boolean = Seq(BooleanType, ByteType, ShortType, FloatType).contains(t)

  /**
   * KafkalystException UNSUPPORTED_COLUMN_COUNT unless there is exactly one column, UNSUPPORTED_COLUMN_TYPE for its
   * type.
   */
  override def validate(side: Side, columns: Seq[TopicColumn], as: SideFormat): Unit = {
    if (columns.size != 1) {
      throw KafkalystException(
        "UNSUPPORTED_COLUMN_COUNT",
        "format" -> name,
        "side" -> side.name,
        "allowed" -> "exactly one column",
        "columns" -> (if (columns.isEmpty) "none" else columns.map(_.name).mkString(", ")),
        "hint" -> s"Set ${side.name.toUpperCase(Locale.ROOT)}_FORMAT to JSON or AVRO for several columns, or to NONE for none."
      )
    }
    columns.head.dataType match {
      case _: IntegerType | _: LongType | _: DoubleType | _: StringType | _: BinaryType =>
      case t if as.options.contains(SideFormat.byteOrder) && isRaw(t) =>
      case _ => throw FormatRules.unsupportedHere(name, side, columns.head, "INT, BIGINT, DOUBLE, STRING and BINARY")
    }
  }

  override def decoder(request: DecodeRequest): Decoder =
    if (request.targets.isEmpty) (_: Array[Byte], _: Int, _: Int, _: InternalRow) => ()
    else new KafkaDecoder(request.targets.head, order(request.format), charset(request.format))

  override def encoder(request: EncodeRequest): Encoder =
    if (request.sources.isEmpty) (_: InternalRow) => null
    else new KafkaEncoder(request.sources.head, order(request.format), charset(request.format))

  private def order(as: SideFormat): ByteOrder =
    if (as.options.get(SideFormat.byteOrder).exists(_.equalsIgnoreCase(SideFormat.littleEndian)))
      ByteOrder.LITTLE_ENDIAN
    else ByteOrder.BIG_ENDIAN

  /** None for UTF-8, whose bytes are used unchanged. */
  private def charset(as: SideFormat): Option[Charset] =
    as.options.get(SideFormat.charset).map(Charset.forName).filter(_ != StandardCharsets.UTF_8)
}

private final class KafkaDecoder(target: Target, order: ByteOrder, charset: Option[Charset]) extends Decoder {
  private val ordinal = target.ordinal
  private val width = target.dataType match {
    case _: BooleanType | _: ByteType => 1
    case _: ShortType => 2
    case _: IntegerType | _: FloatType => 4
    case _: LongType | _: DoubleType => 8
    case _ => -1
  }

  override def decode(bytes: Array[Byte], offset: Int, length: Int, row: InternalRow): Unit = {
    if (width >= 0 && length != width) {
      throw new BadBytes(s"column ${target.name}: ${target.dataType.sql} takes $width bytes, but there are $length")
    }
    def number = ByteBuffer.wrap(bytes, offset, length).order(order)
    target.dataType match {
      case _: IntegerType => row.setInt(ordinal, number.getInt)
      case _: LongType => row.setLong(ordinal, number.getLong)
      case _: DoubleType => row.setDouble(ordinal, number.getDouble)
      case _: StringType if charset.isDefined =>
        row.update(ordinal, UTF8String.fromString(new String(bytes, offset, length, charset.get)))
      case _: StringType => row.update(ordinal, UTF8String.fromBytes(bytes, offset, length))
      case _: BooleanType => row.setBoolean(ordinal, bytes(offset) != 0)
      case _: ByteType => row.setByte(ordinal, bytes(offset))
      case _: ShortType => row.setShort(ordinal, number.getShort)
      case _: FloatType => row.setFloat(ordinal, number.getFloat)
      case _ => row.update(ordinal, java.util.Arrays.copyOfRange(bytes, offset, offset + length))
    }
  }
}

private final class KafkaEncoder(source: Target, order: ByteOrder, charset: Option[Charset]) extends Encoder {
  private val ordinal = source.ordinal

  override def encode(row: InternalRow): Array[Byte] =
    if (row.isNullAt(ordinal)) null
    else
      source.dataType match {
        case _: IntegerType => number(4).putInt(row.getInt(ordinal)).array
        case _: LongType => number(8).putLong(row.getLong(ordinal)).array
        case _: DoubleType => number(8).putDouble(row.getDouble(ordinal)).array
        case _: StringType =>
          charset.fold(row.getUTF8String(ordinal).getBytes)(row.getUTF8String(ordinal).toString.getBytes(_))
        case _: BooleanType => Array(if (row.getBoolean(ordinal)) 1.toByte else 0.toByte)
        case _: ByteType => Array(row.getByte(ordinal))
        case _: ShortType => number(2).putShort(row.getShort(ordinal)).array
        case _: FloatType => number(4).putFloat(row.getFloat(ordinal)).array
        case _ => row.getBinary(ordinal)
      }

  private def number(width: Int) = ByteBuffer.allocate(width).order(order)
}
