package io.kafkalyst.streams
package ksql

import java.util.Locale

import io.kafkalyst.errors.KafkalystException
import org.apache.spark.sql.AnalysisException

/** Converts Spark's errors about types in a query to conditions that do not name Spark's own expressions. */
private[kafkalyst] object TypeErrors {

  /** CONDITION_NOT_BOOLEAN, AGGREGATE_IN_WHERE or OPERAND_TYPE, at the same position; None for other errors. */
  def unapply(e: AnalysisException): Option[KafkalystException] = {
    def given(name: String) = Option(e.getMessageParameters.get(name)).getOrElse("")
    def parameter(name: String) = given(name).replace("\"", "")
    // NULL fits every type.
    def types(text: String) = "values of the types " +
      quoted.findAllMatchIn(text).map(_.group(1)).filter(_ != "VOID").mkString(" and ")
    def operand(found: String, needed: String) =
      KafkalystException(
        "OPERAND_TYPE",
        "expression" -> expression(parameter("sqlExpr")),
        "found" -> found,
        "needed" -> needed
      )
    val ours = e.getCondition match {
      case "DATATYPE_MISMATCH.FILTER_NOT_BOOLEAN" =>
        val (condition, t) = (parameter("filter"), parameter("type"))
        Some(KafkalystException("CONDITION_NOT_BOOLEAN", "condition" -> condition, "type" -> t))
      case "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE" =>
        val (input, t) = (parameter("inputSql"), parameter("inputType"))
        val found = if (isLambda(input)) s"a lambda that gives $t" else s"${expression(input)} of type $t"
        // An arrow after an ARRAY: Spark takes the field's name for an index.
        if (parameter("sqlExpr").endsWith(s"[$input]"))
          Some(notStruct(parameter("sqlExpr").stripSuffix(s"[$input]"), "an ARRAY"))
        else Some(operand(
          found,
          if (parameter("requiredType").contains("NUMERIC")) "a number" else parameter("requiredType")
        ))
      case "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES" =>
        Some(operand(types(given("left") + given("right")), "one type"))
      case "DATATYPE_MISMATCH.DATA_DIFF_TYPES" =>
        Some(operand(types(given("dataType")), "one type"))
      case "INVALID_WHERE_CONDITION" =>
        Some(KafkalystException("AGGREGATE_IN_WHERE", "aggregate" -> parameter("expressionList")))
      case "INVALID_EXTRACT_BASE_FIELD_TYPE" => Some(notStruct(parameter("base"), parameter("other")))
      case _ => None
    }
    ours.map(_.at(e.line, e.startPosition))
  }

  /** NOT_A_STRUCT for the expression before an arrow. */
  def notStruct(base: String, found: String): KafkalystException =
    KafkalystException("NOT_A_STRUCT", "expression" -> expression(base), "type" -> found)

  private val quoted = "\"([^\"]+)\"".r

  private def isLambda(sql: String) = sql.startsWith("lambdafunction(")

  /** The expression; if it contains Spark's internal expressions, only the function, in ksqlDB's terms. */
  def expression(sql: String): String =
    if (sql.contains("commonexpressionref(")) "NULLIF"
    else if (sql.startsWith("CASE ")) "CASE"
    else if (sql.startsWith("named_struct(")) "STRUCT(…)"
    else if (sql.contains("named_struct(")) sql.takeWhile(_ != '(').toUpperCase(Locale.ROOT) + "(…)"
    else if (!sql.contains("lambda")) sql
    else sql.takeWhile(_ != '(').stripPrefix("map_").toUpperCase(Locale.ROOT)
}
