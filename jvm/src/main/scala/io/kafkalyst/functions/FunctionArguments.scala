package io.kafkalyst.functions

import io.kafkalyst.errors.KafkalystException
import org.apache.spark.sql.catalyst.expressions.Expression

/** The functions' names, and a check that their arguments share. */
private[functions] object FunctionArguments {
  val decodeName = "kafka_decode"
  val encodeName = "kafka_encode"

  /** The argument's value; null for NULL. FUNCTION_ARGUMENT_NOT_CONSTANT where it depends on a row. */
  def constant(function: String, argument: String, expression: Expression): Any =
    if (expression.foldable) expression.eval()
    else
      throw KafkalystException(
        "FUNCTION_ARGUMENT_NOT_CONSTANT",
        "function" -> function,
        "argument" -> argument,
        "found" -> expression.sql
      )
}
