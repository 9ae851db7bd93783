package io.kafkalyst.functions

import java.math.{BigDecimal, MathContext, RoundingMode}
import java.time.{Instant, LocalDate, LocalTime, ZoneId, ZoneOffset}
import java.time.format.{DateTimeFormatter, DateTimeFormatterBuilder}
import java.time.temporal.{ChronoField, ChronoUnit}
import java.util.{Base64, Locale}

import io.kafkalyst.formats.FormatRules
import io.kafkalyst.functions.KsqlFunction.{computed, expression, wrong}
import io.kafkalyst.model.{TimeOfDay, Widening}
import io.kafkalyst.model.settings.Settings
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * ksqlDB's CAST: implements the casts that Spark lacks or performs differently, and rejects those that ksqlDB rejects.
 * A value that does not fit is null.
 */
object KsqlCasts {
  def apply(to: DataType): KsqlFunction = computed(s"CAST(x AS ${to.sql}) - The value converted to this type.") {
    case args @ Seq(x) =>
      if (!isCastable(x.dataType, to)) throw wrong(s"CAST(x AS ${to.sql})", args)
      of(x, to)
    case args => throw wrong("CAST(x AS type)", args)
  }

  private def of(x: Expression, to: DataType): Expression = (x.dataType, to) match {
    case (StringType, BooleanType) => expression("lower(trim(_1)) IN ('t', 'tr', 'tru', 'true', 'y', 'ye', 'yes')", x)
    // A text with a fraction is not a whole number.
    case (StringType, IntegerType | LongType) => expression(s"try_cast(_1 AS ${to.sql})", x)
    case (StringType, DoubleType) if Settings.current.isKsqldb =>
      computedOf(x, to) { text =>
        val number = text.toString.trim
        if (FormatRules.floatingPoint.matches(number)) number.toDouble else null
      }
    case (DoubleType, t: DecimalType) if Settings.current.isKsqldb =>
      // ksqlDB rounds the exact value, first to the type's digits; Spark rounds the shortest text of it.
      computedOf(x, t) { value =>
        val rounded = new BigDecimal(value.asInstanceOf[Double], new MathContext(t.precision))
        FormatRules.exactDecimal(rounded.setScale(t.scale, RoundingMode.HALF_UP), t)
      }
    case (TimestampType, StringType) =>
      computedOf(x, StringType)(micros => UTF8String.fromString(timestampText(micros.asInstanceOf[Long])))
    case (_: ArrayType | _: MapType | _: StructType, StringType) =>
      val asKsqldb = Settings.current.isKsqldb
      computedOf(x, StringType)(value => UTF8String.fromString(text(value, x.dataType, asKsqldb)))
    case (_: DecimalType, StringType) =>
      computedOf(x, StringType)(n => UTF8String.fromString(n.asInstanceOf[Decimal].toJavaBigDecimal.toPlainString))
    case (StringType, DateType) if Settings.current.isKsqldb =>
      computedOf(x, to)(text => Math.toIntExact(date(text.toString).toEpochDay))
    case (StringType, TimestampType) if Settings.current.isKsqldb =>
      computedOf(x, to)(text => ChronoUnit.MICROS.between(Instant.EPOCH, moment(text.toString)))
    case (ArrayType(f, _), ArrayType(t, _)) if f != t =>
      Caught(expression("transform(_1, e -> _2)", x, each(t, "e")))
    case (MapType(k, f, _), MapType(to, t, _)) if k == to && f != t =>
      Caught(expression("transform_values(_1, (k, v) -> _2)", x, each(t, "v")))
    case (MapType(k, _, _), MapType(to, t, _)) if k != to =>
      val pairs =
        expression("transform(map_entries(_1), e -> struct(_2, _3))", x, each(to, "e", "key"), each(t, "e", "value"))
      Caught(KsqlCall(KsqlCollections.ofEntries, Seq(pairs)))
    case (from: StructType, fields: StructType) =>
      // Matches fields by name; Spark's cast matches by position.
      val values = fields.flatMap { f =>
        val at = from.fields.indexWhere(_.name == f.name)
        val value = if (at < 0) Literal.create(null, f.dataType) else element(GetStructField(x, at), f.dataType)
        Seq(Literal(f.name), value)
      }
      Caught(If(IsNull(x), Literal.create(null, fields), CreateNamedStruct(values)))
    case (f, t) if f == t => x
    // Only ksqlDB's dialect reads base64; otherwise a text's bytes are its UTF-8, as in Spark.
    case (StringType, BinaryType) if Settings.current.isKsqldb =>
      computedOf(x, BinaryType)(text => Base64.getDecoder.decode(text.toString.trim))
    // Spark's own casts to TIME also need a setting while the query runs.
    case (StringType, t) if TimeOfDay.is(t) =>
      // ksqlDB's TIME has milliseconds.
      val unit = if (Settings.current.isKsqldb) 1000000L else 1L
      computedOf(x, t)(text => TimeOfDay.cut(TimeOfDay.parse(text.toString) / unit * unit, t))
    case (TimestampType | TimestampNTZType, t) if TimeOfDay.is(t) =>
      def ofDay(micros: Long) = TimeOfDay.ofMicros(Math.floorMod(micros, 86400000000L))
      computedOf(x, t)(micros => TimeOfDay.cut(ofDay(micros.asInstanceOf[Long]), t))
    case (f, t) if TimeOfDay.is(f) && TimeOfDay.is(t) =>
      computedOf(x, t)(nanos => TimeOfDay.cut(nanos.asInstanceOf[Long], t))
    case (f, StringType) if TimeOfDay.is(f) =>
      // ksqlDB leaves out the parts of a second.
      val seconds = Settings.current.isKsqldb
      computedOf(x, StringType)(t => UTF8String.fromString(TimeOfDay.text(t.asInstanceOf[Long], seconds)))
    case _ => expression(s"cast(_1 AS ${to.sql})", x)
  }

