package io.kafkalyst.joins

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression}
import org.apache.spark.sql.catalyst.expressions.codegen.{CodegenContext, ExprCode}
import org.apache.spark.sql.types.DataType

/** A value as another type with the same internal representation, see [[StateType]]. */
private[joins] final case class SameValue(child: Expression, dataType: DataType) extends UnaryExpression {
  override def nullable: Boolean = child.nullable
  override def eval(input: InternalRow): Any = child.eval(input)
  override protected def doGenCode(ctx: CodegenContext, ev: ExprCode): ExprCode = child.genCode(ctx)
  override protected def withNewChildInternal(newChild: Expression): SameValue = copy(newChild)
}

private[joins] object SameValue {
  def of(value: Expression, dataType: DataType): Expression =
    if (value.dataType.sql == dataType.sql) value else SameValue(value, dataType)
}
