package io.kafkalyst.formats
package delimited

import java.util.Locale
import java.io.ByteArrayOutputStream
import java.nio.charset.StandardCharsets.UTF_8

import io.kafkalyst.errors.{Clipped, KafkalystException}
import io.kafkalyst.model.{Side, SideFormat, TimeOfDay, TopicColumn}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * DELIMITED: the columns of a side as one line of text in their declared order (RFC 4180), without a schema. They are
 * separated by the side's DELIMITER: one character, `TAB` or `SPACE`; a comma by default.
 *
 * Types: numbers, BOOLEAN and DECIMAL as their text; BINARY as base64; DATE as epoch days and TIMESTAMP as epoch
 * milliseconds, as ksqlDB writes them, both also read from ISO-8601; TIMESTAMP_NTZ as ISO-8601.
 *
 * ARRAYs and STRUCTs of such values are one field, with ARRAY_DELIMITER between their parts, see [[DelimitedParts]];
 * without that property they are refused.
 *
 * Null: an unquoted empty field, and NULL_LITERAL; a quoted empty field is the empty string. With EMPTY_IS_NULL=always,
 * as in ksqlDB, a quoted empty field is also null, and an empty string is written in quotes only as the first field.
 * With EMPTY_IS_NULL=false, as in Flink, both are the empty string in STRING and BINARY columns, and texts are quoted
 * where Flink's writer quotes them. A null single column is null bytes; in ksqlDB's dialect, and with COERCE, which is
 * Flink's, a value of no bytes.
 */
object DelimitedFormat extends Format {
  override def name: String = "DELIMITED"

  override def inherited: Seq[String] = Seq(SideFormat.delimiter)

  override def namesFields: Boolean = false

  override def wrapping: Wrapping = Wrapping.Never

  override def properties: Seq[String] =
    Seq(
      SideFormat.delimiter,
      SideFormat.quote,
      SideFormat.escape,
      SideFormat.nullLiteral,
      SideFormat.emptyIsNull,
      SideFormat.allowComments,
      SideFormat.arrayDelimiter,
      SideFormat.nullBadFields,
      SideFormat.skipBad,
      SideFormat.timestampStandard,
      SideFormat.decimalForm,
      SideFormat.coerce
    )

  override def emptyValue: Option[Array[Byte]] = Some(Array.emptyByteArray)

  /** KafkalystException UNSUPPORTED_COLUMN_TYPE, or INVALID_PROPERTY for an invalid delimiter. */
  override def validate(side: Side, columns: Seq[TopicColumn], as: SideFormat): Unit = {
    val hasParts = as.options.contains(SideFormat.arrayDelimiter)
    columns.foreach { column =>
      column.dataType match {
        case t if isPlain(t) =>
        case ArrayType(t, _) if hasParts && isPlain(t) =>
        case s: StructType if hasParts && s.forall(f => isPlain(f.dataType)) =>
        case _ =>
          val carries = if (hasParts) "ARRAYs and STRUCTs of plain values only" else "no ARRAY, MAP or STRUCT"
          throw FormatRules.unsupportedHere(name, side, column, carries)
      }
    }
    if (delimiter(as).isEmpty) {
      throw KafkalystException(
        "INVALID_PROPERTY",
        "property" -> s"${side.name.toUpperCase(Locale.ROOT)}_${SideFormat.delimiter}",
        "value" -> as.options(SideFormat.delimiter),
        "expected" -> "one character that is neither a quote nor a line end, or TAB or SPACE, is expected"
      )
    }
  }

  private def isPlain(t: DataType): Boolean = t match {
    case _: BooleanType | _: ByteType | _: ShortType | _: IntegerType | _: LongType | _: FloatType | _: DoubleType |
        _: DecimalType | _: StringType | _: BinaryType | _: DateType | _: TimestampType | _: TimestampNTZType =>
      true
    case other => TimeOfDay.is(other) || FormatRules.isInterval(other)
  }

