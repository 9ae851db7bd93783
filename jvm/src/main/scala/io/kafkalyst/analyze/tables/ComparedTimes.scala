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
 * Times compared with others. TIMEs of different digits, which Spark does not compare, are of the longer one.
 *
 * ROWTIME, WINDOWSTART and WINDOWEND of a topic, which are BIGINT milliseconds, compared with times. Texts are times, as
 * in continuous queries of ksqlDB's language; Spark has cast them to BIGINT by now, which fails for texts that are not numbers.
 * TIMESTAMPs and DATEs, which Spark does not compare with numbers, become milliseconds, so that they narrow a read.
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
    // Spark casts both sides of IN.
    case Cast(a: Attribute, LongType, _, _) => isTime(a)
    case _ => false
  }

  private def isMoment(e: Expression) = e.resolved && (e.dataType match {
    case TimestampType | TimestampNTZType | DateType => true
    case _ => false
  })

  /** Exact, though a moment may lie between two milliseconds. */
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

  /** ksqlDB's dialect has all texts in UTC. */
  private def zone =
    if (Settings.current.isKsqldb) ZoneOffset.UTC else DateTimeUtils.getZoneId(conf.sessionLocalTimeZone)

  private def isText(literal: Literal) =
    literal.dataType == StringType && literal.value != null && !literal.toString.trim.matches("[+-]?\\d+")
}
