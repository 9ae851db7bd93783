package io.kafkalyst.formats

import java.time.DateTimeException

import com.fasterxml.jackson.core.{JsonParser, JsonToken}
import io.kafkalyst.model.TimeOfDay
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** Reads the value at the parser's current token, which is not null, as one type, and leaves it at its last token. */
private[formats] abstract class JsonReader {
  def read(p: JsonParser): Any

  /** Sets the value in a row; without boxing where the value is a primitive. */
  def into(p: JsonParser, row: InternalRow, ordinal: Int): Unit = row.update(ordinal, read(p))
}

private[formats] object JsonReaders {

  def of(
      t: DataType,
      shape: JsonShape = JsonShape.Free,
      strictness: JsonStrictness = JsonStrictness()
  ): JsonReader = t match {
    case _: BooleanType => BooleanReader
    case _: ByteType =>
      new IntegralReader(t, Byte.MinValue, Byte.MaxValue)(_.toByte)((row, i, n) => row.setByte(i, n.toByte))
    case _: ShortType =>
      new IntegralReader(t, Short.MinValue, Short.MaxValue)(_.toShort)((row, i, n) => row.setShort(i, n.toShort))
    case _: IntegerType =>
      new IntegralReader(t, Int.MinValue, Int.MaxValue)(_.toInt)((row, i, n) => row.setInt(i, n.toInt))
    case _: LongType => new IntegralReader(t, Long.MinValue, Long.MaxValue)(n => n)((row, i, n) => row.setLong(i, n))
    case _: FloatType => FloatReader
    case _: DoubleType => DoubleReader
    case d: DecimalType =>
      shape match {
        case JsonShape.Scalar(written: DecimalType, JsonShape.Unscaled, _) => new UnscaledReader(written.scale, d)
        case _ => new DecimalReader(d)
      }
    case _: StringType => if (shape.isInstanceOf[JsonShape.Mixed]) JsonText else StringReader
    case _: BinaryType => BinaryReader
    case _: DateType => DateReader
    case _: TimestampType => new TimestampReader(t, JsonTimes.instantMicros)
    case _: TimestampNTZType => new TimestampReader(t, JsonTimes.localMicros)
    case a: ArrayType => new ArrayReader(a, of(a.elementType, JsonShape.item(shape), strictness))
    case m: MapType =>
      val value = of(m.valueType, JsonShape.value(shape), strictness)
      if (shape.isInstanceOf[JsonShape.Entries]) new EntriesReader(m, value) else new MapReader(m, value)
    case s: StructType => new StructReader(s, JsonShape.fields(shape, s.fieldNames.toSeq), strictness)
    case time if TimeOfDay.is(time) => new TimeReader(time)
    case other => throw new IllegalArgumentException(s"validate lets no ${other.sql} through")
  }

  def mismatch(p: JsonParser, t: DataType): Nothing = mismatch(p, t.sql)

  def mismatch(p: JsonParser, expected: String): Nothing = {
    val found = p.currentToken match {
      case JsonToken.START_OBJECT => "an object"
      case JsonToken.START_ARRAY => "an array"
      case JsonToken.VALUE_STRING => s"the string ${quoted(p.getText)}"
      case _ => clipped(p.getText)
    }
    val path = JsonPath.of(p)
    throw new BadBytes(s"${if (path.isEmpty) "" else s"field $path: "}$expected expected, $found found")
  }

  private def quoted(text: String): String = "\"" + clipped(text) + "\""

  private def clipped(text: String): String = if (text.length > 40) text.take(40) + "…" else text

  private object BooleanReader extends JsonReader {
    private def value(p: JsonParser): Boolean = p.currentToken match {
      case JsonToken.VALUE_TRUE => true
      case JsonToken.VALUE_FALSE => false
      case _ => mismatch(p, BooleanType)
    }
    override def read(p: JsonParser): Any = value(p)
    override def into(p: JsonParser, row: InternalRow, ordinal: Int): Unit = row.setBoolean(ordinal, value(p))
  }

  private def decimal(p: JsonParser, t: DataType): java.math.BigDecimal =
    // Exponents of more than nine digits are no numbers to BigDecimal.
    try p.getDecimalValue
    catch { case _: NumberFormatException => mismatch(p, t) }

  /** A whole number; one with a point or an exponent too, where it is whole: JSON knows only one kind of number. */
  private def whole(p: JsonParser, t: DataType): Long = p.currentToken match {
    case JsonToken.VALUE_NUMBER_INT =>
      if (p.getNumberType == JsonParser.NumberType.BIG_INTEGER) mismatch(p, t) else p.getLongValue
    case JsonToken.VALUE_NUMBER_FLOAT =>
      try decimal(p, t).longValueExact
      catch { case _: ArithmeticException => mismatch(p, t) }
    case JsonToken.VALUE_STRING => p.getText.trim.toLongOption.getOrElse(mismatch(p, t))
    case _ => mismatch(p, t)
  }

  private final class IntegralReader(t: DataType, least: Long, most: Long)(box: Long => Any)(
      set: (InternalRow, Int, Long) => Unit
  ) extends JsonReader {
    private def value(p: JsonParser): Long = {
      val n = whole(p, t)
      if (n < least || n > most) mismatch(p, t)
      n
    }
    override def read(p: JsonParser): Any = box(value(p))
    override def into(p: JsonParser, row: InternalRow, ordinal: Int): Unit = set(row, ordinal, value(p))
  }

  /** The text of a number, which may stand in a string: only there it can be none of JSON's own. */
  private def numberText(p: JsonParser, t: DataType): String = p.currentToken match {
    case JsonToken.VALUE_NUMBER_INT | JsonToken.VALUE_NUMBER_FLOAT => p.getText
    case JsonToken.VALUE_STRING if number.matches(p.getText.trim) => p.getText.trim
    case _ => mismatch(p, t)
  }

  private val number = """NaN|[+-]?Infinity|[+-]?(\d++(\.\d*+)?|\.\d++)([eE][+-]?\d++)?""".r

  private object FloatReader extends JsonReader {
    override def read(p: JsonParser): Any = {
      // From the text: going through double would round twice.
      val text = numberText(p, FloatType)
      val f = java.lang.Float.parseFloat(text)
      if (f.isInfinite && !text.endsWith("y")) mismatch(p, FloatType)
      f
    }
  }

  private object DoubleReader extends JsonReader {
    private def value(p: JsonParser): Double =
      if (p.currentToken == JsonToken.VALUE_STRING) {
        val text = numberText(p, DoubleType)
        val d = java.lang.Double.parseDouble(text)
        if (d.isInfinite && !text.endsWith("y")) mismatch(p, DoubleType)
        d
      } else {
        val d = if (p.currentToken.isNumeric) p.getDoubleValue else mismatch(p, DoubleType)
        if (d.isInfinite) mismatch(p, DoubleType)
        d
      }
    override def read(p: JsonParser): Any = value(p)
    override def into(p: JsonParser, row: InternalRow, ordinal: Int): Unit = row.setDouble(ordinal, value(p))
  }

  private final class DecimalReader(t: DecimalType) extends JsonReader {
    override def read(p: JsonParser): Any = {
      val value = p.currentToken match {
        case JsonToken.VALUE_NUMBER_INT | JsonToken.VALUE_NUMBER_FLOAT => decimal(p, t)
        case JsonToken.VALUE_STRING if p.getTextLength <= 1000 =>
          try new java.math.BigDecimal(p.getText.trim)
          catch { case _: NumberFormatException => mismatch(p, t) }
        case _ => mismatch(p, t)
      }
      val exact = FormatRules.exactDecimal(value, t)
      if (exact == null) mismatch(p, t)
      exact
    }
  }

  /** A string, or any other value as its JSON text. */
  private object StringReader extends JsonReader {
    override def read(p: JsonParser): Any =
      if (p.currentToken.isStructStart) JsonText.read(p) else UTF8String.fromString(p.getText)
  }

  /** Any value as its JSON text, a string in its quotes. */
  private object JsonText extends JsonReader {
    override def read(p: JsonParser): Any = UTF8String.fromString(JsonTexts.of(p))
  }

  /** A decimal as Kafka Connect writes it by default: the unscaled number in base64. */
  private final class UnscaledReader(scale: Int, t: DecimalType) extends JsonReader {
    override def read(p: JsonParser): Any = {
      val bytes = BinaryReader.read(p).asInstanceOf[Array[Byte]]
      // As in Avro: far more digits than any column has are not worth the time.
      if (bytes.isEmpty || bytes.length > 128) mismatch(p, t)
      val exact = FormatRules.exactDecimal(new java.math.BigDecimal(new java.math.BigInteger(bytes), scale), t)
      if (exact == null) mismatch(p, t)
      exact
    }
  }

  private object BinaryReader extends JsonReader {
    override def read(p: JsonParser): Any = {
      if (p.currentToken != JsonToken.VALUE_STRING) mismatch(p, BinaryType)
      try java.util.Base64.getDecoder.decode(p.getText)
      catch { case _: IllegalArgumentException => mismatch(p, BinaryType) }
    }
  }

  private object DateReader extends JsonReader {
    private def value(p: JsonParser): Int =
      try {
        if (p.currentToken == JsonToken.VALUE_STRING) JsonTimes.days(p.getText) else Math.toIntExact(whole(p, DateType))
      } catch { case _: DateTimeException | _: ArithmeticException => mismatch(p, DateType) }
    override def read(p: JsonParser): Any = value(p)
    override def into(p: JsonParser, row: InternalRow, ordinal: Int): Unit = row.setInt(ordinal, value(p))
  }

  /** Milliseconds of the day, or a text. */
  private final class TimeReader(t: DataType) extends JsonReader {
    override def read(p: JsonParser): Any =
      try {
        if (p.currentToken == JsonToken.VALUE_STRING) TimeOfDay.parse(p.getText) else TimeOfDay.ofMillis(whole(p, t))
      } catch { case _: DateTimeException | _: ArithmeticException => mismatch(p, t) }
  }

  private final class TimestampReader(t: DataType, parse: String => Long) extends JsonReader {
    private def value(p: JsonParser): Long =
      try
        p.currentToken match {
          case JsonToken.VALUE_STRING => parse(p.getText)
          case JsonToken.VALUE_NUMBER_FLOAT => decimal(p, t).movePointRight(3).longValueExact
          case _ => JsonTimes.millisToMicros(whole(p, t))
        }
      catch { case _: DateTimeException | _: ArithmeticException => mismatch(p, t) }
    override def read(p: JsonParser): Any = value(p)
    override def into(p: JsonParser, row: InternalRow, ordinal: Int): Unit = row.setLong(ordinal, value(p))
  }

  private final class ArrayReader(t: ArrayType, item: JsonReader) extends JsonReader {
    override def read(p: JsonParser): Any = {
      if (p.currentToken != JsonToken.START_ARRAY) mismatch(p, t)
      val items = new java.util.ArrayList[Any]
      var token = p.nextToken()
      while (token != JsonToken.END_ARRAY) {
        items.add(if (token == JsonToken.VALUE_NULL) null else item.read(p))
        token = p.nextToken()
      }
      new GenericArrayData(items.toArray.asInstanceOf[Array[Any]])
    }
  }

  private final class MapReader(t: MapType, value: JsonReader) extends JsonReader {
    override def read(p: JsonParser): Any = {
      if (p.currentToken != JsonToken.START_OBJECT) mismatch(p, t)
      val entries = new java.util.LinkedHashMap[UTF8String, Any]
      while (p.nextToken() != JsonToken.END_OBJECT) {
        val key = UTF8String.fromString(p.currentName)
        entries.put(key, if (p.nextToken() == JsonToken.VALUE_NULL) null else value.read(p))
      }
      AvroReaders.mapOf(entries)
    }
  }

  /** A map as an array of objects, each with `key` and `value`. */
  private final class EntriesReader(t: MapType, value: JsonReader) extends JsonReader {
    private val fields = new JsonFields(Seq("key", "value"), Array(StringReader, value), Array(0, 1))

    override def read(p: JsonParser): Any = {
      if (p.currentToken != JsonToken.START_ARRAY) mismatch(p, t)
      val entries = new java.util.LinkedHashMap[UTF8String, Any]
      while (p.nextToken() != JsonToken.END_ARRAY) {
        val entry = new GenericInternalRow(2)
        fields.into(p, entry, 0)
        if (entry.isNullAt(0)) mismatch(p, "an entry with a key")
        entries.put(entry.getUTF8String(0), entry.get(1, t.valueType))
      }
      AvroReaders.mapOf(entries)
    }
  }

  private final class StructReader(t: StructType, shapes: Seq[JsonShape], strictness: JsonStrictness)
      extends JsonReader {
    private val readers = t.fields.map(_.dataType).zip(shapes).map { case (inner, shape) =>
      of(inner, shape, strictness)
    }
    private val fields = new JsonFields(t.fieldNames.toSeq, readers, t.fields.indices.toArray, strictness)

    override def read(p: JsonParser): Any = {
      if (p.currentToken != JsonToken.START_OBJECT) mismatch(p, t)
      val row = new GenericInternalRow(t.length)
      fields.into(p, row, 0)
      row
    }
  }
}
