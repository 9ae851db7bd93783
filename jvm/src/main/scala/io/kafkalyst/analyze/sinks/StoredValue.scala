package io.kafkalyst.analyze.sinks

import io.kafkalyst.errors.KafkalystTaskException
import org.apache.spark.SparkThrowable
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BinaryExpression, Cast, Expression}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types.{DataType, StringType}

/**
 * A value of INSERT … VALUES, converted to its column's type. Throws INSERT_VALUE if a string is not of the type or a
 * number is out of range, because Spark's own error shows the rewritten statement and its functions.
 *
 * @param left  the converted value
 * @param right the given value
 * @param dataType the column's type, in which all fields are nullable
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
