package io.kafkalyst.joins

import io.kafkalyst.errors.KafkalystException
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans._
import org.apache.spark.sql.catalyst.plans.logical.Join
import org.apache.spark.sql.types.DataType

/** Which joins of topics are supported. */
object JoinRules {

  /**
   * The pairs of expressions that a join equates, left side first.
   *
   * @throws io.kafkalyst.errors.KafkalystException JOIN_CONDITION, JOIN_KEY_TYPES
   */
  def pairs(join: Join): Seq[(Expression, Expression)] = {
    val (left, right) = (join.left.outputSet, join.right.outputSet)
    def isOf(e: Expression, side: AttributeSet) = e.references.nonEmpty && e.references.subsetOf(side)
    val conditions = join.condition.toSeq.flatMap(conjuncts)
    if (conditions.isEmpty) throw condition("no condition")
    conditions.map {
      case EqualTo(a, b) if isOf(a, left) && isOf(b, right) => sameType(a, b)
      case EqualTo(a, b) if isOf(b, left) && isOf(a, right) => sameType(b, a)
      case other => throw condition(external(other))
    }
  }

  private def condition(found: String) = KafkalystException("JOIN_CONDITION", "found" -> found)

  def conjuncts(e: Expression): Seq[Expression] = e match {
    case And(l, r) => conjuncts(l) ++ conjuncts(r)
    case other => Seq(other)
  }

  /** Refuses different types: Spark would cast one side silently, so that keys with different bytes would be equal. */
  private def sameType(left: Expression, right: Expression): (Expression, Expression) = {
    val (l, r) = (uncast(left), uncast(right))
    if (!DataType.equalsIgnoreNullability(l.dataType, r.dataType)) throw KafkalystException(
      "JOIN_KEY_TYPES",
      "left" -> external(l),
      "left_type" -> l.dataType.sql,
      "right" -> external(r),
      "right_type" -> r.dataType.sql
    )
    (l, r)
  }

  private def uncast(e: Expression): Expression = e match {
    case c: Cast if c.getTagValue(Cast.USER_SPECIFIED_CAST).isEmpty => uncast(c.child)
    case other => other
  }

  def external(e: Expression): String =
    e.transform { case a: Attribute => PrettyAttribute(name(a)) }.sql

  def name(a: Attribute): String = {
    val column = io.kafkalyst.model.TopicColumn.nameOf(a.name, a.metadata)
    (a.qualifier.lastOption.toSeq :+ column).mkString(".")
  }

  /** For each side, whether its rows are emitted without a match. */
  def alone(join: JoinType): Seq[Boolean] = join match {
    case Inner | Cross => Seq(false, false)
    case LeftOuter => Seq(true, false)
    case RightOuter => Seq(false, true)
    case FullOuter => Seq(true, true)
    case other => throw KafkalystException(
        "JOIN_TYPE",
        "type" -> other.sql,
        "what" -> "continuous queries",
        "known" -> "INNER, LEFT, RIGHT and FULL"
      )
  }

  def only(join: Join, what: String, allowed: JoinType*): Unit = if (!allowed.contains(join.joinType)) {
    throw KafkalystException(
      "JOIN_TYPE",
      "type" -> join.joinType.sql,
      "what" -> what,
      "known" -> allowed.map(_.sql).mkString(" and ")
    )
  }
}
