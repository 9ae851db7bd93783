package io.kafkalyst.read
package offsets

import java.math.{BigDecimal => Decimals, RoundingMode}
import java.time.LocalDate

import io.kafkalyst.metadata.{Box, Intervals, MetadataCast, MetadataKeys, PseudoColumns, Ranges}
import io.kafkalyst.model.{Properties, TopicColumn, TopicObject}
import io.kafkalyst.names.InternalSchema
import org.apache.spark.sql.catalyst.util.DateTimeUtils
import org.apache.spark.sql.connector.expressions.{Cast, Expression, Literal, NamedReference}
import org.apache.spark.sql.connector.expressions.filter.{And, Not, Or, Predicate}
import org.apache.spark.sql.types._

/**
 * Converts predicates on partition, offset and timestamp to [[io.kafkalyst.metadata.Ranges]]. The ranges may be wider
 * than the predicate but never narrower, and the predicates stay as filters. Unsupported predicates do not narrow the
 * ranges.
 *
 * @param zone the session's time zone, for the date of a timestamp
 */
final class OffsetPushdown(topic: TopicObject, zone: String) {
  import OffsetPushdown._

  def ranges(predicate: Predicate): Ranges = ranges(predicate, negated = false)

  private def ranges(predicate: Predicate, negated: Boolean): Ranges = predicate match {
    case and: And => if (negated) either(and.left, and.right, negated) else both(and.left, and.right, negated)
    case or: Or => if (negated) both(or.left, or.right, negated) else either(or.left, or.right, negated)
    case not: Not => ranges(not.child, !negated)
    case other =>
      (other.name, other.children.toSeq) match {
        case ("ALWAYS_TRUE", _) => if (negated) Ranges.none else Ranges.all
        case ("ALWAYS_FALSE", _) => if (negated) Ranges.all else Ranges.none
        case ("IN", tested +: values) => set(tested, values.map(v => ("=", v)), negated)
        case (operator, Seq(tested, value: Literal[_])) => set(tested, Seq(operator -> value), negated)
        case (operator, Seq(value: Literal[_], tested)) => set(tested, Seq(turned(operator) -> value), negated)
        case _ => Ranges.all
      }
  }

  private def both(a: Predicate, b: Predicate, negated: Boolean) = ranges(a, negated) & ranges(b, negated)
  private def either(a: Predicate, b: Predicate, negated: Boolean) = ranges(a, negated) | ranges(b, negated)

  /** The records for which one of the comparisons holds; if negated, those for which none holds. */
  private def set(tested: Expression, comparisons: Seq[(String, Expression)], negated: Boolean): Ranges = {
    val found = for {
      measured <- measure(tested)
      values = comparisons.map { case (operator, value) => number(value).flatMap(compared(operator, _)) }
      if values.forall(_.isDefined)
    } yield {
      val kept = values.flatten.foldLeft(Intervals.none)(_ | _)
      Ranges.of(measured.box(measured.natives(if (negated) !kept else kept)))
    }
    found.getOrElse(Ranges.all)
  }

  /**
   * The expression as a monotonically increasing function of the record's own number; None for any other expression.
   */
  private def measure(expression: Expression): Option[Measure] = expression match {
    case reference: NamedReference if reference.fieldNames.length == 1 => columns.get(reference.fieldNames.head)
    case cast: Cast => measure(cast.expression).flatMap { inner =>
        (inner.dataType, cast.dataType) match {
          case (from, to) if isWhole(from) && isWhole(to) && to.defaultSize >= from.defaultSize =>
            Some(inner.copy(dataType = to))
          case (from, to: DecimalType) if isWhole(from) && to.precision - to.scale >= 19 =>
            Some(inner.copy(dataType = to))
          case (TimestampType, LongType) =>
            Some(inner.over(LongType, micros(_, 0), s => plus(micros(s, 0), 999999L)))
          case (TimestampType, DateType) =>
            Some(inner.over(DateType, d => plus(startOf(d), -slack), d => plus(startOf(plus(d, 1)), slack - 1)))
          case _ => None
        }
      }
    case _ => None
  }

  // Without columns whose value is not the record's own number, such as ROWTIME with the property TIMESTAMP.
  private lazy val columns: Map[String, Measure] = {
    val hidden = PseudoColumns.all.filterNot { c =>
      c == PseudoColumns.rowTime && topic.options.contains(Properties.timestamp.name)
    }
    val declared = InternalSchema.of(topic.columns).map(_.name).zip(topic.columns)
    (hidden.map(c => c.name -> c) ++ declared).toMap.flatMap { case (name, column) => native(column).map(name -> _) }
  }

