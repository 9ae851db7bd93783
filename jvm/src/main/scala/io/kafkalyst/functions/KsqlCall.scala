package io.kafkalyst.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.catalyst.trees.TreePattern.{TreePattern, UNRESOLVED_FUNCTION}
import org.apache.spark.sql.types.DataType

/** A call that is bound only once its arguments are resolved. (Spark's Unevaluable differs between versions.) */
sealed trait PendingCall extends Expression with CodegenFallback {
  private def pending = throw new UnsupportedOperationException(s"$prettyName was not resolved")
  override lazy val resolved: Boolean = false
  final override val nodePatterns: Seq[TreePattern] = Seq(UNRESOLVED_FUNCTION)
  override def dataType: DataType = pending
  override def nullable: Boolean = true
  override def eval(input: InternalRow): Any = pending
}

/**
 * A call of a function or operator in a query in ksqlDB's language; `analyze.ResolveKsqlCalls` replaces it with the
 * function's expression.
 */
final case class KsqlCall(function: KsqlFunction, children: Seq[Expression]) extends PendingCall {
  override def prettyName: String = function.name

  /** Whether its arguments are resolved, except lambdas, which the called function resolves. */
  def isReady: Boolean = children.forall(c => c.resolved || c.isInstanceOf[LambdaFunction])

  def built: Expression = function.build(children)

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): KsqlCall =
    copy(children = newChildren)
}

/** `struct->*` in a SELECT list, where the STRUCT is an expression and not a column: all its fields. */
final case class KsqlFields(child: Expression) extends UnaryExpression with PendingCall {
  override def prettyName: String = "->*"
  override protected def withNewChildInternal(changed: Expression): KsqlFields = copy(changed)
}

object KsqlFields {

  /** Placeholder for `*` in `struct->*`; Spark allows `*` only after a name, and prefers a source of that name. */
  private[kafkalyst] val star = "kafkalyst_fields"
}

/**
 * A value in the rows of an INSERT. Spark accepts only foldable values there, and lambdas and constructors are not
 * foldable.
 */
final case class RowValue(child: Expression) extends UnaryExpression with CodegenFallback {
  override def dataType: DataType = child.dataType
  override def foldable: Boolean =
    child.deterministic && child.references.isEmpty && !child.exists(_.isInstanceOf[AggregateExpression])
  override def sql: String = child.sql
  override def nullable: Boolean = child.nullable
  private lazy val ready = evaluable(child)

  /** As Spark's optimizer makes it: replacements, with their common parts wherever these are used. */
  private def evaluable(e: Expression): Expression = e match {
    case r: RuntimeReplaceable => evaluable(r.replacement)
    case w: With =>
      evaluable(w.child.transform { case ref: CommonExpressionRef =>
        w.defs.find(_.id == ref.id).fold[Expression](ref)(_.child)
      })
    case other => other.mapChildren(evaluable)
  }

  override def eval(input: InternalRow): Any = ready.eval(input)
  override protected def withNewChildInternal(changed: Expression): RowValue = copy(changed)
}

/** A call of a table function in a SELECT list: it turns an array into rows. */
final case class KsqlTableCall(name: String, children: Seq[Expression]) extends PendingCall {
  override def prettyName: String = name
  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): KsqlTableCall =
    copy(children = newChildren)
}