  private def computedOf(x: Expression, to: DataType)(value: Any => Any) =
    Computed("cast", Seq(x), to, Nil, nulls = false)(values => value(values(0)))

  /** The text's number; null if it has more digits than the type. */
  private[kafkalyst] def exact(text: Expression, to: DecimalType): Expression =
    Computed("exact", Seq(text), to, Nil, nulls = false)(digits =>
      FormatRules.exactDecimal(new BigDecimal(digits(0).toString.trim), to)
    )

  /** A cast within an ARRAY, MAP or STRUCT: if it fails, the whole cast is null. */
  private def element(x: Expression, to: DataType): Expression =
    if (x.dataType == to) x else Failing.raised(KsqlCasts(to)).build(Seq(x))

  /** A cast of a lambda's argument, whose type is known only once the lambda is resolved. */
  private def each(to: DataType, path: String*) =
    KsqlCall(Failing.raised(KsqlCasts(to)), Seq(UnresolvedNamedLambdaVariable(path)))

  /** The BOOLEAN that a text represents: a prefix of true, false, yes or no; None for other texts. */
  private[functions] def boolean(text: String): Option[Boolean] = text.trim.toLowerCase(Locale.ROOT) match {
    case "" => None
    case t if "true".startsWith(t) || "yes".startsWith(t) => Some(true)
    case t if "false".startsWith(t) || "no".startsWith(t) => Some(false)
    case _ => None
  }

  private val timestamps = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS").withZone(ZoneOffset.UTC)

  private[functions] def timestampText(micros: Long): String =
    timestamps.format(Instant.EPOCH.plus(micros, ChronoUnit.MICROS))

  /** A date in ksqlDB's form, which may lack its day and month. */
  private def date(text: String): LocalDate =
    LocalDate.parse(text + Map(1 -> "-01-01", 2 -> "-01").getOrElse(text.split("-").length, ""))

  /** A timestamp in ksqlDB's form: a date, optionally T and a time, which may lack its last parts, and an offset. */
  private def moment(text: String): Instant = {
    val (day, rest) = text.span(_ != 'T')
    val (time, zone) = rest.drop(1).span(c => c != '+' && c != '-')
    val whole = LocalTime.parse(time + "00:00:00.000".drop(time.length), times)
    date(day).atTime(whole).atZone(if (zone.isEmpty) ZoneOffset.UTC else ZoneId.of(zone)).toInstant
  }

