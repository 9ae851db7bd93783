package io.kafkalyst.streams

import java.util.Locale

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.functions.flink.FlinkCalls
import io.kafkalyst.model.{ComputedColumn, TopicObject}
import io.kafkalyst.names.InternalSchema
import org.apache.spark.sql.{AnalysisException, SparkSession}
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LocalRelation, Project}
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.kafkalyst.Frames
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.CalendarInterval

/** The derived columns of an object, as declared by Flink's DDL: computed columns and, for a stream, the watermark. */
object DerivedColumns {

  /**
   * The computed columns, in order, each with its position among all columns.
   *
   * @param output the object's columns, in order
   * @throws io.kafkalyst.errors.KafkalystException COMPUTED_COLUMN if Spark cannot resolve or run the expression over
   *         the columns that it may use: key and value columns, and the metadata columns declared before it
   */
  def computed(session: SparkSession, o: TopicObject, output: Seq[Attribute]): Seq[(Int, Alias)] = o.computed.map { c =>
    // Positions also count the preceding computed columns.
    val before = c.place - o.computed.count(_.place < c.place)
    val usable = output.zip(o.columns).zipWithIndex.collect {
      case ((attribute, column), i) if column.metadata.isEmpty || i < before => attribute
    }
    c.place -> commented(resolved(session, c, usable), o.comment(c))
  }

  /** The column with its comment where Spark looks for it. */
  private def commented(column: Alias, comment: String): Alias =
    if (comment.isEmpty) column
    else {
      val field = StructField(column.name, column.dataType, metadata = column.metadata).withComment(comment)
      Alias(column.child, column.name)(explicitMetadata = Some(field.metadata))
    }

  /** Under the session's own settings, whatever those of the query around it are. */
  private def resolved(session: SparkSession, c: ComputedColumn, usable: Seq[Attribute]): Alias =
    try SQLConf.withExistingConf(session.sessionState.conf)(parsed(session, c, usable))
    catch {
      case e: AnalysisException if !e.isInstanceOf[KafkalystException] =>
        throw refused(c, if (isUnitless(e)) unitless else message(e))
      case _: StackOverflowError => throw refused(c, "it is nested too deeply")
    }

  private def parsed(session: SparkSession, c: ComputedColumn, usable: Seq[Attribute]): Alias = {
    val expression = session.sessionState.sqlParser.parseExpression(c.sql)
    val plan = Project(Seq(Alias(expression, c.name)()), LocalRelation(usable: _*))
    Frames.of(session, FlinkCalls.named(plan)).queryExecution.analyzed.collectFirst {
      case Project(Seq(alias: Alias), _: LocalRelation) => Alias(alias.child, c.name)()
    }.map(instants(c, _)).getOrElse(throw refused(c, "it must be an expression over one row"))
  }

  /**
   * Rejects casts of a number to a time, as Flink does: Spark would read seconds, but ROWTIME and similar columns are
   * milliseconds.
   */
  private def instants(c: ComputedColumn, alias: Alias): Alias = {
    alias.foreach {
      case cast: Cast if cast.child.dataType.isInstanceOf[NumericType] && isTimestamp(cast.dataType) =>
        throw refused(c, unitless)
      case _ =>
    }
    alias
  }

  private val unitless =
    "a number needs a unit to be a time: for milliseconds since 1970 write TO_TIMESTAMP_LTZ(number, 3), for seconds " +
      "TO_TIMESTAMP_LTZ(number, 0)"

  /** Whether Spark's error refuses a cast of a number to a time without a time zone. */
  private def isUnitless(e: AnalysisException): Boolean = {
    def has(parameter: String, names: Set[String]) =
      Option(e.getMessageParameters.get(parameter)).exists(t => names(t.filter(_.isLetter).takeWhile(_ != '(')))
    Option(e.getCondition).exists(_.startsWith("DATATYPE_MISMATCH.CAST_")) &&
    has("targetType", Set("TIMESTAMPNTZ", "TIMESTAMP", "DATE")) && has("srcType", numbers)
  }

  private val numbers = Set("TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL")

  private def isTimestamp(t: DataType) = t == TimestampType || t == TimestampNTZType

  private def refused(c: ComputedColumn, reason: String) =
    KafkalystException("COMPUTED_COLUMN", "column" -> c.name, "expression" -> c.written, "reason" -> reason)

  /** Spark's own message, without its prefix and suffix. */
  private def message(e: AnalysisException) =
    e.getSimpleMessage.linesIterator.next().replaceFirst("^\\[[A-Z_.]+\\] ", "").replaceFirst(
      "\\.? SQLSTATE.*$",
      ""
    ).stripSuffix(".")

