package io.kafkalyst.metadata

import java.time.{DateTimeException, Instant}
import java.time.format.{DateTimeFormatter, DateTimeFormatterBuilder}
import java.time.temporal.{ChronoField, TemporalQueries}
import java.util.Locale

import io.kafkalyst.errors.{Conditions, KafkalystException}
import io.kafkalyst.model.{Properties, SideFormat, TopicColumn, TopicObject}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, Least, Literal, MillisToTimestamp}
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types._

/**
 * The column named by the property TIMESTAMP: its value is ROWTIME, and the record's timestamp when rows are written.
 *
 * @param column  the column
 * @param path    ordinals of the nested fields, outermost first; empty for the column itself
 * @param pattern of a STRING's value
 * @param isFilled whether what the pattern leaves out of a time is that of 1970-01-01T00:00, as in ksqlDB
 */
final case class RowTime(column: TopicColumn, path: Seq[Int], pattern: Option[String], isFilled: Boolean) {

  /** Whether `other` is this column, possibly with its nested fields pruned. */
  def isOf(other: TopicColumn): Boolean = other.copy(dataType = column.dataType) == column

  /** A reader for rows that have the column at that ordinal. Not thread-safe. */
  def on(ordinal: Int, zone: String): RowTimeReader = new RowTimeReader(this, ordinal, zone)
}

object RowTime {

  /**
   * The object's time column; None if the property is not set.
   *
   * @throws io.kafkalyst.errors.KafkalystException TIMESTAMP_COLUMN if the column does not exist, has another type, or
   * type and TIMESTAMP_FORMAT do not match; INVALID_PROPERTY for an invalid pattern
   */
  def of(topic: TopicObject): Option[RowTime] = {
    val pattern = topic.options.get(Properties.timestampFormat.name)
    topic.options.get(Properties.timestamp.name) match {
      case None =>
        if (pattern.isDefined) throw KafkalystException(
          "MISSING_PROPERTY",
          "property" -> Properties.timestamp.name,
          "doc" -> Properties.timestamp.doc
        )
        None
      case Some(text) => Some(found(topic, text, pattern))
    }
  }

  /**
   * The object with ksqlDB's meaning of TIMESTAMP: the name of a column, in upper case unless it is quoted.
   * TIMESTAMP_FORMAT alone says nothing there.
   *
   * @throws io.kafkalyst.errors.KafkalystException as [[of]]
   */
  def asInKsqldb(topic: TopicObject): TopicObject = topic.options.get(Properties.timestamp.name) match {
    case None => topic.copy(options = topic.options - Properties.timestampFormat.name)
    case Some(text) =>
      val names = if (text.contains("->")) None else parts(text, folds = true)
      val column = names.flatMap(n => topic.columns.find(_.name == n.last)).getOrElse {
        throw KafkalystException(
          "TIMESTAMP_COLUMN",
          "column" -> text,
          "reason" -> s"in ksqlDB it is the name of a column, in upper case unless it is quoted; the columns are: ${
              topic.columns.map(_.sqlName).mkString(", ")
            }"
        )
      }
      val said = topic.copy(options = topic.options + (Properties.timestamp.name -> column.sqlName))
      if (of(topic) == of(said)) topic else said
  }

  private def found(topic: TopicObject, text: String, pattern: Option[String]): RowTime = {
    def refuse(reason: String): Nothing =
      throw KafkalystException("TIMESTAMP_COLUMN", "column" -> text, "reason" -> reason)
    val names = parts(text).getOrElse(refuse(
      s"it is not the name of a column; the columns are: ${topic.columns.map(_.name).mkString(", ")}"
    ))
    val columns = topic.columns
    // The column's name may be qualified with the object's, as in `orders.ts`.
    val place = at(columns.map(_.name), names.head)
    val (column, rest) =
      if (place >= 0) (columns(place), names.tail)
      else names.tail.headOption.map(n => at(columns.map(_.name), n)).filter(_ >= 0) match {
        case Some(i) => (columns(i), names.drop(2))
        case None =>
          refuse(
            s"there is no such column.${Conditions.nearest(names.head, columns.map(_.name))} " +
              s"The columns are: ${columns.map(_.name).mkString(", ")}"
          )
      }
    val (dataType, path) = rest.foldLeft((column.dataType, Seq.empty[Int])) {
      case ((s: StructType, path), name) =>
        val i = at(s.fieldNames.toSeq, name)
        if (i < 0) refuse(s"there is no field $name; the fields are: ${s.fieldNames.mkString(", ")}")
        (s(i).dataType, path :+ i)
      case ((other, _), name) => refuse(s"$name cannot be a field of a ${other.sql}")
    }
    dataType match {
      case _: StringType if pattern.isEmpty => refuse(s"a STRING needs the property ${Properties.timestampFormat.name}")
      case _: StringType => pattern.foreach(check)
      case LongType | TimestampType if pattern.isEmpty =>
      case LongType | TimestampType =>
        refuse(s"${Properties.timestampFormat.name} is for a STRING, and it is ${dataType.sql}")
      case other => refuse(s"it is ${other.sql}, and must be BIGINT, TIMESTAMP or STRING")
    }
    RowTime(column, path, pattern, topic.value.isSet(SideFormat.likeKsqldb))
  }

  private val name = """\s*(?:`((?:[^`]|``)+)`|"((?:[^"]|"")+)"|([\p{L}_][\p{L}0-9_@]*))\s*""".r

  /**
   * The names of a path `a->b` or `a.b`, unquoted; None for any other text.
   *
   * @param folds whether names that are not quoted become upper case
   */
  private def parts(text: String, folds: Boolean = false): Option[Seq[String]] = {
    def from(rest: String): Option[List[String]] = name.findPrefixMatchOf(rest).flatMap { m =>
      val word = Option(m.group(1)).map(_.replace("``", "`"))
        .orElse(Option(m.group(2)).map(_.replace("\"\"", "\"")))
        .getOrElse(if (folds) m.group(3).toUpperCase(Locale.ROOT) else m.group(3))
      val behind = rest.substring(m.end)
      if (behind.isEmpty) Some(List(word))
      else if (behind.startsWith("->")) from(behind.substring(2)).map(word :: _)
      else if (behind.startsWith(".")) from(behind.substring(1)).map(word :: _)
      else None
    }
    from(text)
  }

  /** The index of exactly that name, else of the only match ignoring case; -1 if there is none. */
  private def at(names: Seq[String], wanted: String): Int = {
    val exact = names.indexOf(wanted)
    val loose = names.indices.filter(i => names(i).equalsIgnoreCase(wanted))
    if (exact >= 0) exact else if (loose.size == 1) loose.head else -1
  }

  private def check(pattern: String): Unit =
    try { formatter(pattern); () }
    catch {
      case e: IllegalArgumentException =>
        throw Properties.timestampFormat.invalid(pattern, String.valueOf(e.getMessage))
    }

  private[metadata] def formatter(pattern: String): DateTimeFormatter =
    new DateTimeFormatterBuilder().parseCaseInsensitive().appendPattern(pattern).toFormatter(Locale.US)

  /** The latest ROWTIME, in milliseconds, that windows can contain: Spark's times are in microseconds. */
  val latest = 9000000000000000L

  /** ROWTIME as a TIMESTAMP. A record may have any time; times after [[latest]] become [[latest]]. */
  def moment(time: Expression): Expression = MillisToTimestamp(Least(Seq(time, Literal(latest))))

  private[metadata] def far(millis: Long): String = s"a timestamp cannot be after $latest ms, as $millis ms is"

  private[metadata] def negative(millis: Long): String = s"a timestamp cannot be before 1970, as $millis ms is"
}

