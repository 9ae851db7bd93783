package io.kafkalyst.analyze

import java.util.UUID

import io.kafkalyst.model.TopicObject
import io.kafkalyst.query.DerivedColumns
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{EventTimeWatermark, LogicalPlan}
import org.apache.spark.sql.types.MetadataBuilder
import org.apache.spark.unsafe.types.CalendarInterval

/**
 * Computed columns and watermark of one read of an object.
 *
 * @param computed over the relation's output, with their places among all columns
 * @param time     the name of the time's column and how late rows come, where the object has a watermark
 */
final case class DerivedOutput(computed: Seq[(Int, Alias)] = Nil, time: Option[(String, CalendarInterval)] = None) {

  /** The declared columns with the computed ones among them. */
  def placed(declared: Seq[NamedExpression]): Seq[NamedExpression] =
    computed.foldLeft(declared) { case (columns, (place, alias)) => columns.patch(place, Seq(alias), 0) }

  /** The same over another relation's output. */
  def over(renewed: AttributeMap[Attribute]): DerivedOutput = copy(computed = computed.map { case (place, alias) =>
    val child = alias.child.transform { case a: Attribute => renewed.getOrElse(a, a) }
    place -> Alias(child, alias.name)()
  })

  /** The columns as the watermark, which is put in later, will give them. */
  def marked(output: Seq[Attribute], isStreaming: Boolean): Seq[Attribute] = output.map { a =>
    time.filter { case (name, _) => isStreaming && a.name == name }.fold(a) { case (_, delay) =>
      val ms = EventTimeWatermark.getDelayMs(delay)
      a.withMetadata(
        new MetadataBuilder().withMetadata(a.metadata).putLong(EventTimeWatermark.delayKey, ms).build()
      )
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
      DerivedOutput(computed, time)
    }
}
