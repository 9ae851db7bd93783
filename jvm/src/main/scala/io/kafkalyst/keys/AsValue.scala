package io.kafkalyst.keys

import org.apache.spark.sql.AnalysisException
import org.apache.spark.sql.catalyst.{FunctionIdentifier, InternalRow}
import org.apache.spark.sql.catalyst.expressions.{Expression, ExpressionInfo, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.types.DataType

/**
 * `AS_VALUE(x)` returns x: same type, null for null. In a query into a topic the result is not a key column, so it
 * copies the key into the value (ksqlDB's function of that name).
 */
final case class AsValue(child: Expression) extends UnaryExpression {
  override def dataType: DataType = child.dataType
  override def nullable: Boolean = child.nullable
  override def prettyName: String = "as_value"
  override def eval(input: InternalRow): Any = child.eval(input)
  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = child.genCode(ctx)
  override protected def withNewChildInternal(newChild: Expression): AsValue = copy(child = newChild)
}

object AsValue {
  private val docs = "https://spark.apache.org/docs/latest"

  // Spark's own error: Spark adds the position in the statement only to its own errors.
  private def wrongCount(actual: Int) = new AnalysisException(
    "WRONG_NUM_ARGS.WITHOUT_SUGGESTION",
    Map("functionName" -> "`as_value`", "expectedNum" -> "1", "actualNum" -> actual.toString, "docroot" -> docs)
  )

  private val usage = "as_value(x) - x itself, but no longer a key column of the topic that the query writes."

  /** The function's name, documentation and builder, for the session's registry. */
  val description: (FunctionIdentifier, ExpressionInfo, Seq[Expression] => Expression) = (
    FunctionIdentifier("as_value"),
    new ExpressionInfo(classOf[AsValue].getName, null, "as_value", usage, ""),
    {
      case Seq(one) => AsValue(one)
      case several => throw wrongCount(several.size)
    }
  )
}