/** Reads one object's time column from rows. */
final class RowTimeReader(of: RowTime, ordinal: Int, zone: String) {
  private val formatter = of.pattern.map(RowTime.formatter)
  private val zoneId = DateTimeUtils.getZoneId(zone)

  def name: String = of.column.name

  /** Milliseconds since 1970; null if the column is null. */
  private[metadata] def millis(row: InternalRow): java.lang.Long = {
    var current: Any = if (row.isNullAt(ordinal)) null else row.get(ordinal, of.column.dataType)
    var dataType = of.column.dataType
    of.path.foreach { i =>
      dataType match {
        case s: StructType =>
          val struct = current.asInstanceOf[InternalRow]
          current = if (struct == null || struct.isNullAt(i)) null else struct.get(i, s(i).dataType)
          dataType = s(i).dataType
        case other => throw new IllegalStateException(s"no field in ${other.sql}")
      }
    }
    if (current == null) null
    else {
      val time = dataType match {
        case LongType => current.asInstanceOf[Long]
        case TimestampType => Math.floorDiv(current.asInstanceOf[Long], 1000L)
        case _ => parse(current.toString)
      }
      if (time < 0) throw new RefusedValue(RowTime.negative(time))
      if (time > RowTime.latest) throw new RefusedValue(RowTime.far(time))
      time
    }
  }

  /**
   * Sets the row's ROWTIME.
   *
   * @return the reason in the user's terms if the row has none
   */
  def fill(row: InternalRow, target: Int): Option[String] =
    try {
      val time = millis(row)
      if (time == null) Some(s"the column $name is NULL")
      else {
        row.setLong(target, time)
        None
      }
    } catch { case refused: RefusedValue => Some(s"in the column $name, ${refused.reason}") }

  private def parse(text: String): Long =
    try {
      val parsed = formatter.get.parse(text)
      if (of.isFilled) ParsedTime.filled(parsed, zoneId).toInstant.toEpochMilli
      else if (parsed.isSupported(ChronoField.INSTANT_SECONDS)) Instant.from(parsed).toEpochMilli
      else {
        val date = parsed.query(TemporalQueries.localDate())
        if (date == null) throw new RefusedValue(s""""$text" has no whole date under the pattern ${of.pattern.get}""")
        val time =
          try ParsedTime.timeOfDay(parsed)
          catch {
            case _: DateTimeException =>
              throw new RefusedValue(s""""$text" has no whole time of day under the pattern ${of.pattern.get}""")
          }
        date.atTime(time).atZone(ParsedTime.zoneOf(parsed, zoneId)).toInstant.toEpochMilli
      }
    } catch {
      case _: ArithmeticException => throw new RefusedValue(s""""$text" is out of range""")
      case _: DateTimeException => throw new RefusedValue(s""""$text" is not of the pattern ${of.pattern.get}""")
    }
}
