package io.kafkalyst.formats
package json

import java.time.DateTimeException

import io.kafkalyst.formats.bytes.Base64Text
import io.kafkalyst.model.TimeOfDay
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

private[formats] object JsonReaders {

  def of(
      t: DataType,
      shape: JsonShape = JsonShape.Free,
      strictness: JsonStrictness = JsonStrictness()
  ): JsonReader = t match {
    case _: BooleanType => if (strictness.coerce) CoercedBoolean else BooleanReader
    case _: ByteType => new IntegralReader(t, Byte.MinValue, Byte.MaxValue, SetWhole.byte)(_.toByte)
    case _: ShortType => new IntegralReader(t, Short.MinValue, Short.MaxValue, SetWhole.short)(_.toShort)
    case _: IntegerType => new IntegralReader(t, Int.MinValue, Int.MaxValue, SetWhole.int, strictness.ksqldb)(_.toInt)
    case _: LongType => new IntegralReader(t, Long.MinValue, Long.MaxValue, SetWhole.long, strictness.ksqldb)(n => n)
    case _: YearMonthIntervalType => new IntegralReader(t, Int.MinValue, Int.MaxValue, SetWhole.int)(_.toInt)
    case _: DayTimeIntervalType => new MillisReader(t)
    case _: FloatType => FloatReader
    case _: DoubleType => DoubleReader
    case d: DecimalType =>
      shape match {
        case JsonShape.Scalar(_, JsonShape.Unscaled(scale), _) => new UnscaledReader(scale, d)
        case _ => if (strictness.coerce) new RoundedDecimalReader(d) else new DecimalReader(d, strictness.ksqldb)
      }
    case _: StringType =>
      if (shape.isInstanceOf[JsonShape.Mixed] || shape.isInstanceOf[JsonShape.OneOf]) anyText
      else if (strictness.ksqldb) new StringReader(new JsonText(JsonTexts.inJava))
      else new StringReader(anyText)
    case _: BinaryType => BinaryReader
    case _: DateType => new DateReader(strictness.texts)
    case _: TimestampType => new TimestampReader(t, JsonTimes.instantMicros, strictness.texts)
    case _: TimestampNTZType => new TimestampReader(t, JsonTimes.localMicros, strictness.texts)
    case a: ArrayType => new ArrayReader(a, part(of(a.elementType, JsonShape.item(shape), strictness), strictness))
    case m: MapType =>
      val value = part(of(m.valueType, JsonShape.value(shape), strictness), strictness)
      if (shape.isInstanceOf[JsonShape.Entries]) new EntriesReader(m, value) else new MapReader(m, value)
    case s: StructType if shape.isInstanceOf[JsonShape.OneOf] =>
      new JsonOneOf.Reader(s, shape.asInstanceOf[JsonShape.OneOf])(of(_, _, strictness))
    case s: StructType => new StructReader(s, JsonShape.fields(shape, s.fieldNames.toSeq), strictness)
    case VariantType => JsonVariants.Reader
    case time if TimeOfDay.is(time) => new TimeReader(time, strictness.texts)
    case other => throw new IllegalArgumentException(s"validate lets no ${other.sql} through")
  }

  /** The reader of an element or a MAP's value: with NULL_BAD_FIELDS, a value that does not fit is null. */
  private def part(reader: JsonReader, strictness: JsonStrictness): JsonReader =
    if (strictness.nullBad) new FittingReader(reader) else reader

  private final class FittingReader(reader: JsonReader) extends JsonReader {
    override def read(p: JsonInput): Any = {
      val (at, level) = (p.at, p.level)
      try p.quietly(reader.read(p))
      catch {
        case _: BadBytes =>
          p.backTo(at, level)
          p.skip()
          null
      }
    }
  }

  private object BooleanReader extends JsonReader {
    def value(p: JsonInput): Boolean = {
      val first = p.head
      if (first != 't' && first != 'f') p.mismatch(BooleanType.sql)
      p.skip()
      first == 't'
    }
    override def read(p: JsonInput): Any = value(p)
    override def into(p: JsonInput, row: InternalRow, ordinal: Int): Unit = row.setBoolean(ordinal, value(p))
  }

  /** Like Flink: a string or number is false unless it is the string `true`. */
  private object CoercedBoolean extends JsonReader {
    private def value(p: JsonInput): Boolean = p.head match {
      case 't' | 'f' => BooleanReader.value(p)
      case '"' => text(p).trim.equalsIgnoreCase("true")
      case _ if p.isNumber =>
        p.skip()
        false
      case _ => p.mismatch(BooleanType.sql)
    }
    override def read(p: JsonInput): Any = value(p)
    override def into(p: JsonInput, row: InternalRow, ordinal: Int): Unit = row.setBoolean(ordinal, value(p))
  }

  private def text(p: JsonInput): String = p.readString().toString

  /** The last skipped number. */
  private def decimal(p: JsonInput, t: DataType): java.math.BigDecimal =
    if (p.isShortNumber) java.math.BigDecimal.valueOf(p.unscaled, p.scale)
    else {
      // BigDecimal rejects exponents of more than nine digits.
      try new java.math.BigDecimal(p.written)
      catch { case _: NumberFormatException => p.mismatch(t.sql) }
    }

  /**
   * A whole number; the integral part if it has a point or an exponent, as JSON has only one number type.
   *
   * @param exact whether blanks around the number in a string are bad
   */
  private def whole(p: JsonInput, t: DataType, exact: Boolean = false): Long =
    if (p.isNumber) {
      p.skipNumber()
      if (p.isShortNumber && p.isWholeNumber) p.unscaled
      else if (p.isWholeNumber) p.written.toLongOption.getOrElse(p.mismatch(t.sql))
      else {
        val number = decimal(p, t)
        // The digits are counted first: those of 1e999999999 would need gigabytes.
        val digits = number.precision.toLong - number.scale
        if (digits > 19) p.mismatch(t.sql)
        else if (digits <= 0) 0
        else
          try number.setScale(0, java.math.RoundingMode.DOWN).longValueExact
          catch { case _: ArithmeticException => p.mismatch(t.sql) }
      }
    } else if (p.head == '"') trimmed(text(p), exact).toLongOption.getOrElse(p.mismatch(t.sql))
    else p.mismatch(t.sql)

  private def trimmed(text: String, exact: Boolean): String = if (exact) text else text.trim

  private final class IntegralReader(t: DataType, least: Long, most: Long, set: SetWhole, exact: Boolean = false)(
      box: Long => Any
  ) extends JsonReader {
    private def value(p: JsonInput): Long = {
      val n = whole(p, t, exact)
      if (n < least || n > most) p.mismatch(t.sql)
      n
    }
    override def read(p: JsonInput): Any = box(value(p))
    override def into(p: JsonInput, row: InternalRow, ordinal: Int): Unit = set(row, ordinal, value(p))
  }

  /** The text of a number in a string, where it may differ from JSON's number syntax. */
  private def numberText(p: JsonInput, t: DataType): String = {
    val trimmed = if (p.head == '"') text(p).trim else p.mismatch(t.sql)
    if (FormatRules.floatingPoint.matches(trimmed)) trimmed else p.mismatch(t.sql)
  }

  private object FloatReader extends JsonReader {
    private def value(p: JsonInput): Float =
      if (p.isNumber) {
        p.skipNumber()
        val f = p.float
        if (f.isInfinite) p.mismatch(FloatType.sql)
        f
      } else {
        val text = numberText(p, FloatType)
        val f = java.lang.Float.parseFloat(text)
        if (f.isInfinite && !text.endsWith("y")) p.mismatch(FloatType.sql)
        f
      }
    override def read(p: JsonInput): Any = value(p)
    override def into(p: JsonInput, row: InternalRow, ordinal: Int): Unit = row.setFloat(ordinal, value(p))
  }

  private object DoubleReader extends JsonReader {
    private def value(p: JsonInput): Double =
      if (p.isNumber) {
        p.skipNumber()
        val d = p.double
        if (d.isInfinite) p.mismatch(DoubleType.sql)
        d
      } else {
        val text = numberText(p, DoubleType)
        val d = java.lang.Double.parseDouble(text)
        if (d.isInfinite && !text.endsWith("y")) p.mismatch(DoubleType.sql)
        d
      }
    override def read(p: JsonInput): Any = value(p)
    override def into(p: JsonInput, row: InternalRow, ordinal: Int): Unit = row.setDouble(ordinal, value(p))
  }

  private class DecimalReader(t: DecimalType, asGiven: Boolean = false) extends JsonReader {
    private val most = if (t.precision > Decimal.MAX_LONG_DIGITS) 0L else math.pow(10, t.precision.toDouble).toLong

    override def read(p: JsonInput): Any =
      if (p.isNumber) {
        p.skipNumber()
        val n = p.unscaled
        if (p.isShortNumber && p.scale == t.scale && n < most && n > -most)
          Decimal.createUnsafe(n, t.precision, t.scale)
        else exact(p, decimal(p, t))
      } else if (p.head == '"') {
        val string = p.readString()
        if (string.numBytes > 1000) p.mismatch(t.sql)
        val value =
          try new java.math.BigDecimal(trimmed(string.toString, asGiven))
          catch { case _: NumberFormatException => p.mismatch(t.sql) }
        exact(p, value)
      } else p.mismatch(t.sql)

    protected def exact(p: JsonInput, value: java.math.BigDecimal): Decimal = {
      val exact = FormatRules.exactDecimal(value, t)
      if (exact == null) p.mismatch(t.sql)
      exact
    }
  }

  private final class RoundedDecimalReader(t: DecimalType) extends DecimalReader(t) {
    override protected def exact(p: JsonInput, value: java.math.BigDecimal): Decimal =
      FormatRules.roundedDecimal(value, t)

    override def into(p: JsonInput, row: InternalRow, ordinal: Int): Unit = {
      val number = read(p)
      if (number == null) row.setNullAt(ordinal) else row.update(ordinal, number)
    }
  }

  /** A string, or the JSON text of any other value. */
  private final class StringReader(other: JsonReader) extends JsonReader {
    override def read(p: JsonInput): Any = p.head match {
      case '"' => p.readString()
      case _ => other.read(p)
    }
  }

  private final class JsonText(text: Array[Byte] => String) extends JsonReader {
    override def read(p: JsonInput): Any = {
      val from = p.at
      p.skip()
      UTF8String.fromString(text(p.since(from)))
    }
  }

  /** The JSON text of any value; strings keep their quotes. */
  private val anyText = new JsonText(JsonTexts.of)

  /** A decimal in Kafka Connect's default encoding: the unscaled number in base64. */
  private final class UnscaledReader(scale: Int, t: DecimalType) extends JsonReader {
    override def read(p: JsonInput): Any = {
      val bytes = BinaryReader.read(p).asInstanceOf[Array[Byte]]
      // As in Avro: far more digits than any column type can hold.
      if (bytes.isEmpty || bytes.length > 128) p.mismatch(t.sql)
      val exact = FormatRules.exactDecimal(new java.math.BigDecimal(new java.math.BigInteger(bytes), scale), t)
      if (exact == null) p.mismatch(t.sql)
      exact
    }
  }

  private object BinaryReader extends JsonReader {
    override def read(p: JsonInput): Any = {
      if (p.head != '"') p.mismatch(BinaryType.sql)
      try Base64Text.decode(p.readString().toString)
      catch { case _: IllegalArgumentException => p.mismatch(BinaryType.sql) }
    }
  }

  /** @param texts whether only a text is one, and no number of days */
  private final class DateReader(texts: Boolean) extends JsonReader {
    private def value(p: JsonInput): Int =
      try {
        if (p.head == '"') JsonTimes.days(text(p))
        else if (texts) p.mismatch(DateType.sql)
        else Math.toIntExact(whole(p, DateType))
      } catch { case _: DateTimeException | _: ArithmeticException => p.mismatch(DateType.sql) }
    override def read(p: JsonInput): Any = value(p)
    override def into(p: JsonInput, row: InternalRow, ordinal: Int): Unit = row.setInt(ordinal, value(p))
  }

  /** A text, or milliseconds of the day. */
  private final class TimeReader(t: DataType, texts: Boolean) extends JsonReader {
    override def read(p: JsonInput): Any =
      try {
        if (p.head == '"') TimeOfDay.parse(text(p))
        else if (texts) p.mismatch(t.sql)
        else TimeOfDay.ofMillis(whole(p, t))
      } catch { case _: DateTimeException | _: ArithmeticException => p.mismatch(t.sql) }
  }

  private final class TimestampReader(t: DataType, parse: String => Long, texts: Boolean) extends JsonReader {
    private def value(p: JsonInput): Long =
      try {
        if (p.head == '"') parse(text(p))
        else if (texts || !p.isNumber) p.mismatch(t.sql)
        else {
          p.skipNumber()
          // movePointRight would write out the digits of 1e999999999.
          if (!p.isShortNumber) decimal(p, t).scaleByPowerOfTen(3).longValueExact
          else if (p.isWholeNumber) JsonTimes.millisToMicros(p.unscaled)
          else java.math.BigDecimal.valueOf(p.unscaled, p.scale - 3).longValueExact
        }
      } catch { case _: DateTimeException | _: ArithmeticException => p.mismatch(t.sql) }
    override def read(p: JsonInput): Any = value(p)
    override def into(p: JsonInput, row: InternalRow, ordinal: Int): Unit = row.setLong(ordinal, value(p))
  }

  /** A day-time INTERVAL, as a number of milliseconds. */
  private final class MillisReader(t: DataType) extends JsonReader {
    private def value(p: JsonInput): Long =
      try JsonTimes.millisToMicros(whole(p, t))
      catch { case _: ArithmeticException => p.mismatch(t.sql) }
    override def read(p: JsonInput): Any = value(p)
    override def into(p: JsonInput, row: InternalRow, ordinal: Int): Unit = row.setLong(ordinal, value(p))
  }

  private final class ArrayReader(t: ArrayType, item: JsonReader) extends JsonReader {
    override def read(p: JsonInput): Any = {
      if (p.head != '[') p.mismatch(t.sql)
      val items = new java.util.ArrayList[Any]
      p.enter()
      while (p.nextItem()) items.add(if (JsonReader.isNull(p)) null else item.read(p))
      new GenericArrayData(items.toArray.asInstanceOf[Array[Any]])
    }
  }

  private final class MapReader(t: MapType, value: JsonReader) extends JsonReader {
    override def read(p: JsonInput): Any = {
      if (p.head != '{') p.mismatch(t.sql)
      val entries = new java.util.LinkedHashMap[UTF8String, Any]
      p.enter()
      while (p.nextField()) {
        val key = p.readKey()
        entries.put(key, if (JsonReader.isNull(p)) null else value.read(p))
      }
      ReadMap.of(entries)
    }
  }

  /** A map as an array of objects, each with `key` and `value`. */
  private final class EntriesReader(t: MapType, value: JsonReader) extends JsonReader {
    private val fields = new JsonFields(Seq("key", "value"), Array(new StringReader(anyText), value), Array(0, 1))

    override def read(p: JsonInput): Any = {
      if (p.head != '[') p.mismatch(t.sql)
      val entries = new java.util.LinkedHashMap[UTF8String, Any]
      p.enter()
      while (p.nextItem()) {
        val (at, level) = (p.at, p.level)
        val entry = new GenericInternalRow(2)
        fields.into(p, entry, 0)
        if (entry.isNullAt(0)) {
          p.backTo(at, level)
          p.mismatch("an entry with a key")
        }
        entries.put(entry.getUTF8String(0), entry.get(1, t.valueType))
      }
      ReadMap.of(entries)
    }
  }

  private final class StructReader(t: StructType, shapes: Seq[JsonShape], strictness: JsonStrictness)
      extends JsonReader {
    private val readers = t.fields.map(_.dataType).zip(shapes).map { case (inner, shape) =>
      of(inner, shape, strictness)
    }
    private val fields = new JsonFields(t.fieldNames.toSeq, readers, t.fields.indices.toArray, strictness)

    override def read(p: JsonInput): Any = {
      if (p.head != '{') p.mismatch(t.sql)
      p.count(t.length + 1)
      val row = new GenericInternalRow(t.length)
      fields.into(p, row, 0)
      row
    }
  }
}
