package io.kafkalyst.formats

import java.util.Locale

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.{Side, SideFormat, TimeOfDay, TopicColumn}
import org.apache.spark.sql.types._

import scala.util.matching.Regex

/** Rules that several formats share: supported types, wrapping of single columns, matching of fields to columns. */
private[kafkalyst] object FormatRules {

  /** The side's property that says whether a single column is a field of a record. */
  val wrapSingle: String = SideFormat.wrapSingle

  /**
   * Whether the side is a record of its columns. Several columns always are; for a single one the side's property
   * decides, and by default a value is and a key is not.
   */
  def wrapped(side: Side, format: SideFormat, columns: Int): Boolean =
    columns != 1 || format.options.get(wrapSingle).map(_.equalsIgnoreCase("true")).getOrElse(side == Side.Value)

  /** The column name for a schema without field names. */
  def bareColumn(side: Side): String = side match {
    case Side.Key => "ROWKEY"
    case Side.Value => "ROWVAL"
  }

  /**
   * Checks the types of all columns, nested ones too. A MAP must have STRING keys.
   *
   * @param mapsInKeys whether the format writes a key's maps by [[io.kafkalyst.keys.CanonicalMaps]]; without an order
   *                   equal keys could have different bytes and go to different partitions
   * @throws io.kafkalyst.errors.KafkalystException UNSUPPORTED_COLUMN_TYPE for the first unsupported column
   */
  def requireTypes(format: String, side: Side, columns: Seq[TopicColumn], mapsInKeys: Boolean = false): Unit =
    columns.foreach { column =>
      def check(path: String, t: DataType): Unit = {
        def no(hint: String) = throw unsupported(format, side, path, t, hint)
        t match {
          case a: ArrayType => check(s"$path.element", a.elementType)
          case _: MapType if side == Side.Key && !mapsInKeys => no("Make it a value column.")
          case m: MapType =>
            if (!m.keyType.isInstanceOf[StringType]) no("The keys of a MAP must be STRING: cast them.")
            check(s"$path.value", m.valueType)
          case s: StructType => s.fields.foreach(f => check(s"$path.${f.name}", f.dataType))
          case _: BooleanType | _: ByteType | _: ShortType | _: IntegerType | _: LongType | _: FloatType |
              _: DoubleType | _: DecimalType | _: StringType | _: BinaryType | _: DateType | _: TimestampType |
              _: TimestampNTZType =>
          case VariantType =>
            if (format != richest.head) no("Only JSON carries it, in values.")
            if (side == Side.Key) no("Equal VARIANTs can have different bytes: make it a value column.")
          case t if TimeOfDay.is(t) && timed(format) =>
          case t if isInterval(t) && counted(format) =>
          case _ => no(noSuchType)
        }
      }
      check(column.name, column.dataType)
    }

  /** The formats that support TIME. */
  private val timed = Set("JSON", "JSON_SR", "AVRO", "AVRO_NOSR", "DELIMITED", "PROTOBUF", "PROTOBUF_NOSR") ++
    Set("DEBEZIUM_JSON", "DEBEZIUM_AVRO", "CANAL_JSON", "MAXWELL_JSON", "OGG_JSON")

  /** The formats that encode INTERVALs as numbers of months or milliseconds, as Flink does. */
  private val counted = timed -- Set("JSON_SR", "AVRO", "AVRO_NOSR", "PROTOBUF", "PROTOBUF_NOSR", "DEBEZIUM_AVRO")

  def isInterval(t: DataType): Boolean = t match {
    case _: YearMonthIntervalType | _: DayTimeIntervalType => true
    case _ => false
  }

  private val noSuchType = "Cast it to STRING or another type that records can carry."

  /** The error that a format does not support a column; the hint names a supported alternative. */
  def unsupported(format: String, side: Side, path: String, t: DataType, hint: String): KafkalystException =
    KafkalystException(
      "UNSUPPORTED_COLUMN_TYPE",
      "format" -> format,
      "side" -> side.name,
      "column" -> path,
      "type" -> t.sql,
      "hint" -> hint
    )

  /** If JSON, the first, does not support a type, no format does. */
  private val richest = Seq("JSON", "AVRO")

  /** As [[unsupported]], for formats without nested types and for types that no format supports. */
  def unsupportedHere(format: String, side: Side, column: TopicColumn, carries: String): KafkalystException = {
    val elsewhere = richest.filter { other =>
      try { requireTypes(other, side, Seq(column), mapsInKeys = true); true }
      catch { case _: KafkalystException => false }
    }
    val hint =
      if (elsewhere.isEmpty) noSuchType
      else s"It carries $carries; set ${side.name.toUpperCase(Locale.ROOT)}_FORMAT to ${elsewhere.mkString(" or ")}."
    unsupported(format, side, column.name, column.dataType, hint)
  }

  /** The text of a FLOAT or DOUBLE. Java's parsers also accept hexadecimal numbers and type suffixes. */
  val floatingPoint: Regex = """NaN|[+-]?Infinity|[+-]?(\d++(\.\d*+)?|\.\d++)([eE][+-]?\d++)?""".r

  /** Reads a decimal at the column's precision and scale; null if digits would be lost. */
  def exactDecimal(value: java.math.BigDecimal, t: DecimalType): Decimal = {
    // The digits are counted first: scaling 1e999999999 would need gigabytes.
    if (value.signum == 0) Decimal(java.math.BigDecimal.valueOf(0, t.scale), t.precision, t.scale)
    else if (value.precision.toLong - value.scale > t.precision - t.scale) null
    else if (value.scale.toLong - t.scale > value.precision) null
    else {
      try Decimal(value.setScale(t.scale, java.math.RoundingMode.UNNECESSARY), t.precision, t.scale)
      catch { case _: ArithmeticException => null }
    }
  }

  /** Reads a decimal as Flink does: rounded to the column's scale, and null if it has too many digits before the point. */
  def roundedDecimal(value: java.math.BigDecimal, t: DecimalType): Decimal =
    if (value.scale <= t.scale) exactDecimal(value, t)
    // Less than half of the last digit: rounded to 0 without computing all digits.
    else if (value.scale.toLong - t.scale > value.precision) exactDecimal(java.math.BigDecimal.ZERO, t)
    else exactDecimal(value.setScale(t.scale, java.math.RoundingMode.HALF_UP), t)

  /**
   * For formats whose names consist of letters, digits and _, and do not start with a digit.
   *
   * @param columns the columns' names
   * @param bad     the invalid names, nested ones with their path
   * @throws io.kafkalyst.errors.KafkalystException INVALID_FIELD_NAME with all invalid names, if there are any
   */
  def refuseNames(format: String, side: Side, columns: Seq[String], bad: Seq[String]): Unit = if (bad.nonEmpty) {
    val alias = bad.find(columns.contains).map { name =>
      val legal = name.map(c => if (c < 128 && (c.isLetterOrDigit || c == '_')) c else '_')
      s" (${TopicColumn.quoted(name)} AS ${if (legal.head.isDigit) "_" else ""}$legal)"
    }
    throw KafkalystException(
      "INVALID_FIELD_NAME",
      "format" -> format,
      "side" -> side.name,
      "names" -> bad.map(n => s"`$n`").mkString(", "),
      "alias" -> alias.getOrElse("")
    )
  }
}