  private val times = DateTimeFormatter.ofPattern("HH:mm:ss.SSS")
  private val clock = DateTimeFormatter.ofPattern("HH:mm:ss")

  // java.sql.Timestamp's form.
  private val moments = new DateTimeFormatterBuilder().appendPattern("yyyy-MM-dd HH:mm:ss")
    .appendFraction(ChronoField.NANO_OF_SECOND, 1, 9, true).toFormatter(Locale.ROOT).withZone(ZoneOffset.UTC)

  /**
   * Formats lists and maps as Java does, and structs as Connect does, without null fields. In ksqlDB's dialect, times
   * within them are those of java.sql.
   */
  private def text(value: Any, t: DataType, asKsqldb: Boolean): String = (value, t) match {
    case (null, _) => "null"
    case (micros: Long, TimestampType) if asKsqldb => moments.format(Instant.EPOCH.plus(micros, ChronoUnit.MICROS))
    case (micros: Long, TimestampType | TimestampNTZType) => timestampText(micros)
    case (days: Int, DateType) => LocalDate.ofEpochDay(days.toLong).toString
    case (nanos: Long, time) if TimeOfDay.is(time) && asKsqldb => clock.format(LocalTime.ofNanoOfDay(nanos))
    case (nanos: Long, time) if TimeOfDay.is(time) => TimeOfDay.text(nanos)
    case (bytes: Array[Byte], BinaryType) => Base64.getEncoder.encodeToString(bytes)
    case (array: ArrayData, ArrayType(element, _)) =>
      array.toObjectArray(element).map(text(_, element, asKsqldb)).mkString("[", ", ", "]")
    case (map: MapData, of @ MapType(k, v, _)) =>
      val entries = KsqlCollections.entries(map, of)
      (if (asKsqldb && k == StringType) KsqlCollections.inHashOrder(entries) else entries)
        .map { case (key, value) => s"${text(key, k, asKsqldb)}=${text(value, v, asKsqldb)}" }.mkString("{", ", ", "}")
    case (row: InternalRow, fields: StructType) =>
      fields.zipWithIndex.collect {
        case (f, i) if !row.isNullAt(i) => s"${f.name}=${text(row.get(i, f.dataType), f.dataType, asKsqldb)}"
      }.mkString("Struct{", ",", "}")
    case (other, _) => other.toString
  }

  private def isCastable(from: DataType, to: DataType): Boolean = (from, to) match {
    case (NullType, _) => true
    case (TimestampNTZType, t) if TimeOfDay.is(t) => true
    case (f, t) if isOnlyInSpark(f) || isOnlyInSpark(t) => Cast.canAnsiCast(f, t)
    case (DateType, DateType) => true
    case (_: NumericType, t) => t.isInstanceOf[NumericType] || t == StringType
    case (BooleanType, t) => t == BooleanType || t == StringType
    case (StringType, _: ArrayType | _: MapType | _: StructType) => false
    case (StringType, _) => true
    case (BinaryType, t) => t == BinaryType
    case (f: ArrayType, t: ArrayType) => isCastable(f.elementType, t.elementType)
    case (f: MapType, t: MapType) => isCastable(f.keyType, t.keyType) && isCastable(f.valueType, t.valueType)
    case (f: StructType, t: StructType) =>
      t.forall(field => f.fields.find(_.name == field.name).forall(o => isCastable(o.dataType, field.dataType)))
    case (_: ArrayType | _: MapType | _: StructType, t) => t == StringType
    case (TimestampType, t) => t == StringType || Widening.isTime(t)
    case (DateType, t) => t == StringType || t == TimestampType
    case (f, t) if TimeOfDay.is(f) => t == StringType || TimeOfDay.is(t)
    case _ => false
  }

  /** Types that ksqlDB lacks: their casts are Spark's. */
  private def isOnlyInSpark(t: DataType): Boolean = t match {
    case TimestampNTZType | VariantType | CalendarIntervalType => true
    case _: DayTimeIntervalType | _: YearMonthIntervalType => true
    case _ => false
  }
}
