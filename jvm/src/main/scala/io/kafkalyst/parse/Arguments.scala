package io.kafkalyst.parse

import java.time.Instant
import java.time.temporal.ChronoUnit.MICROS

import io.kafkalyst.parse.Edit.instead
import io.kafkalyst.parse.grammar.KafkalystLexer
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.types._

import scala.jdk.CollectionConverters._

/**
 * Substitutes the arguments of `spark.sql(text, args)` into a Kafkalyst statement, whose text is stored for restarts.
 */
private[parse] object Arguments {

  /** @param values by name (`:name`) or by index from 0 (`?`) */
  def bind(text: String, values: java.util.Map[String, Expression]): String =
    if (values.isEmpty) text
    else {
      val given = values.asScala
      val words = new Tokens(text).all
      val places = words.filter(_.getText == "?").zipWithIndex
        .flatMap { case (word, i) => given.get(i.toString).map(value => instead(word, written(value))) }
      val names = words.zip(words.drop(1)).collect {
        case (colon, name) if colon.getType == KafkalystLexer.COLON && colon.getStopIndex + 1 == name.getStartIndex =>
          given.get(name.getText).map(value => Edit(colon.getStartIndex, name.getStopIndex + 1, written(value)))
      }.flatten
      Edit.all(text, places ++ names)
    }

  /** The value as SQL text that means the same in Spark's and in ksqlDB's language, in every time zone. */
  private def written(value: Expression): String = value.transformDown {
    case Literal(array: ArrayData, ArrayType(t, _)) => CreateArray(literals(array, t))
    case Literal(map: MapData, MapType(k, v, _)) =>
      CreateMap(literals(map.keyArray(), k).zip(literals(map.valueArray(), v)).flatMap { case (a, b) => Seq(a, b) })
    case Literal(row: InternalRow, t: StructType) =>
      CreateNamedStruct(t.fields.toSeq.zipWithIndex.flatMap { case (f, i) =>
        Seq(Literal(f.name), Literal(row.get(i, f.dataType), f.dataType))
      })
    case l @ Literal(text, _: StringType) if text != null => Written(string(text.toString), l.dataType)
    case Literal(micros: Long, TimestampType) =>
      Written(s"TIMESTAMP '${Instant.EPOCH.plus(micros, MICROS)}'", TimestampType)
  }.sql

  private def literals(values: ArrayData, t: DataType) = values.toObjectArray(t).toSeq.map(Literal(_, t))

  /**
   * A string literal that means the same in both languages: a backslash escapes in Spark's strings, but not in ksqlDB's
   * or in raw strings. A text that fits in no single raw string becomes a `concat` of several.
   */
  private def string(text: String): String =
    if (!text.contains('\\')) "'" + text.replace("'", "''") + "'"
    else if (!text.contains('\'')) s"R'$text'"
    else if (!text.contains('"')) "R\"" + text + "\""
    else text.split("(?=')|(?<=')").map(string).mkString("concat(", ", ", ")")

  // Spark's Unevaluable differs between minor versions.
  private final case class Written(override val sql: String, dataType: DataType)
      extends LeafExpression with CodegenFallback {
    override def nullable: Boolean = false
    override def eval(row: InternalRow): Any = throw new UnsupportedOperationException(sql)
  }
}