/**
 * Finds the column for a field of a record: the column of exactly that name, else the only one that matches ignoring
 * case. A field whose name exactly equals one column never feeds another.
 *
 * @param columns names of all columns, required or not
 * @param isUpper whether in another case a field only feeds the column that has its name in upper case, as in ksqlDB
 */
private[formats] final class FieldIndex(columns: Seq[String], isUpper: Boolean = false) extends Serializable {
  private val exactly = new java.util.HashMap[String, Integer]
  private val anyCase = new java.util.HashMap[String, Integer]

  columns.zipWithIndex.foreach { case (name, i) =>
    exactly.put(name, i)
    val folded = FieldIndex.fold(name)
    anyCase.put(folded, if (anyCase.containsKey(folded)) -1 else i)
  }

  /** The column of exactly this name; -1 if there is none. */
  def exact(name: String): Int = {
    val found = exactly.get(name)
    if (found == null) -1 else found.intValue
  }

  /** The only column that matches ignoring case; -1 if there is none, several, or an exact match. */
  def inOtherCase(name: String): Int =
    if (exactly.containsKey(name)) -1
    else {
      val found = if (isUpper) exactly.get(name.toUpperCase(Locale.ROOT)) else anyCase.get(FieldIndex.fold(name))
      if (found == null) -1 else found.intValue
    }

  /** Whether there is a column of this name, exactly or as the only one that matches ignoring case. */
  def has(name: String): Boolean = exact(name) >= 0 || inOtherCase(name) >= 0
}

private[formats] object FieldIndex {
  private def fold(name: String): String = name.toLowerCase(Locale.ROOT)

  /**
   * For each field the column it feeds, or -1: as [[FieldIndex]], if all fields of the record are known. A column
   * without an exactly matching field but several that match ignoring case is reported to `ambiguous`.
   */
  def matching(fields: Seq[String], columns: Seq[String], isUpper: Boolean = false)(
      ambiguous: (String, Seq[String]) => Nothing
  ): Array[Int] = {
    val index = new FieldIndex(columns, isUpper)
    val exact = fields.map(index.exact)
    val taken = exact.toSet
    val loose = fields.map(f => index.inOtherCase(f)).map(c => if (taken(c)) -1 else c)
    loose.zip(fields).filter(_._1 >= 0).groupMap(_._1)(_._2).find(_._2.size > 1).foreach { case (column, several) =>
      ambiguous(columns(column), several)
    }
    exact.zip(loose).map { case (e, l) => if (e >= 0) e else l }.toArray
  }

  /**
   * As [[matching]], for columns that are written.
   *
   * @param path of the record within the row, for messages
   * @throws NotWritable for an ambiguous column or a column without a field
   */
  def written(fields: Seq[String], columns: Seq[String], path: String): Array[Int] = {
    val fed = matching(fields, columns) { (column, several) =>
      throw new NotWritable(path + column, s"the schema has several such fields: ${several.mkString(", ")}")
    }
    val found = fed.toSet
    columns.indices.find(!found(_)).foreach { c =>
      throw new NotWritable(path + columns(c), "the schema has no such field, so its values would be lost")
    }
    fed
  }

  /** As [[matching]], for a writer's schema; BadBytes for an ambiguous column. */
  def read(fields: Seq[String], columns: Seq[String], path: String, isUpper: Boolean): Array[Int] =
    matching(fields, columns, isUpper) { (column, several) =>
      throw new BadBytes(s"column $path$column: the writer's schema has several such fields: ${several.mkString(", ")}")
    }
}
