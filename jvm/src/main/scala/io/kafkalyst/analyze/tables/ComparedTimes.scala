package io.kafkalyst.analyze
package tables

import java.time.ZoneOffset

import io.kafkalyst.functions.flink.TimeCast
import io.kafkalyst.metadata.{PseudoColumns, RowTime, TimeText}
import io.kafkalyst.model.settings.Settings
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.types.{DateType, LongType, StringType, TimestampNTZType, TimestampType}

/**
 * Rewrites comparisons of times. TIMEs of different precision, which Spark does not compare, are cast to the higher
 * one.
 *
 * ROWTIME, WINDOWSTART and WINDOWEND of a topic are BIGINT milliseconds. Strings compared with these are read as times,
 * as in ksqlDB's continuous queries; Spark has already cast the strings to BIGINT, which fails for non-numeric strings.
 * TIMESTAMPs and DATEs, which Spark does not compare with numbers, become milliseconds, so that the comparison can be
 * pushed down.
 */
object ComparedTimes extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    if (!TopicRelation.isIn(plan)) plan
    else
      plan.resolveExpressions {
        case c: BinaryComparison if TimeCast.alike(c.children) != c.children =>
          c.withNewChildren(TimeCast.alike(c.children))
        case c: BinaryComparison if isTime(c.left) && isMoment(c.right) => compared(c, c.left, c.right)
        case c: BinaryComparison if isMoment(c.left) && isTime(c.right) => compared(turned(c), c.right, c.left)
        case i: In if isTime(i.value) && i.list.exists(isMoment) => i.copy(value = RowTime.moment(i.value))
        case b: Between if isTime(b.input) && (isMoment(b.lower) || isMoment(b.upper)) =>
          And(GreaterThanOrEqual(b.input, b.lower), LessThanOrEqual(b.input, b.upper))
        case c: BinaryComparison if c.children.exists(isTime) => c.withNewChildren(c.children.map(inMillis))
        case i: In if isTime(i.value) => i.withNewChildren(i.children.map(inMillis))
        // Between is RuntimeReplaceable: it is rebuilt from its input and bounds.
        case b: Between if isTime(b.input) && Seq(b.lower, b.upper).exists(e => inMillis(e) != e) =>
          new Between(b.input, inMillis(b.lower), inMillis(b.upper))
      }

  private def isTime(e: Expression): Boolean = e match {
    case a: Attribute => a.resolved && a.dataType == LongType && PseudoColumns.isTime(a.name)
    // Spark has cast both sides of IN.
    case Cast(a: Attribute, LongType, _, _) => isTime(a)
    case _ => false
  }

  private def isMoment(e: Expression) = e.resolved && (e.dataType match {
    case TimestampType | TimestampNTZType | DateType => true
    case _ => false
  })

  /** Compares exactly, even if the moment lies between two milliseconds. */
  private def compared(by: BinaryComparison, time: Expression, moment: Expression): Expression = {
    val at = Cast(moment, TimestampType)
    val before = UnixMillis(at)
    val after = UnixMillis(MicrosToTimestamp(new Add(UnixMicros(at), Literal(999L))))
    by match {
      case _: GreaterThan => GreaterThan(time, before)
      case _: LessThanOrEqual => LessThanOrEqual(time, before)
      case _: GreaterThanOrEqual => GreaterThanOrEqual(time, after)
      case _: LessThan => LessThan(time, after)
      case _ => by.withNewChildren(Seq(RowTime.moment(time), at))
    }
  }

  private def turned(c: BinaryComparison): BinaryComparison = c match {
    case GreaterThan(a, b) => LessThan(b, a)
    case GreaterThanOrEqual(a, b) => LessThanOrEqual(b, a)
    case LessThan(a, b) => GreaterThan(b, a)
    case LessThanOrEqual(a, b) => GreaterThanOrEqual(b, a)
    case same => same
  }

  private def inMillis(side: Expression): Expression = side match {
    case c @ Cast(text: Literal, LongType, _, _) if c.getTagValue(Cast.USER_SPECIFIED_CAST).isEmpty =>
      if (isText(text)) inMillis(text) else c
    case text: Literal if isText(text) => Literal(TimeText.millis(text.toString, zone))
    case other => other
  }

  /** In ksqlDB's dialect, strings are times in UTC. */
  private def zone =
    if (Settings.current.isKsqldb) ZoneOffset.UTC else DateTimeUtils.getZoneId(conf.sessionLocalTimeZone)

  private def isText(literal: Literal) =
    literal.dataType == StringType && literal.value != null && !literal.toString.trim.matches("[+-]?\\d+")
}
