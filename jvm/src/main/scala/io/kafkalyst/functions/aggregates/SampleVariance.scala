package io.kafkalyst.functions.aggregates

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.DeclarativeAggregate
import org.apache.spark.sql.catalyst.trees.UnaryLike
import org.apache.spark.sql.types.{DataType, DoubleType}

/**
 * The sample variance of DOUBLEs, by the steps of Youngs and Cramer as in ksqlDB: Spark's differ in the last digit.
 * NULL for fewer than two values.
 */
final case class SampleVariance(child: Expression) extends DeclarativeAggregate with UnaryLike[Expression] {
  override def prettyName: String = "sample_variance"
  override def nullable: Boolean = true
  override def dataType: DataType = DoubleType

  private lazy val count = AttributeReference("n", DoubleType, nullable = false)()
  private lazy val sum = AttributeReference("sum", DoubleType, nullable = false)()
  private lazy val squares = AttributeReference("m2", DoubleType, nullable = false)()
  private val (none, one) = (Literal(0d), Literal(1d))

  override lazy val aggBufferAttributes: Seq[AttributeReference] = Seq(count, sum, squares)
  override lazy val initialValues: Seq[Expression] = Seq(none, none, none)

  override lazy val updateExpressions: Seq[Expression] = {
    val (n, total) = (new Add(count, one), new Add(sum, child))
    val more = spread(new Multiply(child, n), total, new Multiply(n, count))
    val added = Seq(n, total, If(EqualTo(count, none), none, new Add(squares, more)))
    added.zip(aggBufferAttributes).map { case (next, kept) => If(IsNull(child), kept, next) }
  }

  override lazy val mergeExpressions: Seq[Expression] = {
    val n = new Add(count.left, count.right)
    val (a, b) = (new Multiply(count.left, sum.right), new Multiply(count.right, sum.left))
    val more = spread(a, b, new Multiply(n, new Multiply(count.left, count.right)))
    val both = new Add(new Add(squares.left, squares.right), more)
    val all = If(EqualTo(count.left, none), squares.right, If(EqualTo(count.right, none), squares.left, both))
    Seq(n, new Add(sum.left, sum.right), all)
  }

  override lazy val evaluateExpression: Expression =
    If(GreaterThan(count, one), new Divide(squares, new Subtract(count, one)), Literal.create(null, DoubleType))

  private def spread(a: Expression, b: Expression, by: Expression): Expression = {
    val apart = new Subtract(a, b)
    new Divide(new Multiply(apart, apart), by)
  }

  override protected def withNewChildInternal(changed: Expression): SampleVariance = copy(changed)
}