  private def native(column: TopicColumn): Option[Measure] = column.metadata.map(_.key).flatMap { key =>
    (key, column.dataType) match {
      case (MetadataKeys.partition.name, t) if isWhole(t) => Some(Measure(t, n => Box(partitions = n)))
      case (MetadataKeys.offset.name, t) if isWhole(t) => Some(Measure(t, n => Box(offsets = n)))
      case (MetadataKeys.timestamp.name, LongType) => Some(Measure(LongType, n => Box(times = n)))
      case (MetadataKeys.timestamp.name, TimestampType) =>
        // A column of lower precision truncates its values to this unit.
        val unit = MetadataCast.unit(topic.written(column).fold("")(_.written), column.dataType)
        def down(t: Long) = Math.floorDiv(t, unit) * unit
        Some(Measure(TimestampType, n => Box(times = n))
          .over(TimestampType, t => -Math.floorDiv(-t, 1000L), Math.floorDiv(_, 1000L))
          .over(TimestampType, t => -down(-t), t => plus(down(t), unit - 1)))
      case _ => None
    }
  }

  private def startOf(day: Long): Long =
    if (math.abs(day) > farDay) saturated(day)
    else LocalDate.ofEpochDay(day).atStartOfDay(DateTimeUtils.getZoneId(zone)).toEpochSecond * 1000000L
}

private object OffsetPushdown {

  // In microseconds. A pushed cast does not have its time zone: that of a view is the one at its creation, and two zones
  // are up to 26 hours apart. If clocks are set back over midnight, a date occurs twice.
  private val slack = 30L * 3600 * 1000000
  private val farDay = 100L * 1000 * 365

  /**
   * A monotonically increasing function of a record's own number (partition, offset, epoch milliseconds).
   *
   * @param box   the records whose own numbers are in these intervals
   * @param least the least own number at which the value is at least the given one
   * @param most  the greatest own number at which the value is at most the given one
   */
  private final case class Measure(
      dataType: DataType,
      box: Intervals => Box,
      least: Long => Long = identity,
      most: Long => Long = identity
  ) {

    /** A monotonically increasing function of this value, given by its own least and most. */
    def over(to: DataType, lowest: Long => Long, highest: Long => Long): Measure =
      copy(dataType = to, least = bounded(lowest).andThen(least), most = bounded(highest).andThen(most))

    def natives(values: Intervals): Intervals = values.parts.foldLeft(Intervals.none) { case (done, (low, high)) =>
      done | Intervals.from(bounded(least)(low), bounded(most)(high))
    }
  }

  /** Keeps unbounded ends unbounded. */
  private def bounded(of: Long => Long): Long => Long = n => if (n == Long.MinValue || n == Long.MaxValue) n else of(n)

  private def isWhole(t: DataType) = t match {
    case ByteType | ShortType | IntegerType | LongType => true
    case _ => false
  }

  private def saturated(sign: Long) = if (sign < 0) Long.MinValue else Long.MaxValue

  private def plus(a: Long, b: Long): Long =
    if (a == Long.MinValue || a == Long.MaxValue) a
    else {
      try Math.addExact(a, b)
      catch { case _: ArithmeticException => saturated(b) }
    }

  private def micros(seconds: Long, more: Long): Long =
    try Math.addExact(Math.multiplyExact(seconds, 1000000L), more)
    catch { case _: ArithmeticException => saturated(seconds) }

  private def turned(operator: String) = operator match {
    case "<" => ">"
    case "<=" => ">="
    case ">" => "<"
    case ">=" => "<="
    case same => same
  }

  private def number(value: Expression): Option[Decimals] = value match {
    case literal: Literal[_] =>
      literal.value match {
        case n: java.lang.Number if isWhole(literal.dataType) => Some(Decimals.valueOf(n.longValue))
        case d: Decimal => Some(d.toJavaBigDecimal)
        case n: java.lang.Number if literal.dataType == TimestampType || literal.dataType == DateType =>
          Some(Decimals.valueOf(n.longValue))
        case _ => None
      }
    case _ => None
  }

  /** The whole numbers that satisfy the comparison with the value; None for an unsupported operator. */
  private def compared(operator: String, value: Decimals): Option[Intervals] = {
    val floor = value.setScale(0, RoundingMode.FLOOR)
    val ceiling = value.setScale(0, RoundingMode.CEILING)
    def clamp(n: Decimals) = n.max(Decimals.valueOf(Long.MinValue)).min(Decimals.valueOf(Long.MaxValue)).longValue
    def next(n: Decimals, step: Int) = clamp(n.add(Decimals.valueOf(step.toLong)))
    def outside(n: Decimals) = n.compareTo(Decimals.valueOf(Long.MaxValue)) > 0 ||
      n.compareTo(Decimals.valueOf(Long.MinValue)) < 0
    operator match {
      // A bound outside the valid range is left to the filter.
      case _ if outside(floor) || outside(ceiling) => None
      case "=" | "<=>" => Some(Intervals.from(clamp(ceiling), clamp(floor)))
      case "<>" => Some(!Intervals.from(clamp(ceiling), clamp(floor)))
      case "<" => Some(Intervals.from(Long.MinValue, next(ceiling, -1)))
      case "<=" => Some(Intervals.from(Long.MinValue, clamp(floor)))
      case ">" => Some(Intervals.from(next(floor, 1), Long.MaxValue))
      case ">=" => Some(Intervals.from(clamp(ceiling), Long.MaxValue))
      case _ => None
    }
  }
}
