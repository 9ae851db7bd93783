package io.kafkalyst.formats
package delimited

import java.util.regex.Pattern

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow
import org.apache.spark.sql.catalyst.util.GenericArrayData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/**
 * The elements of an ARRAY, or the fields of a STRUCT, in one field of a line, as in Flink's csv format: their texts,
 * separated by ARRAY_DELIMITER, which cannot be escaped.
 *
 * Null: NULL_LITERAL, and an empty text, except in a STRING with EMPTY_IS_NULL=false. An empty field is a null column,
 * so an empty ARRAY is read as null.
 */
private[delimited] final class DelimitedParts(delimiter: String, syntax: LineSyntax, nullBad: Boolean) {
  private val between = Pattern.compile(Pattern.quote(delimiter))

  /**
   * Parses a field.
   *
   * @param t        the required type; a STRUCT has only the required fields
   * @param declared the column's type
   */
  def parser(t: DataType, declared: DataType): UTF8String => Any = (t, declared) match {
    case (ArrayType(element, _), _) =>
      val one = part(element)
      text => new GenericArrayData(split(text).map(one))
    case (wanted: StructType, all: StructType) =>
      val fields = wanted.fields.map(f => all.fieldIndex(f.name) -> part(f.dataType))
      text => {
        val parts = split(text)
        if (parts.length != all.length && !nullBad)
          throw new IllegalArgumentException(s"${parts.length} parts")
        new GenericInternalRow(fields.map { case (i, one) => if (i < parts.length) one(parts(i)) else null })
      }
    case _ => DelimitedReader.ofText(t, syntax)
  }

  private def split(text: UTF8String): Array[String] = between.split(text.toString, -1)

  private def part(t: DataType): String => Any = {
    val parse = DelimitedReader.ofText(t, syntax)
    val isText = t.isInstanceOf[StringType]
    text =>
      if (syntax.nullLiteral.contains(text) || text.isEmpty && (syntax.emptyIsNull || !isText)) null
      else {
        try parse(UTF8String.fromString(text))
        catch {
          case _: IllegalArgumentException | _: ArithmeticException | _: java.time.DateTimeException if nullBad => null
        }
      }
  }

  /** Writes a non-null value. */
  def writer(t: DataType, values: DelimitedValues): (InternalRow, Int) => String = t match {
    case ArrayType(element, _) =>
      val one = values.writer(element)
      (row, i) => {
        val all = row.getArray(i).toObjectArray(element)
        joined(all.length)(k => if (all(k) == null) null else one(new GenericInternalRow(Array[Any](all(k))), 0))
      }
    case s: StructType =>
      val ones = s.fields.map(f => values.writer(f.dataType))
      (row, i) => {
        val struct = row.getStruct(i, s.length)
        joined(s.length)(k => if (struct.isNullAt(k)) null else ones(k)(struct, k))
      }
    case _ => values.writer(t)
  }

  private def joined(count: Int)(text: Int => String): String =
    (0 until count).map(k => Option(text(k)).getOrElse(syntax.nullLiteral.getOrElse(""))).mkString(delimiter)
}
