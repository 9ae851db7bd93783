package io.kafkalyst.formats

import java.util.Base64

import com.fasterxml.jackson.core.io.NumberInput
import io.kafkalyst.model.TimeOfDay
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** One field's text as a column's value, and back. Blanks around it count for STRING only. */
private[formats] object DelimitedValues {

  /**
   * Reads a text that is not null.
   *
   * Errors: IllegalArgumentException, ArithmeticException or DateTimeException for a text that is no such value.
   */
  def reader(t: DataType): UTF8String => Any = {
    def of(read: String => Any): UTF8String => Any = text => read(text.toString.trim)
    t match {
      case _: BooleanType => of(boolean)
      case _: ByteType => of(_.toByte)
      case _: ShortType => of(_.toShort)
      case _: IntegerType => of(_.toInt)
      case _: LongType => of(_.toLong)
      case _: FloatType => of(text => finite(text, NumberInput.parseFloat(number(text), true).toDouble).toFloat)
      case _: DoubleType => of(text => finite(text, NumberInput.parseDouble(number(text), true)))
      case d: DecimalType => of(decimal(_, d))
      case _: StringType => identity
      case _: BinaryType => of(Base64.getDecoder.decode(_))
      case _: DateType => of(text => if (isInteger(text)) text.toInt else JsonTimes.days(text))
      case _: TimestampType => of(text => millis(text).getOrElse(JsonTimes.instantMicros(text)))
      case _: TimestampNTZType => of(text => millis(text).getOrElse(JsonTimes.localMicros(text)))
      case time if TimeOfDay.is(time) =>
        of(text => if (isInteger(text)) TimeOfDay.ofMillis(text.toLong) else TimeOfDay.parse(text))
      case other => throw new IllegalArgumentException(s"validate lets no ${other.sql} through")
    }
  }

  /** Writes a value that is not null. */
  def writer(t: DataType): (InternalRow, Int) => String = t match {
    case _: BooleanType => (row, i) => row.getBoolean(i).toString
    case _: ByteType => (row, i) => row.getByte(i).toString
    case _: ShortType => (row, i) => row.getShort(i).toString
    case _: IntegerType => (row, i) => row.getInt(i).toString
    case _: LongType => (row, i) => row.getLong(i).toString
    case _: FloatType => (row, i) => row.getFloat(i).toString
    case _: DoubleType => (row, i) => row.getDouble(i).toString
    case d: DecimalType =>
      (row, i) => row.getDecimal(i, d.precision, d.scale).toJavaBigDecimal.setScale(d.scale).toPlainString
    case _: StringType => (row, i) => row.getUTF8String(i).toString
    case _: BinaryType => (row, i) => Base64.getEncoder.encodeToString(row.getBinary(i))
    case _: DateType => (row, i) => row.getInt(i).toString
    case _: TimestampType => (row, i) => Math.floorDiv(row.getLong(i), 1000L).toString
    case _: TimestampNTZType => (row, i) => JsonTimes.local(row.getLong(i))
    case time if TimeOfDay.is(time) => (row, i) => TimeOfDay.toMillis(row.getLong(i)).toString
    case other => throw new IllegalArgumentException(s"validate lets no ${other.sql} through")
  }

  private def boolean(text: String): Boolean =
    if (text.equalsIgnoreCase("true")) true
    else if (text.equalsIgnoreCase("false")) false
    else throw new IllegalArgumentException(text)

  private val special = "[+-]?Infinity|NaN".r

  /** Parsers of Java's numbers take hexadecimal ones and type letters too. */
  private def number(text: String): String =
    if (text.forall(c => c >= '0' && c <= '9' || c == '.' || c == '-' || c == '+' || c == 'e' || c == 'E')) text
    else if (special.matches(text)) text
    else throw new NumberFormatException(text)

  private def finite(text: String, d: Double): Double =
    if (d.isInfinite && !text.endsWith("Infinity")) throw new ArithmeticException(text) else d

  private def decimal(text: String, t: DecimalType): Decimal = {
    // Counting the digits of a very long number takes quadratic time.
    if (text.length > 1000) throw new NumberFormatException(text)
    val exact = FormatRules.exactDecimal(new java.math.BigDecimal(text), t)
    if (exact == null) throw new ArithmeticException(text)
    exact
  }

  private def isInteger(text: String): Boolean = {
    val from = if (text.length > 1 && text(0) == '-') 1 else 0
    var i = from
    while (i < text.length && text(i).isDigit) i += 1
    i == text.length && i > from
  }

  private def millis(text: String): Option[Long] =
    if (isInteger(text)) Some(JsonTimes.millisToMicros(text.toLong)) else None
}
