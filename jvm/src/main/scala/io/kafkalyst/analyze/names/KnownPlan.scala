package io.kafkalyst.analyze
package names

import io.kafkalyst.model.{Side, TopicColumn}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, Expression, ExprId, Generator}
import org.apache.spark.sql.catalyst.plans.logical.{CTERelationDef, CTERelationRef, Generate, LeafNode, LogicalPlan}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.types.Metadata

import scala.collection.mutable

/**
 * Gives a plan the user's names once its names are resolved or known to be unresolvable, so that functions that read
 * field names, errors, and displayed plans use them. [[KnownPlan.Leaves]] restores the internal names for the scan.
 */
object KnownPlan extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan =
    // A bare relation is about to become part of a query, which still needs its names.
    if (plan.isInstanceOf[LeafNode] || !plan.collectLeaves().exists(_.output.exists(KnownNames.isRenamed))) plan
    else {
      val changed = mutable.Map.empty[ExprId, Attribute]
      val defined = mutable.Map.empty[Long, Seq[Attribute]]
      val marked = mutable.Map.empty[ExprId, Metadata]
      def marks(e: Expression) = if (marked.isEmpty) e else withMarks(e, marked)
      val names = new KnownNames(changed.get, marked.contains)
      plan.transformUp { case operator =>
        operator match {
          case ref: CTERelationRef => same(ref.output, defined.getOrElse(ref.cteId, ref.output), changed)
          case _ =>
        }
        val named = operator match {
          case g: Generate if g.resolved => generated(g, names, marked)
          case other => other.mapExpressions(e => names(marks(e)))
        }
        named match {
          case cte: CTERelationDef => defined(cte.id) = cte.output
          case _ =>
        }
        if (operator.resolved) same(operator.output, named.output, changed)
        named
      }
    }

  /**
   * A generator's output has the type of its elements. Its columns are renamed at the end of the query, because Spark
   * resolves their fields by name until then.
   */
  private def generated(g: Generate, names: KnownNames, marked: mutable.Map[ExprId, Metadata]): LogicalPlan = {
    val elements = names(g.generator).asInstanceOf[Generator].elementSchema
    g.generatorOutput.zip(g.generator.elementSchema.zip(elements)).foreach { case (a, (was, is)) =>
      if (was.name != is.name || was.dataType != is.dataType) {
        val column = TopicColumn(if (a.name == was.name) is.name else a.name, is.dataType, Side.Value)
        marked(a.exprId) = column.renamedMetadata(a.name)
      }
    }
    g.mapExpressions {
      case generator: Generator => generator.asInstanceOf[Expression].mapChildren(names.gone)
      case other => names(withMarks(other, marked))
    }
  }

  private def withMarks(e: Expression, marked: mutable.Map[ExprId, Metadata]): Expression = e.transform {
    case a: AttributeReference if marked.contains(a.exprId) && !KnownNames.isRenamed(a) =>
      a.withMetadata(marked(a.exprId))
  }

  private def same(before: Seq[Attribute], now: Seq[Attribute], changed: mutable.Map[ExprId, Attribute]): Unit =
    before.zip(now).foreach { case (a, b) =>
      if (a.name != b.name || a.dataType != b.dataType) changed(a.exprId) = a.withName(b.name).withDataType(b.dataType)
    }

  /** Restores the names by which the scan identifies its columns, before Spark prunes them. */
  object Leaves extends Rule[LogicalPlan] {
    override def apply(plan: LogicalPlan): LogicalPlan = plan.transformWithSubqueries {
      case leaf: LeafNode if leaf.output.exists(KnownNames.isRenamed) =>
        leaf.transformExpressions { case a: Attribute => a.withName(TopicColumn.internalOf(a.name, a.metadata)) }
    }
  }
}
