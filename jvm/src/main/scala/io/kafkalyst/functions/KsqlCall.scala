package io.kafkalyst.functions

import org.apache.spark.sql.catalyst.expressions.{Expression, LambdaFunction, Unevaluable}
import org.apache.spark.sql.types.DataType

/**
 * A call of a function or operator in a query of ksqlDB's language, until its arguments are known: then
 * `analyze.ResolveKsqlCalls` puts the function's expression in its place.
 */
final case class KsqlCall(function: KsqlFunction, children: Seq[Expression]) extends Expression with Unevaluable {
  override lazy val resolved: Boolean = false
  override def dataType: DataType = throw new UnsupportedOperationException("its function decides")
  override def nullable: Boolean = true
  override def prettyName: String = function.name

  /** Whether its arguments are known, but for lambdas, which wait for the function that calls them. */
  def isReady: Boolean = children.forall(c => c.resolved || c.isInstanceOf[LambdaFunction])

  def built: Expression = function.build(children)

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): KsqlCall =
    copy(children = newChildren)
}

/** A call of a table function: it makes rows of an array, and stands in a SELECT list. */
final case class KsqlTableCall(name: String, children: Seq[Expression]) extends Expression with Unevaluable {
  override lazy val resolved: Boolean = false
  override def dataType: DataType = throw new UnsupportedOperationException("its argument decides")
  override def nullable: Boolean = true
  override def prettyName: String = name
  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): KsqlTableCall =
    copy(children = newChildren)
}
