package io.kafkalyst.functions

import java.util.Locale

import io.kafkalyst.errors.{Conditions, KafkalystException}
import io.kafkalyst.formats.Format
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.MapData
import org.apache.spark.sql.types.MapType

/**
 * The options of one call, each checked against the function and the format; names are case-insensitive, and `_` equals
 * `.`.
 */
private[functions] final class FunctionOptions(function: String, format: Format, given: Map[String, String]) {
  import FunctionOptions._

  def get(name: String): Option[String] = given.get(name)

  /** The format's own options, by the names of its properties. */
  def ofFormat: Map[String, String] =
    format.properties.flatMap(property => given.get(optionOf(property)).map(property -> _)).toMap

  def invalid(name: String, expected: String): KafkalystException = KafkalystException(
    "FUNCTION_INVALID_OPTION",
    "function" -> function,
    "option" -> name,
    "value" -> given(name),
    "expected" -> expected
  )

  /** The option among these names that is given; FUNCTION_INVALID_OPTION if several are. */
  def oneOf(names: Seq[String]): Option[String] = {
    val found = names.filter(given.contains)
    if (found.size > 1) throw invalid(found(1), s"it is given with ${found.head}, and one of them is enough")
    found.headOption
  }
}

private[functions] object FunctionOptions {
  val schema = "schema"
  val subject = "subject"
  val schemaId = "schema.id"
  val mode = "mode"

  private def optionOf(property: String) = property.toLowerCase(Locale.ROOT).replace('_', '.')

  /** The options that a function accepts with a format. */
  private def known(function: String, format: Format): Seq[String] = {
    val ofRegistry = if (format.schemaType.isDefined) Seq(subject, schemaId) else Nil
    val own = if (function == FunctionArguments.decodeName) Seq(schema, mode) else Nil
    own ++ ofRegistry ++ format.properties.map(optionOf)
  }

  /**
   * @param argument a constant MAP of texts
   * @throws io.kafkalyst.errors.KafkalystException FUNCTION_ARGUMENT_NOT_CONSTANT, FUNCTION_ARGUMENT_TYPE,
   *         FUNCTION_UNKNOWN_OPTION with the nearest
   */
  def of(function: String, format: Format, argument: Option[Expression]): FunctionOptions = {
    val given = argument.fold(Map.empty[String, String])(texts(function, _))
    val names = known(function, format)
    given.keys.filterNot(names.contains).foreach { unknown =>
      throw KafkalystException(
        "FUNCTION_UNKNOWN_OPTION",
        "function" -> function,
        "option" -> unknown,
        "format" -> format.name,
        "nearest" -> Conditions.nearest(unknown, names),
        "known" -> (if (names.isEmpty) "none" else names.mkString(", "))
      )
    }
    new FunctionOptions(function, format, given)
  }

  private def texts(function: String, argument: Expression): Map[String, String] = argument.dataType match {
    case MapType(keyType, valueType, _) =>
      FunctionArguments.constant(function, "options", argument) match {
        case null => Map.empty
        case map: MapData =>
          val keys = map.keyArray()
          val values = map.valueArray()
          (0 until map.numElements()).filterNot(values.isNullAt).map { i =>
            optionOf(keys.get(i, keyType).toString) -> values.get(i, valueType).toString
          }.toMap
      }
    case other =>
      throw KafkalystException(
        "FUNCTION_ARGUMENT_TYPE",
        "function" -> function,
        "argument" -> "options",
        "expected" -> "MAP<STRING, STRING>",
        "found" -> other.sql,
        "hint" -> "Give it as map('name', 'value', …)."
      )
  }
}
