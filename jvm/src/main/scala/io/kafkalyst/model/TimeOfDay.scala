package io.kafkalyst.model

import java.time.{DateTimeException, LocalTime}

import org.apache.spark.sql.catalyst.parser.{CatalystSqlParser, ParseException}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.DataType

/**
 * Spark's TIME, which Spark 4.0 does not have: nanoseconds of the day. ksqlDB's are milliseconds, in records too.
 * It is told by its name, as its class is not there everywhere.
 */
object TimeOfDay {

  /** The type; None on Spark 4.0. */
  lazy val dataType: Option[DataType] =
    try Some(CatalystSqlParser.parseDataType("TIME"))
    catch { case _: ParseException => None }

  /** The setting without which Spark 4.1 and 4.2 refuse TIME in tables and casts. */
  val enabled = "spark.sql.timeType.enabled"

  /** With TIME allowed for this thread, whatever the session says: its settings are the user's. */
  def allowed[T](body: => T): T =
    if (dataType.isEmpty || SQLConf.get.contains(enabled)) body
    else {
      val lenient = SQLConf.get.clone()
      lenient.setConfString(enabled, "true")
      SQLConf.withExistingConf(lenient)(body)
    }

  def is(t: DataType): Boolean = t.typeName.startsWith("time(")

  /** @throws java.time.DateTimeException for what is no time of a day */
  def ofMillis(millis: Long): Long = checked(Math.multiplyExact(millis, 1000000L))
  def ofMicros(micros: Long): Long = checked(Math.multiplyExact(micros, 1000L))
  def toMillis(nanos: Long): Int = (nanos / 1000000L).toInt

  /** `10:15` or `10:15:30.123456`. */
  def parse(text: String): Long = LocalTime.parse(text.trim).toNanoOfDay / 1000 * 1000
  def text(nanos: Long): String = LocalTime.ofNanoOfDay(nanos).toString

  private def checked(nanos: Long): Long =
    if (nanos >= 0 && nanos < 86400000000000L) nanos else throw new DateTimeException(s"$nanos ns is no time of a day")
}
