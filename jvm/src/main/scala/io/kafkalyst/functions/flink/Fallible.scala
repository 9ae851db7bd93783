package io.kafkalyst.functions
package flink

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types.DataType

/**
 * A function whose failures fail the query, as `ERROR ON EMPTY` requires.
 *
 * @param name its identity: two expressions with the same name compute the same
 * @param body takes the arguments' Catalyst values, including nulls
 */
private[flink] final case class Fallible(name: String, children: Seq[Expression], dataType: DataType)(
    val body: Array[Any] => Any
) extends Expression
    with CodegenFallback {
  override def nullable: Boolean = true
  override def prettyName: String = name.takeWhile(_ != '(')
  override def otherCopyArgs: Seq[AnyRef] = Seq(body)
  override def eval(input: InternalRow): Any = body(children.map(_.eval(input)).toArray)
  override protected def withNewChildrenInternal(changed: IndexedSeq[Expression]): Fallible =
    copy(children = changed)(body)
}
