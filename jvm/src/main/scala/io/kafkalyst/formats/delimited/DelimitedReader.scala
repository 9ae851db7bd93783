package io.kafkalyst.formats
package delimited

import com.fasterxml.jackson.core.io.NumberInput
import io.kafkalyst.formats.bytes.{Base64Text, PlainNumber}
import io.kafkalyst.formats.json.JsonTimes
import io.kafkalyst.model.TimeOfDay
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * Reads one non-null field into a row. Blanks around it are significant for STRING only.
 *
 * Errors: IllegalArgumentException, ArithmeticException or DateTimeException for an invalid text.
 */
private[formats] abstract class DelimitedReader {
  def read(line: DelimitedLine, field: Int, row: InternalRow, ordinal: Int): Unit
}

private[delimited] object DelimitedReader {

  /** @param parse parses values of types without a faster way */
  def apply(t: DataType, syntax: LineSyntax, parse: UTF8String => Any): DelimitedReader = {
    def whole(least: Long, most: Long, set: SetWhole) = new WholeReader(least, most, set, parse)
    def long(set: SetWhole) = whole(Long.MinValue, Long.MaxValue, set)
    t match {
      case _: DateType | _: TimestampType | _: TimestampNTZType if syntax.hasTextTimes => new TextReader(parse)
      case time if syntax.hasTextTimes && TimeOfDay.is(time) => new TextReader(parse)
      case _: ByteType => whole(Byte.MinValue, Byte.MaxValue, SetWhole.byte)
      case _: ShortType => whole(Short.MinValue, Short.MaxValue, SetWhole.short)
      case _: IntegerType | _: DateType => whole(Int.MinValue, Int.MaxValue, SetWhole.int)
      case _: LongType => long(SetWhole.long)
      case _: TimestampType | _: TimestampNTZType =>
        long((row, ordinal, n) => row.setLong(ordinal, JsonTimes.millisToMicros(n)))
      case time if TimeOfDay.is(time) => long((row, ordinal, n) => row.setLong(ordinal, TimeOfDay.ofMillis(n)))
      case _: FloatType => new FloatReader(parse)
      case _: DoubleType => new DoubleReader(parse)
      case d: DecimalType if d.precision <= Decimal.MAX_LONG_DIGITS => new DecimalReader(d, parse)
      case _ => new TextReader(parse)
    }
  }

  /** Parses a value from its text. */
  private final class TextReader(parse: UTF8String => Any) extends DelimitedReader {
    override def read(line: DelimitedLine, field: Int, row: InternalRow, ordinal: Int): Unit =
      put(row, ordinal, parse(line.text(field)))
  }

  /** A DECIMAL that is too large may be null. */
  private def put(row: InternalRow, ordinal: Int, value: Any): Unit =
    if (value == null) row.setNullAt(ordinal) else row.update(ordinal, value)

  private final class WholeReader(
      least: Long,
      most: Long,
      set: SetWhole,
      parse: UTF8String => Any
  ) extends DelimitedReader {
    private val number = new PlainNumber

    override def read(line: DelimitedLine, field: Int, row: InternalRow, ordinal: Int): Unit = {
      val isPlain = line.number(field, number) && number.scale == 0
      val n = number.unscaled
      if (isPlain && n >= least && n <= most) set(row, ordinal, n) else row.update(ordinal, parse(line.text(field)))
    }
  }

  private final class DoubleReader(parse: UTF8String => Any) extends DelimitedReader {
    private val number = new PlainNumber

    override def read(line: DelimitedLine, field: Int, row: InternalRow, ordinal: Int): Unit = {
      if (line.number(field, number)) row.setDouble(ordinal, number.double)
      else row.update(ordinal, parse(line.text(field)))
    }
  }

  private final class FloatReader(parse: UTF8String => Any) extends DelimitedReader {
    private val number = new PlainNumber

    override def read(line: DelimitedLine, field: Int, row: InternalRow, ordinal: Int): Unit = {
      if (line.number(field, number)) row.setFloat(ordinal, number.float)
      else row.update(ordinal, parse(line.text(field)))
    }
  }

  private final class DecimalReader(t: DecimalType, parse: UTF8String => Any) extends DelimitedReader {
    private val number = new PlainNumber
    private val most = math.pow(10, t.precision.toDouble).toLong

    override def read(line: DelimitedLine, field: Int, row: InternalRow, ordinal: Int): Unit = {
      val isPlain = line.number(field, number) && number.scale == t.scale
      val n = number.unscaled
      put(
        row,
        ordinal,
        if (isPlain && n < most && n > -most) Decimal.createUnsafe(n, t.precision, t.scale)
        else parse(line.text(field))
      )
    }
  }

  /**
   * Parses a non-null text.
   *
   * @param syntax whether BOOLEAN and DECIMAL are converted as Flink does; in ksqlDB's dialect any text but true is
   *               false, and blanks around a number are bad, except a DOUBLE
   *
   * Errors: IllegalArgumentException, ArithmeticException or DateTimeException for an invalid text.
   */
  def ofText(t: DataType, syntax: LineSyntax): UTF8String => Any = {
    import syntax.{coerces, likeKsqldb}
    def isCount(text: String) = !syntax.hasTextTimes && isInteger(text)
    def millis(text: String) = if (isCount(text)) Some(JsonTimes.millisToMicros(text.toLong)) else None
    def of(read: String => Any): UTF8String => Any = text => read(text.toString.trim)
    def exact(read: String => Any): UTF8String => Any = if (likeKsqldb) text => read(text.toString) else of(read)
    t match {
      case _: BooleanType =>
        val other = exact(boolean(_, coerces || likeKsqldb))
        text => if (text == isTrue) true else if (text == isFalse) false else other(text)
      case _: ByteType => of(_.toByte)
      case _: ShortType => of(_.toShort)
      case _: IntegerType => exact(_.toInt)
      case _: LongType => exact(_.toLong)
      case _: FloatType => of(text => finite(text, NumberInput.parseFloat(number(text), true).toDouble).toFloat)
      case _: DoubleType => of(text => finite(text, NumberInput.parseDouble(number(text), true)))
      case d: DecimalType => exact(decimal(_, d, coerces))
      case _: YearMonthIntervalType => of(_.toInt)
      case _: DayTimeIntervalType => of(text => JsonTimes.millisToMicros(text.toLong))
      case _: StringType => identity
      case _: BinaryType => of(Base64Text.decode)
      case _: DateType =>
        of(text => if (isCount(text)) text.toInt else JsonTimes.days(if (coerces) filled(text) else text))
      case _: TimestampType => of(text => millis(text).getOrElse(JsonTimes.instantMicros(text)))
      case _: TimestampNTZType => of(text => millis(text).getOrElse(JsonTimes.localMicros(text)))
      case time if TimeOfDay.is(time) =>
        of(text => if (isCount(text)) TimeOfDay.ofMillis(text.toLong) else TimeOfDay.parse(text))
      case other => throw new IllegalArgumentException(s"validate lets no ${other.sql} through")
    }
  }

  private val isTrue = UTF8String.fromString("true")
  private val isFalse = UTF8String.fromString("false")

  private def boolean(text: String, coerces: Boolean): Boolean =
    if (text.equalsIgnoreCase("true")) true
    else if (coerces || text.equalsIgnoreCase("false")) false
    else throw new IllegalArgumentException(text)

  private val special = "[+-]?Infinity|NaN".r

  /** Java's number parsers also accept hexadecimal numbers and type suffixes. */
  private def number(text: String): String =
    if (text.forall(c => c >= '0' && c <= '9' || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E')) text
    else if (special.matches(text)) text
    else throw new NumberFormatException(text)

  private def finite(text: String, d: Double): Double =
    if (d.isInfinite && !text.endsWith("Infinity")) throw new ArithmeticException(text) else d

  private def decimal(text: String, t: DecimalType, coerces: Boolean): Decimal = {
    // Counting the digits of a very long number takes quadratic time.
    if (text.length > PlainNumber.longest) throw new NumberFormatException(text)
    val value = new java.math.BigDecimal(text)
    if (coerces) FormatRules.roundedDecimal(value, t)
    else {
      val exact = FormatRules.exactDecimal(value, t)
      if (exact == null) throw new ArithmeticException(text)
      exact
    }
  }

  private def isInteger(text: String): Boolean = {
    val from = if (text.length > 1 && text(0) == '-') 1 else 0
    var i = from
    while (i < text.length && text(i).isDigit) i += 1
    i == text.length && i > from
  }

  private val date = "(\\d{4})-(\\d{1,2})-(\\d{1,2})".r

  /** A date whose month and day have two digits: Flink's csv also reads `2024-1-5`. */
  private def filled(text: String): String = text match {
    case date(year, month, day) => s"$year-${"0" * (2 - month.length)}$month-${"0" * (2 - day.length)}$day"
    case other => other
  }
}
