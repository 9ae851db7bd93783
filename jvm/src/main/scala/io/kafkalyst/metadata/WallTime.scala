package io.kafkalyst.metadata

import org.apache.spark.sql.catalyst.expressions.{Alias, Attribute, Cast, Expression, ExprId, NamedExpression}
import org.apache.spark.sql.catalyst.plans.logical.{Expand, Generate, LogicalPlan}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{MetadataBuilder, StructType, TimestampNTZType, TimestampType}

/**
 * Event times without a time zone. Spark's watermarks are on TIMESTAMP, so a stream has such a column as the instant
 * that it is in some zone, which its metadata names. A sink gets the time without a zone back.
 */
object WallTime {
  private val key = "kafkalyst.wall.time.zone"

  /** The column as an instant of the zone in which the query is analysed. */
  def alias(time: Expression, column: NamedExpression): Alias = {
    val zone = SQLConf.get.sessionLocalTimeZone
    val marked = new MetadataBuilder().withMetadata(column.metadata).putString(key, zone).build()
    Alias(Cast(time, TimestampType, Some(zone)), column.name)(explicitMetadata = Some(marked))
  }

  /** The zone of each TIMESTAMP of the plan that is made of such columns only, as the start of a window is; else None. */
  def zones(plan: LogicalPlan): Attribute => Option[String] = {
    val made = definitions(plan)
    def zonesOf(a: Attribute): Set[Option[String]] = made.get(a.exprId) match {
      case Some(definition) if definition.zone.isEmpty => definition.from.filter(isTime).flatMap(zonesOf).toSet
      case definition => Set(definition.flatMap(_.zone))
    }
    output => if (output.dataType == TimestampType) Some(zonesOf(output)).filter(_.size == 1).flatMap(_.head) else None
  }

  /** Whether a column is a time or, as a window, has times. */
  private def isTime(a: Attribute): Boolean = a.dataType match {
    case TimestampType | TimestampNTZType | _: StructType => true
    case _ => false
  }

  private final case class Definition(from: Seq[Attribute], zone: Option[String] = None)

  /** What each column of the plan is made from. */
  private def definitions(plan: LogicalPlan): Map[ExprId, Definition] = plan.flatMap {
    // The window functions of overlapping windows, and of cumulative ones.
    case expand: Expand => expand.output.zip(expand.projections.transpose).filterNot { case (a, each) =>
        each.forall { case same: Attribute => same.exprId == a.exprId; case _ => false }
      }.map { case (a, each) => a.exprId -> Definition(each.flatMap(_.references)) }
    case generate: Generate => generate.generatorOutput.map(_.exprId -> Definition(generate.generator.references.toSeq))
    case node => node.expressions.flatMap(_.collect { case alias: Alias =>
        val zone = Some(alias.metadata).filter(_.contains(key)).map(_.getString(key))
        // An alias repeats the metadata of the column that it names.
        alias.exprId -> Definition(alias.references.toSeq, zone)
      })
  }.toMap
}
