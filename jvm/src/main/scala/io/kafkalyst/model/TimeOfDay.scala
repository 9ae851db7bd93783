package io.kafkalyst.model

import java.time.{DateTimeException, LocalTime}
import java.time.temporal.ChronoUnit

import org.apache.spark.sql.catalyst.parser.{CatalystSqlParser, ParseException}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{ArrayType, DataType, LongType, MapType, StructType}

/**
 * Spark's TIME, in nanoseconds of the day; Spark 4.0 does not have it. ksqlDB's TIME, also in records, is in
 * milliseconds. The type is recognised by name, as its class does not exist in every version.
 */
object TimeOfDay {

  /** The type; None on Spark 4.0. */
  lazy val dataType: Option[DataType] =
    try Some(CatalystSqlParser.parseDataType("TIME"))
    catch { case _: ParseException => None }

  /** The setting that Spark 4.1 and 4.2 require for TIME in tables and casts. */
  val enabled = "spark.sql.timeType.enabled"

  /** Whether that setting is on for this thread's session. */
  def isEnabled: Boolean = SQLConf.get.getConfString(enabled, "false").toBoolean

  /** Runs the body with TIME enabled for this thread, without changing the user's session settings. */
  def allowed[T](body: => T): T =
    if (dataType.isEmpty || SQLConf.get.contains(enabled)) body
    else {
      val lenient = SQLConf.get.clone()
      lenient.setConfString(enabled, "true")
      SQLConf.withExistingConf(lenient)(body)
    }

  def is(t: DataType): Boolean = t.typeName.startsWith("time(")

  /** Replaces each TIME in the type with BIGINT, in nanoseconds; Spark stores both types as a Long. */
  def asNanos(t: DataType): DataType = t match {
    case time if is(time) => LongType
    case s: StructType => StructType(s.map(f => f.copy(dataType = asNanos(f.dataType))))
    case a: ArrayType => a.copy(elementType = asNanos(a.elementType))
    case m: MapType => m.copy(keyType = asNanos(m.keyType), valueType = asNanos(m.valueType))
    case other => other
  }

  /** @throws java.time.DateTimeException for an invalid time of day */
  def ofMillis(millis: Long): Long = checked(Math.multiplyExact(millis, 1000000L))
  def ofMicros(micros: Long): Long = checked(Math.multiplyExact(micros, 1000L))
  def toMillis(nanos: Long): Int = (nanos / 1000000L).toInt

  /** `10:15` or `10:15:30.123456`. */
  def parse(text: String): Long = LocalTime.parse(text.trim).toNanoOfDay / 1000 * 1000

  /** Truncates to the precision of the TIME type. */
  def cut(nanos: Long, to: DataType): Long = {
    val unit = math.pow(10, 9.0 - to.typeName.filter(_.isDigit).toInt).toLong
    nanos / unit * unit
  }

  /** @param seconds whether to leave out the parts of a second */
  def text(nanos: Long, seconds: Boolean = false): String = {
    val time = LocalTime.ofNanoOfDay(nanos)
    (if (seconds) time.truncatedTo(ChronoUnit.SECONDS) else time).toString
  }

  private def checked(nanos: Long): Long =
    if (nanos >= 0 && nanos < 86400000000000L) nanos else throw new DateTimeException(s"$nanos ns is not a time of day")
}
