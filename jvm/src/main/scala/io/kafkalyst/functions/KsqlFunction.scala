package io.kafkalyst.functions

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
 * One function of ksqlDB's.
 *
 * @param name  lower case
 * @param usage `name(arguments) - what it gives`, with units and what null does
 * @param build the expression for its arguments, all resolved but lambdas; WRONG_ARGUMENTS is thrown by [[forms]]
 */
final case class KsqlFunction(name: String, usage: String)(val build: Seq[Expression] => Expression) {

  /** Whether Spark has a function of that name, which ours then never stands for in Spark's own statements. */
  lazy val isSparks: Boolean = FunctionRegistry.builtin.functionExists(FunctionIdentifier(name))

  def description: (FunctionIdentifier, ExpressionInfo, Seq[Expression] => Expression) =
    (FunctionIdentifier(name), new ExpressionInfo(getClass.getName, null, name, usage, ""), build)
}

/** The ways in which the tables of functions say what a function is. */
private[functions] object KsqlFunction {

  /**
   * A function that is an expression of Spark's, as SQL over its arguments `_1`, `_2`, …: one text per number of
   * arguments, found by the highest of them. It is read where it is used, as Spark's expressions keep the mode
   * (ANSI or not) of that moment.
   */
  def sql(usage: String)(texts: String*): KsqlFunction = {
    val forms = texts.map(text => arity(text) -> text).toMap
    computed(usage) { args =>
      expression(forms.getOrElse(args.size, throw wrong(usage, args)), args: _*)
    }
  }

  /** A function whose expression depends on its arguments' types or number. */
  def computed(usage: String)(build: Seq[Expression] => Expression): KsqlFunction =
    KsqlFunction(usage.takeWhile(_ != '(').toLowerCase, usage)(build)

  /** The text over these arguments. */
  def expression(text: String, args: Expression*): Expression =
    CatalystSqlParser.parseExpression(text).transformUp {
      case UnresolvedAttribute(Seq(place(n))) => args(n.toInt - 1)
      // Within a lambda Spark's parser takes every name for a parameter.
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