  override def decoder(request: DecodeRequest): Decoder =
    if (request.targets.isEmpty) (_: Array[Byte], _: Int, _: Int, _: InternalRow) => ()
    else new DelimitedDecoder(request, delimiter(request.format).get, new LineSyntax(request.format))

  override def encoder(request: EncodeRequest): Encoder =
    if (request.sources.isEmpty) (_: InternalRow) => null
    else new DelimitedEncoder(request, delimiter(request.format).get, new LineSyntax(request.format))

  /** The side's delimiter; None if invalid. */
  private def delimiter(as: SideFormat): Option[Char] = as.options.getOrElse(SideFormat.delimiter, ",") match {
    case "TAB" => Some('\t')
    case "SPACE" => Some(' ')
    case one if one.length == 1 && !"\"\r\n".contains(one) && !one.head.isSurrogate => Some(one.head)
    case _ => None
  }
}

private final class DelimitedDecoder(request: DecodeRequest, delimiter: Char, syntax: LineSyntax) extends Decoder {
  private val line = new DelimitedLine(
    delimiter,
    syntax.quote,
    syntax.escape,
    syntax.coerces,
    syntax.coerces || syntax.likeKsqldb,
    syntax.allowsComments && syntax.coerces
  )
  private val refusesComments = syntax.allowsComments && !syntax.coerces
  private val nullLiteral = syntax.nullLiteral.map(UTF8String.fromString).orNull
  private val columns = request.declared.size
  private val targets = request.targets
  private val fields = targets.map(t => request.declared.indexWhere(_.name == t.name))
  private val hasEmpty = targets.map(t => t.dataType.isInstanceOf[StringType] || t.dataType == BinaryType)
  private val nullBad = request.format.isSet(SideFormat.nullBadFields)
  private val parts = new DelimitedParts(syntax.arrayDelimiter, syntax, nullBad)
  private val readers = targets.zip(fields).map { case (t, i) =>
    DelimitedReader(t.dataType, syntax, parts.parser(t.dataType, request.declared(i).dataType))
  }

  // Flink's reader finds no line there. A single column's writer leaves no bytes of an empty text or NULL, which are
  // read back, unless the option that skips bad records says that there is no row.
  private val needsBytes = syntax.coerces &&
    (columns > 1 || request.hasRows && request.format.isSet(SideFormat.skipBad))

  override def decode(bytes: Array[Byte], offset: Int, length: Int, row: InternalRow): Unit = {
    if (needsBytes && length == 0) throw new BadBytes("no bytes at all; a line expected")
    if (refusesComments && length > 0 && bytes(offset) == '#') throw new BadBytes("a comment, and no row")
    line.split(bytes, offset, length)
    if (line.size > columns && !endsWithDelimiter || line.size < columns && !nullBad)
      throw new BadBytes(s"$columns fields expected, ${line.size} found")
    var i = 0
    while (i < targets.length) {
      val target = targets(i)
      if (fields(i) >= line.size || isNull(i)) row.setNullAt(target.ordinal)
      else {
        try readers(i).read(line, fields(i), row, target.ordinal)
        catch {
          case _: IllegalArgumentException | _: ArithmeticException | _: java.time.DateTimeException if nullBad =>
            row.setNullAt(target.ordinal)
          case _: IllegalArgumentException | _: ArithmeticException | _: java.time.DateTimeException =>
            val found = shown(line.text(fields(i)).toString)
            throw new BadBytes(s"column ${target.name}: ${target.dataType.sql} expected, $found found")
        }
      }
      i += 1
    }
  }

  /** Flink's csv ignores one more field than columns if it is blank. */
  private def endsWithDelimiter = syntax.coerces && line.size == columns + 1 && line.isBlank(columns)

