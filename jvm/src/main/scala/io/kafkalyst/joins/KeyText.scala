package io.kafkalyst.joins

import org.apache.spark.sql.Column
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser
import org.apache.spark.sql.functions.from_json
import org.apache.spark.sql.types.{ArrayType, DataType, StructField, StructType}

/**
 * Keys that contain an ARRAY, which Spark's stateful operators do not support as key: a join uses their JSON text
 * instead.
 */
private[joins] object KeyText {
  private val field = "k"

  // By default, JSON times have only milliseconds and the session's time zone, whose offset may even have seconds.
  private val options = Map(
    "timestampFormat" -> "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX",
    "timestampNTZFormat" -> "yyyy-MM-dd'T'HH:mm:ss.SSSSSS",
    "timeZone" -> "UTC"
  )

  def isNeeded(t: DataType): Boolean = t match {
    case _: ArrayType => true
    case s: StructType => s.exists(f => isNeeded(f.dataType))
    case _ => false
  }

  /** The grouping expression for a key: the key itself in its state type, or its JSON text, for Spark to resolve. */
  def of(key: Expression): Expression =
    if (!isNeeded(key.dataType)) SameValue.of(key, StateType.of(key.dataType))
    else {
      val given = options.toSeq.sorted.flatMap { case (name, value) => Seq(name, value) }.map(Literal(_).sql)
      val text = s"to_json(named_struct('$field', _1), map(${given.mkString(", ")}))"
      CatalystSqlParser.parseExpression(s"if(_1 IS NULL, NULL, $text)").transform {
        case UnresolvedAttribute(Seq("_1")) => key
      }
    }

  /** Converts the text back to the key. */
  def value(text: Column, dataType: DataType): Column =
    from_json(text, StructType(Seq(StructField(field, dataType))), options).getField(field)
}
