package io.kafkalyst.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types.{DataType, StringType}

/**
 * Failure semantics of lambdas over an ARRAY or MAP: in ksqlDB, if one element fails, the whole call is null; elsewhere
 * only the failing value is null.
 */
object Failing {

  /** Turns the operator's null for non-null operands into a failure for [[caught]]. */
  def raised(operator: KsqlFunction): KsqlFunction = raised(operator, evenOfNulls = false)

  /**
   * For ksqlDB's arithmetic, which also fails if an operand is null; the same operator joins texts, and then does not.
   */
  def raisedByNulls(operator: KsqlFunction): KsqlFunction = raised(operator, evenOfNulls = true)

  private def raised(operator: KsqlFunction, evenOfNulls: Boolean) =
    KsqlFunction(operator.name, operator.usage)(args => Raised(operator.build(args), args, evenOfNulls))

  /** The function; null if a lambda argument fails. */
  def caught(function: KsqlFunction): KsqlFunction =
    KsqlFunction(function.name, function.usage)(args => Caught(function.build(args)))
}

private[functions] object ElementFailed extends RuntimeException("", null, false, false)

private[functions] final case class Raised(value: Expression, operands: Seq[Expression], evenOfNulls: Boolean)
    extends Expression
    with CodegenFallback {
  override def children: Seq[Expression] = value +: operands
  override def dataType: DataType = value.dataType
  override def nullable: Boolean = true
  private lazy val isOfNumbers = evenOfNulls && dataType != StringType
  override def eval(input: InternalRow): Any = {
    val result = value.eval(input)
    if (result == null && (isOfNumbers || operands.forall(_.eval(input) != null))) throw ElementFailed
    result
  }
  override protected def withNewChildrenInternal(changed: IndexedSeq[Expression]): Raised =
    copy(changed.head, changed.tail)
}

private[functions] final case class Caught(child: Expression) extends UnaryExpression with CodegenFallback {
  override def dataType: DataType = child.dataType
  override def nullable: Boolean = true
  override def eval(input: InternalRow): Any =
    try child.eval(input)
    catch { case ElementFailed => null }
  override protected def withNewChildInternal(changed: Expression): Caught = copy(changed)
}
