package io.kafkalyst.analyze
package tables

import org.apache.spark.sql.catalyst.analysis.{UnresolvedAttribute, UnresolvedRelation}
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias, UnaryNode, UnresolvedWith}
import org.apache.spark.sql.util.CaseInsensitiveStringMap

import scala.jdk.CollectionConverters._

/**
 * The right side of a join `FOR SYSTEM_TIME AS OF time`, until [[TemporalJoins]] joins each row of the left side with
 * the version of its time.
 *
 * @param time the name of the left side's column; empty for PROCTIME()
 */
final case class VersionsOf(child: LogicalPlan, time: Seq[String]) extends UnaryNode {
  override def output: Seq[Attribute] = child.output
  override protected def withNewChildInternal(newChild: LogicalPlan): VersionsOf = copy(child = newChild)
}

object VersionsOf {

  /** The relation's option that replaces the clause; its value is the name of the time column. */
  val option = "__kafkalyst.system_time"

  /** Wraps relations that have this option in [[VersionsOf]], also within WITH clauses. */
  def put(plan: LogicalPlan): LogicalPlan = plan.transformUpWithSubqueries {
    case r: UnresolvedRelation if r.options.containsKey(option) =>
      val rest = r.options.asCaseSensitiveMap.asScala.filterNot(_._1.equalsIgnoreCase(option)).asJava
      val name = r.options.get(option)
      val time = if (name.isEmpty) Nil else UnresolvedAttribute.parseAttributeName(name)
      val relation = UnresolvedRelation(r.multipartIdentifier, new CaseInsensitiveStringMap(rest), r.isStreaming)
      relation.copyTagsFrom(r)
      VersionsOf(relation, time)
    case w: UnresolvedWith => inClauses(w)
  }

  /** Rebuilt from its own parts, because the elements of a WITH clause differ between Spark's versions. */
  private def inClauses(w: UnresolvedWith): LogicalPlan = w.makeCopy(w.productIterator.map {
    case clauses: Seq[_] => clauses.map {
        case (name, query: SubqueryAlias) => (name, put(query))
        case (name, query: SubqueryAlias, depth) => (name, put(query), depth)
        case other => other
      }
    case other => other.asInstanceOf[AnyRef]
  }.toArray)
}