  private def isNull(i: Int): Boolean = {
    val field = fields(i)
    ((syntax.emptyIsNull || !hasEmpty(i)) && line.isNull(field)) || (syntax.quotedIsNull && line.isEmpty(field)) ||
    (nullLiteral != null && line.text(field) == nullLiteral)
  }

  private def shown(text: String): String = "\"" + Clipped(text, 40) + "\""
}

private final class DelimitedEncoder(request: EncodeRequest, delimiter: Char, syntax: LineSyntax) extends Encoder {
  private val sources = request.sources
  private val standard = request.format.options.get(SideFormat.timestampStandard)
  private val parts = new DelimitedParts(syntax.arrayDelimiter, syntax, nullBad = false)
  private val values = new DelimitedValues(standard, syntax.writesExponents)
  private val writers = sources.map(s => parts.writer(s.dataType, values))
  private val between = delimiter.toString.getBytes(UTF_8)
  private val nulls = syntax.nullLiteral.getOrElse("").getBytes(UTF_8)
  private val isText = sources.map(s =>
    !s.dataType.isInstanceOf[NumericType] && s.dataType != BooleanType && !FormatRules.isInterval(s.dataType)
  )
  private val lastQuoted = math.max(delimiter.toInt, syntax.quote.fold(0)(_.toInt))
  private val out = new ByteArrayOutputStream(256)

  // ksqlDB and Flink write a null only for a record without a value, which deletes its key.
  private val nullLine =
    if ((syntax.likeKsqldb || syntax.coerces) && request.side == Side.Value) Array.emptyByteArray else null

  private def isNull(row: InternalRow) = sources.length == 1 && nulls.isEmpty && row.isNullAt(sources.head.ordinal)

  override def encode(row: InternalRow): Array[Byte] =
    if (isNull(row)) nullLine
    else {
      out.reset()
      var i = 0
      while (i < sources.length) {
        if (i > 0) out.writeBytes(between)
        if (row.isNullAt(sources(i).ordinal)) out.writeBytes(nulls)
        else field(writers(i)(row, sources(i).ordinal), isText(i), i == 0)
        i += 1
      }
      out.toByteArray
    }

  private def field(text: String, isText: Boolean, isFirst: Boolean): Unit = {
    // Escapes before quoting, so that the reader restores the text.
    val escaped = syntax.escape.fold(text)(e => text.replace(e.toString, s"$e$e"))
    val isQuoted =
      (if (text.isEmpty) syntax.emptyIsNull && (isFirst || !syntax.quotedIsNull) else mustBeQuoted(text)) ||
        isText && (if (syntax.emptyIsNull) isQuotedByKsqldb(text) else isQuotedByFlink(text)) ||
        isFirst && syntax.likeKsqldb && !text.headOption.forall(isPlain)
    val written = syntax.quote.filter(_ => isQuoted).fold(escaped)(q => s"$q${escaped.replace(q.toString, s"$q$q")}$q")
    out.writeBytes(written.getBytes(UTF_8))
  }

  private def mustBeQuoted(text: String) = text.indexOf(delimiter.toInt) >= 0 || text.indexOf('\n') >= 0 ||
    text.indexOf('\r') >= 0 || syntax.quote.exists(q => text.indexOf(q.toInt) >= 0)

  /** Whether the first field of ksqlDB's lines may begin with this character without quotes, in columns of any type. */
  private def isPlain(c: Char) = c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'

  /** Readers may trim blanks, or take what follows `#` for a comment. */
  private def isQuotedByKsqldb(text: String) = text.nonEmpty && (text.head <= '#' || text.last <= ' ')

  // Also where there is no escape character, as in Flink.
  private val alwaysQuoted = syntax.escape.getOrElse('\\')

  /**
   * Flink's writer quotes texts of more than 24 characters, and those with a character up to the delimiter or the
   * quote, such as a space, or with the escape character.
   */
  private def isQuotedByFlink(text: String) =
    text.length > 24 || text.exists(c => c <= lastQuoted || c == alwaysQuoted)
}
