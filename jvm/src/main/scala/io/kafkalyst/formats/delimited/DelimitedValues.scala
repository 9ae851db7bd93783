package io.kafkalyst.formats
package delimited

import java.util.Base64

import io.kafkalyst.formats.json.JsonTimes
import io.kafkalyst.model.TimeOfDay
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._

/**
 * Formats a column's value as the text of one field.
 *
 * @param standard  the text form of dates and times; None writes them as numbers
 * @param exponents whether a DECIMAL below 0.000001 is written as 1E-10
 */
private[formats] final class DelimitedValues(standard: Option[String], exponents: Boolean) {

  /** Writes a non-null value. */
  def writer(t: DataType): (InternalRow, Int) => String = t match {
    case _: BooleanType => (row, i) => row.getBoolean(i).toString
    case _: ByteType => (row, i) => row.getByte(i).toString
    case _: ShortType => (row, i) => row.getShort(i).toString
    case _: IntegerType => (row, i) => row.getInt(i).toString
    case _: LongType => (row, i) => row.getLong(i).toString
    case _: FloatType => (row, i) => row.getFloat(i).toString
    case _: DoubleType => (row, i) => row.getDouble(i).toString
    case d: DecimalType => (row, i) => {
        val value = row.getDecimal(i, d.precision, d.scale).toJavaBigDecimal.setScale(d.scale)
        if (exponents) value.toString else value.toPlainString
      }
    case _: StringType => (row, i) => row.getUTF8String(i).toString
    case _: BinaryType => (row, i) => Base64.getEncoder.encodeToString(row.getBinary(i))
    case _: DateType if standard.isDefined => (row, i) => JsonTimes.date(row.getInt(i))
    case _: TimestampType if standard.isDefined => (row, i) => JsonTimes.instant(row.getLong(i), standard.get)
    case _: TimestampNTZType if standard.isDefined => (row, i) => JsonTimes.local(row.getLong(i), standard.get)
    case time if TimeOfDay.is(time) && standard.isDefined => (row, i) => JsonTimes.time(row.getLong(i))
    case _: DateType => (row, i) => row.getInt(i).toString
    case _: TimestampType => (row, i) => Math.floorDiv(row.getLong(i), 1000L).toString
    case _: TimestampNTZType => (row, i) => JsonTimes.local(row.getLong(i))
    case time if TimeOfDay.is(time) => (row, i) => TimeOfDay.toMillis(row.getLong(i)).toString
    case _: YearMonthIntervalType => (row, i) => row.getInt(i).toString
    case _: DayTimeIntervalType => (row, i) => Math.floorDiv(row.getLong(i), 1000L).toString
    case other => throw new IllegalArgumentException(s"validate lets no ${other.sql} through")
  }
}
