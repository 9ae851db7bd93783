package io.kafkalyst.analyze.sinks

import io.kafkalyst.errors.KafkalystTaskException
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BinaryExpression, Cast, Expression}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types.{DataType, StringType}

/**
 * A value of INSERT … VALUES as its column stores it. INSERT_VALUE if a text is not of the column's type or a number is
 * outside its range: Spark's own error shows its rewritten statement and names its functions.
 *
 * @param left  the converted value
 * @param right the value as it was given
 * @param dataType the column's, in which all fields may be NULL
 */
private[sinks] final case class StoredValue(
    left: Expression,
    right: Expression,
    override val dataType: DataType,
    sink: String,
    column: String
) extends BinaryExpression
    with CodegenFallback {
  override def nullable: Boolean = true

  override def eval(input: InternalRow): Any =
    try left.eval(input)
    catch {
      case e: RuntimeException with SparkThrowable if isOfValue(e) =>
        throw KafkalystTaskException(
          e,
          "INSERT_VALUE",
          "object" -> sink,
          "column" -> column,
          "expected" -> dataType.sql,
          "value" -> String.valueOf(Cast(right, StringType, Some("UTC")).eval(input))
        )
    }

  private def isOfValue(e: SparkThrowable) =
    Option(e.getCondition).exists(c => Seq("CAST_", "CONVERSION_", "NUMERIC_").exists(c.startsWith))

  override protected def withNewChildrenInternal(newLeft: Expression, newRight: Expression): StoredValue =
    copy(newLeft, newRight)
}