  /**
   * Rejects invalid derived columns.
   *
   * @throws io.kafkalyst.errors.KafkalystException DUPLICATE_COLUMN, COMPUTED_COLUMN, WATERMARK_NOT_SUPPORTED
   */
  def check(session: SparkSession, o: TopicObject): Unit = {
    val names = o.columns.map(_.name) ++ o.computed.map(_.name)
    o.computed.map(_.name).find(n => names.count(_.equalsIgnoreCase(n)) > 1).foreach { twice =>
      throw KafkalystException("DUPLICATE_COLUMN", "column" -> twice)
    }
    // As in the relation that Spark creates for the table, where strings have no length.
    val read = CharVarcharUtils.replaceCharVarcharWithStringInSchema(InternalSchema.of(o.columns))
    val output = DataTypeUtils.toAttributes(read)
    val found = computed(session, o, output).map(_._2)
    o.watermark.foreach { w =>
      val types = o.columns.map(c => c.name -> c.dataType) ++ found.map(a => a.name -> a.dataType)
      def refuse(reason: String): Nothing = throw KafkalystException(
        "WATERMARK_NOT_SUPPORTED",
        "column" -> w.column,
        "expression" -> w.sql,
        "reason" -> reason
      )
      types.find(_._1 == w.column).map(_._2) match {
        case None => refuse(s"there is no such column; there are ${types.map(_._1).mkString(", ")}")
        case Some(TimestampType | TimestampNTZType) =>
        case Some(other) => refuse(s"the column is ${other.sql}, and must be a TIMESTAMP")
      }
      if (found.exists(a => a.name == w.column && a.exists(_.isInstanceOf[CurrentTimestampLike])))
        refuse("the column is the time of processing, which has no watermark")
      if (delay(session, o).isEmpty) refuse(s"${w.column}, or ${w.column} minus an INTERVAL, is expected")
    }
  }

  /** The watermark's delay; None if there is no watermark or its expression has no constant delay. */
  def delay(session: SparkSession, o: TopicObject): Option[CalendarInterval] = o.watermark.flatMap { w =>
    // Spark's types have no digits.
    val text = digits.replaceAllIn(w.sql, m => if (m.group(1) == null) "TIMESTAMP_NTZ" else "TIMESTAMP")
    val parsed =
      try Some(session.sessionState.sqlParser.parseExpression(text))
      catch { case _: AnalysisException => None }
    val declared = o.columns.find(_.name == w.column).map(_.dataType)
    parsed.flatMap(distance(_, w.column, declared)).filter(i => i.days >= 0 && i.microseconds >= 0)
  }

  private val digits = """(?i)\bTIMESTAMP(_LTZ)?\s*\(\s*\d\s*\)""".r

  /**
   * How far a time is before the column; None if that is not the same for all rows.
   *
   * @param declared the column's type, to which a cast changes nothing; None for a computed column
   */
  private def distance(time: Expression, column: String, declared: Option[DataType]): Option[CalendarInterval] = {
    def before(e: Expression, by: Option[CalendarInterval], sign: Int) = for {
      i <- distance(e, column, declared)
      j <- by
    } yield new CalendarInterval(0, i.days + sign * j.days, i.microseconds + sign * j.microseconds)
    time match {
      case name: UnresolvedAttribute => Option.when(name.nameParts == Seq(column))(new CalendarInterval(0, 0, 0))
      case cast: Cast if declared.contains(cast.dataType) => distance(cast.child, column, declared)
      case minus: Subtract => before(minus.left, constant(minus.right), 1)
      case plus: Add => before(plus.left, constant(plus.right), -1).orElse(before(plus.right, constant(plus.left), -1))
      case call: TimestampAdd if call.quantity.foldable =>
        before(call.timestamp, added(call.unit, call.quantity.eval()), -1)
      case _ => None
    }
  }

  private def constant(interval: Expression): Option[CalendarInterval] =
    Option.when(interval.foldable)(interval.eval()).collect {
      case i: CalendarInterval if i.months == 0 => i
      case micros: Long if interval.dataType.isInstanceOf[DayTimeIntervalType] => new CalendarInterval(0, 0, micros)
    }

  private val units = Map(
    "DAY" -> 86400000000L,
    "HOUR" -> 3600000000L,
    "MINUTE" -> 60000000L,
    "SECOND" -> 1000000L,
    "MILLISECOND" -> 1000L
  )

  /** What TIMESTAMPADD adds; None for months, which differ in length. */
  private def added(unit: String, count: Any): Option[CalendarInterval] =
    (units.get(unit.toUpperCase(Locale.ROOT)), count) match {
      case (Some(micros), number: Number) => Some(new CalendarInterval(0, 0, micros * number.longValue))
      case _ => None
    }
}
