package io.kafkalyst.analyze
package sinks

import java.util.UUID

import io.kafkalyst.joins.WatermarkMark
import io.kafkalyst.metadata.WallTime
import io.kafkalyst.model.TopicObject
import io.kafkalyst.streams.DerivedColumns
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan}
import org.apache.spark.sql.types.TimestampNTZType
import org.apache.spark.unsafe.types.CalendarInterval

/**
 * Computed columns and watermark for one read of an object.
 *
 * @param computed over the relation's output, with their positions among all columns
 * @param time     the name of the event-time column and the watermark's delay, if the object has a watermark
 * @param zoned    for a stream, the replacement for an event-time column without a time zone: Spark supports watermarks
 *                 on TIMESTAMP only
 */
final case class DerivedOutput(
    computed: Seq[(Int, Alias)] = Nil,
    time: Option[(String, CalendarInterval)] = None,
    zoned: Map[ExprId, Alias] = Map.empty
) {

  /** The declared columns with the computed ones inserted. */
  def placed(declared: Seq[Attribute]): Seq[NamedExpression] =
    computed.foldLeft(declared.map(a => zoned.getOrElse(a.exprId, a): NamedExpression)) {
      case (columns, (place, alias)) => columns.patch(place, Seq(alias), 0)
    }

  def isEmpty: Boolean = computed.isEmpty && zoned.isEmpty

  /** Rebinds the expressions to another relation's output. */
  def over(renewed: AttributeMap[Attribute]): DerivedOutput = {
    def anew(alias: Alias) = Alias(
      alias.child.transform { case a: Attribute => renewed.getOrElse(a, a) },
      alias.name
    )(explicitMetadata = alias.explicitMetadata)
    val columns = renewed.toSeq.map { case (before, after) => before.exprId -> after.exprId }.toMap
    copy(
      computed = computed.map { case (place, alias) => place -> anew(alias) },
      zoned = zoned.map { case (id, alias) => columns(id) -> anew(alias) }
    )
  }

  /** The columns with the watermark's mark, as the watermark operator, which is inserted later, outputs them. */
  def marked(output: Seq[Attribute], isStreaming: Boolean): Seq[Attribute] = output.map { a =>
    time.filter { case (name, _) => isStreaming && a.name == name }.fold(a) { case (_, delay) =>
      WatermarkMark.put(a, EventTimeWatermark.getDelayMs(delay))
    }
  }

  def watermarked(plan: LogicalPlan): LogicalPlan = time.filter(_ => plan.isStreaming) match {
    case None => plan
    case Some((name, delay)) =>
      EventTimeWatermark(UUID.randomUUID(), plan.output.find(_.name == name).get, delay, plan)
  }
}

object DerivedOutput {
  def apply(session: SparkSession, o: TopicObject, relation: LogicalPlan): DerivedOutput =
    if (o.computed.isEmpty && o.watermark.isEmpty) DerivedOutput()
    else {
      val computed = DerivedColumns.computed(session, o, relation.output.take(o.columns.size))
      val time = for {
        watermark <- o.watermark
        delay <- DerivedColumns.delay(session, o)
      } yield watermark.column -> delay
      if (!relation.isStreaming) DerivedOutput(computed, time)
      else {
        val isTime = (n: NamedExpression) => n.dataType == TimestampNTZType && time.exists(_._1 == n.name)
        DerivedOutput(
          computed.map { case (place, alias) =>
            place -> (if (isTime(alias)) WallTime.alias(alias.child, alias) else alias)
          },
          time,
          relation.output.filter(isTime).map(a => a.exprId -> WallTime.alias(a, a)).toMap
        )
      }
    }
}
