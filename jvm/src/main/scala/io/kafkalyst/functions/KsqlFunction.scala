package io.kafkalyst.functions

import java.util.Locale

import io.kafkalyst.errors.KafkalystException
import org.apache.spark.sql.catalyst.FunctionIdentifier
import org.apache.spark.sql.catalyst.analysis.{FunctionRegistry, UnresolvedAttribute}
import org.apache.spark.sql.catalyst.expressions.{
  Expression,
  ExpressionInfo,
  LambdaFunction,
  UnresolvedNamedLambdaVariable
}
import org.apache.spark.sql.catalyst.parser.CatalystSqlParser

/**
 * A ksqlDB function.
 *
 * @param name  lower case
 * @param usage `name(arguments) - its result`, with units and null behaviour
 * @param build the expression for its arguments, all resolved except lambdas; throws FUNCTION_ARGUMENTS
 */
final case class KsqlFunction(name: String, usage: String)(val build: Seq[Expression] => Expression) {

  /** Whether Spark has a function of that name; this one then never replaces it in Spark's own statements. */
  lazy val isSparkBuiltin: Boolean = FunctionRegistry.builtin.functionExists(FunctionIdentifier(name))

  def description: (FunctionIdentifier, ExpressionInfo, Seq[Expression] => Expression) =
    (FunctionIdentifier(name), new ExpressionInfo(getClass.getName, null, name, usage, ""), build)
}

/** Ways to define a function in the function tables. */
private[functions] object KsqlFunction {

  /**
   * A function given as Spark SQL over its arguments `_1`, `_2`, …: one text per number of arguments, selected by its
   * highest index. It is parsed at each use, because Spark's expressions capture the mode (ANSI or not) at that time.
   */
  def sql(usage: String)(texts: String*): KsqlFunction = {
    val forms = texts.map(text => arity(text) -> text).toMap
    computed(usage) { args =>
      expression(forms.getOrElse(args.size, throw wrong(usage, args)), args: _*)
    }
  }

  /** A function whose expression depends on its arguments' types or number. */
  def computed(usage: String)(build: Seq[Expression] => Expression): KsqlFunction =
    KsqlFunction(nameIn(usage), usage)(build)

  /** The name that a usage begins with, in lower case. */
  def nameIn(usage: String): String = usage.takeWhile(_ != '(').toLowerCase(Locale.ROOT)

  /** The text, parsed over these arguments. */
  def expression(text: String, args: Expression*): Expression =
    CatalystSqlParser.parseExpression(text).transformUp {
      case UnresolvedAttribute(Seq(place(n))) => args(n.toInt - 1)
      // In a lambda, Spark's parser treats every name as a parameter.
      case UnresolvedNamedLambdaVariable(Seq(place(n))) => args(n.toInt - 1)
    }

  def wrong(usage: String, args: Seq[Expression]): KafkalystException = KafkalystException(
    "FUNCTION_ARGUMENTS",
    "usage" -> usage,
    "given" -> args.map {
      case _: LambdaFunction => "a lambda"
      case e if e.resolved => e.dataType.sql
      case _ => "?"
    }.mkString("(", ", ", ")")
  )

  private val place = """_(\d)""".r

  private def arity(text: String): Int = place.findAllMatchIn(text).map(_.group(1).toInt).maxOption.getOrElse(0)
}
