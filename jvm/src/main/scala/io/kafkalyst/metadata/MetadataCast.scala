package io.kafkalyst.metadata

import java.util.Locale
import java.nio.charset.StandardCharsets.UTF_8
import java.time.Instant
import java.time.format.DateTimeFormatter
import java.util.Arrays

import io.kafkalyst.model.TimeOfDay
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  BoundReference,
  Cast,
  Concat,
  Expression,
  Literal,
  StringRPad,
  Substring
}
import org.apache.spark.sql.catalyst.util.{DateTimeUtils, MapData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * The explicit cast of Flink's METADATA clause from a metadata key's type to its column's: Spark's ANSI cast, except
 * for the texts of times and maps, TIME, lengths of strings and bytes, and precisions.
 *
 * @param written the column's type as Flink's statement declares it, with length or precision; empty if there is none
 * @param zone    the session's time zone
 */
private[kafkalyst] final class MetadataCast(from: DataType, to: DataType, written: String, zone: String) {
  import MetadataCast._

  private val (word, size) = sizeOf(written)
  private val cast =
    if (DataType.equalsIgnoreNullability(from, to) || isTime(from, to)) null
    else Cast(BoundReference(0, from, nullable = true), to, Some(zone), ansiEnabled = true)
  private lazy val zoneId = DateTimeUtils.getZoneId(zone)
  private val fit = fitting

  /** Whether the cast leaves values unchanged. */
  def isIdentity: Boolean = cast == null && fit == null && !isTime(from, to)

  /** The value in the column's type; throws what Spark's cast throws. */
  def apply(value: Any): Any = {
    val typed = (from, to) match {
      case (TimestampType, _: StringType) => UTF8String.fromString(textOf(value.asInstanceOf[Long]))
      case (TimestampType, _) if isTime(from, to) => timeOf(value.asInstanceOf[Long])
      case (m: MapType, _: StringType) => UTF8String.fromString(textOf(m, value.asInstanceOf[MapData]))
      case _ => if (cast == null) value else cast.eval(InternalRow(value))
    }
    if (fit == null || typed == null) typed else fit(typed)
  }

  /** Three digits after the second, as TIMESTAMP_LTZ(3) has; six if the value has more. */
  private def textOf(micros: Long): String =
    (if (micros % 1000 == 0) millis else sixDigits).format(instant(micros).atZone(zoneId))

  private def instant(micros: Long) =
    Instant.ofEpochSecond(Math.floorDiv(micros, 1000000L), Math.floorMod(micros, 1000000L) * 1000)

  private def timeOf(micros: Long): Long =
    cut(instant(micros).atZone(zoneId).toLocalTime.toNanoOfDay, if (word == "TIME") size else 0, 9)

  private def textOf(t: MapType, map: MapData): String = {
    def text(value: Any) = value match {
      case null => "NULL"
      case bytes: Array[Byte] => new String(bytes, UTF_8)
      case other => other.toString
    }
    val (keys, values) = (map.keyArray, map.valueArray)
    (0 until map.numElements).map { i =>
      val value = if (values.isNullAt(i)) null else values.get(i, t.valueType)
      s"${text(keys.get(i, t.keyType))}=${text(value)}"
    }.mkString("{", ", ", "}")
  }

  /** Cuts or pads a value to the length or precision; null if there is none. */
  private def fitting: Any => Any = (word, to) match {
    case ("VARCHAR", _) => text => text.asInstanceOf[UTF8String].substring(0, size)
    case ("CHAR", _) =>
      val blank = UTF8String.fromString(" ")
      text => text.asInstanceOf[UTF8String].substring(0, size).rpad(size, blank)
    case ("VARBINARY", _) => bytes => bytes.asInstanceOf[Array[Byte]].take(size)
    case ("BINARY", _) => bytes => Arrays.copyOf(bytes.asInstanceOf[Array[Byte]], size)
    case ("TIMESTAMP" | "TIMESTAMP_LTZ", TimestampType | TimestampNTZType) if size < 6 =>
      micros => cut(micros.asInstanceOf[Long], size, 6)
    case _ => null
  }
}

private[kafkalyst] object MetadataCast {
  private val sized =
    """(?is)\s*(VARCHAR|CHAR|VARBINARY|BINARY|TIMESTAMP|TIMESTAMP_LTZ|TIME)\s*\(\s*(\d{1,9})\s*\).*""".r
  private val bare = """(?is)\s*(CHAR|BINARY)(?:\s+NOT\s+NULL)?\s*""".r
  private val synonyms = Seq("CHARACTER" -> "CHAR", "(CHAR|BINARY)\\s+VARYING" -> "VAR$1").map { case (of, name) =>
    s"(?i)^\\s*$of\\b".r -> name
  }
  private val millis = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSS")
  private val sixDigits = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss.SSSSSS")

  /** A declared type's name in upper case with its length or precision; an empty name if it has none. */
  private def sizeOf(written: String): (String, Int) =
    synonyms.foldLeft(written) { case (text, (of, name)) => of.replaceFirstIn(text, name) } match {
      case sized(word, size) => (word.toUpperCase(Locale.ROOT), size.toInt)
      case bare(word) => (word.toUpperCase(Locale.ROOT), 1)
      case _ => ("", -1)
    }

  /**
   * A value of the declared type, cut or padded to its length; the value itself if its type has none, as a bare BINARY,
   * which is Spark's type.
   */
  def fitted(value: Expression, written: String): Expression = (sizeOf(written), value.dataType) match {
    case (("VARCHAR", size), _: StringType) => Substring(value, Literal(1), Literal(size))
    case (("CHAR", size), _: StringType) => StringRPad(value, Literal(size), Literal(" "))
    case (("VARBINARY", size), BinaryType) => Substring(value, Literal(1), Literal(size))
    case (("BINARY", size), BinaryType) if written.contains('(') =>
      Substring(Concat(Seq(value, Literal(new Array[Byte](size)))), Literal(1), Literal(size))
    case _ => value
  }

  /** Whether a TIMESTAMP is cast to TIME, which Spark's cast does not do; for the reverse, callers swap the types. */
  def isTime(from: DataType, to: DataType): Boolean = from == TimestampType && TimeOfDay.is(to)

  /** A column's value in the key's type, for writing: Spark's ANSI cast; a TIME becomes that time of 1970-01-01. */
  def written(value: Expression, to: DataType, zone: String): Expression = {
    def cast(e: Expression, t: DataType) = Cast(e, t, Some(zone), ansiEnabled = true)
    if (!isTime(to, value.dataType)) cast(value, to)
    else cast(Concat(Seq(Literal("1970-01-01 "), cast(value, StringType))), to)
  }

  /**
   * The unit to which a column's timestamps are truncated, in microseconds, by its declared type; 1 if they are not.
   */
  def unit(written: String, to: DataType): Long = (written, to) match {
    case (sized("TIMESTAMP" | "TIMESTAMP_LTZ", size), TimestampType) if size.toInt < 6 =>
      math.pow(10, (6 - size.toInt).toDouble).toLong
    case _ => 1L
  }

  /** Truncates fractions of a second from `all` digits to `digits`. */
  private def cut(fractions: Long, digits: Int, all: Int): Long = {
    val unit = math.pow(10, (all - digits).max(0).toDouble).toLong
    Math.floorDiv(fractions, unit) * unit
  }
}
