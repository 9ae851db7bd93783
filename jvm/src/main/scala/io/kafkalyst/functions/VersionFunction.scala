package io.kafkalyst.functions

import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.model.Version
import org.apache.spark.sql.SparkSessionExtensions
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo, Literal}

/** `kafkalyst_version()`: the version of the session's Kafkalyst jar, a STRING such as `1.2.3`. */
object VersionFunction {
  private val name = "kafkalyst_version"

  val description: SparkSessionExtensions#FunctionDescription = (
    new FunctionIdentifier(name),
    new ExpressionInfo(
      classOf[Literal].getName,
      null,
      name,
      s"$name() - The version of Kafkalyst's jar in this session.",
      "",
      "",
      "",
      "",
      "",
      "",
      ""
    ),
    (arguments: Seq[Expression]) =>
      if (arguments.isEmpty) Literal(Version.text)
      else
        throw KafkalystException(
          "FUNCTION_ARGUMENT_COUNT",
          "function" -> name,
          "found" -> arguments.size.toString,
          "expected" -> "no",
          "usage" -> s"$name()"
        )
  )
}
