package io.kafkalyst.analyze
package tables

import io.kafkalyst.metadata.{PseudoColumns, TimeText}
import org.apache.spark.sql.catalyst.expressions.{Attribute, Between, BinaryComparison, Cast, Expression, In, Literal}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types.{LongType, StringType}

/**
 * Texts compared with ROWTIME, WINDOWSTART and WINDOWEND of a topic are times, as in continuous queries of ksqlDB's
 * language. Spark has cast them to BIGINT by now, which only texts of numbers bear.
 */
object ComparedTimes extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!plan.exists(_.isInstanceOf[TopicRelation])) plan
    else
      plan.resolveExpressions {
        case c: BinaryComparison if c.children.exists(isTime) => c.withNewChildren(c.children.map(inMillis))
        case i: In if isTime(i.value) => i.withNewChildren(i.children.map(inMillis))
        // Its comparisons are of a reference, so it is made anew of what it was made of.
        case b: Between if isTime(b.input) && Seq(b.lower, b.upper).exists(e => inMillis(e) != e) =>
          new Between(b.input, inMillis(b.lower), inMillis(b.upper))
      }

  // The rule is made in sessions without Kafka's jars, too.
  private lazy val times = PseudoColumns.rowTime.name +: PseudoColumns.bounds

  private def isTime(e: Expression): Boolean = e match {
    case a: Attribute => a.resolved && a.dataType == LongType && times.exists(_.equalsIgnoreCase(a.name))
    // Spark casts both sides of IN.
    case Cast(a: Attribute, LongType, _, _) => isTime(a)
    case _ => false
  }

  private def inMillis(side: Expression): Expression = side match {
    case c @ Cast(text: Literal, LongType, _, _) if c.getTagValue(Cast.USER_SPECIFIED_CAST).isEmpty =>
      if (isText(text)) inMillis(text) else c
    case text: Literal if isText(text) => Literal(TimeText.millis(text.toString))
    case other => other
  }

  private def isText(literal: Literal) =
    literal.dataType == StringType && literal.value != null && !literal.toString.trim.matches("[+-]?\\d+")
}
