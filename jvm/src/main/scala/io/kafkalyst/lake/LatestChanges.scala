package io.kafkalyst.lake

import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.metadata.PseudoColumns
import io.kafkalyst.model.{ObjectKind, Side, TopicObject}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2

/** Reduces rows that are merged by key: each batch needs only the last change of each key. */
private[lake] object LatestChanges {

  /**
   * Lets the plan's source skip records that a later record of the same key in the batch supersedes. Only if all rows
   * come from one table, and the rows' keys are computed from the table's key, so that the last change of a row's key
   * is the last change of its record's key. A condition on other columns would select another change as the last one,
   * so it prevents this; a WHERE condition does not, because rows that it excludes become deletes.
   *
   * @param keys the plan's columns by which its rows are merged
   */
  def only(plan: LogicalPlan, keys: Seq[Attribute]): LogicalPlan = {
    val own = AttributeSet(plan.collectLeaves() match {
      case Seq(relation @ Keyed(table)) =>
        relation.output.zip(table.topic.columns).collect { case (a, c) if PseudoColumns.isKey(c) => a }
      case _ => Nil
    })
    val aliases =
      AttributeMap(plan.collect { case p: Project => p.projectList }.flatten.collect { case a: Alias =>
        a.toAttribute -> a.child
      })
    def origin(e: Expression): Expression = e.transformDown {
      case a: Attribute if aliases.contains(a) => origin(aliases(a))
    }
    def isOfKey(e: Expression) = origin(e).references.subsetOf(own)
    val others = plan.find {
      case Filter(condition, _) => !isOfKey(condition)
      case _: Project | _: SubqueryAlias | _: View | _: StreamingRelationV2 => false
      case _ => true
    }
    if (own.nonEmpty && keys.nonEmpty && keys.forall(isOfKey) && others.isEmpty && plan.deterministic)
      History.inStreams(plan)(_.latest)
    else plan
  }

  /** An unbounded read of a table whose rows have the keys of their records. */
  private object Keyed {
    def unapply(plan: LogicalPlan): Option[TopicTable] = plan match {
      case stream: StreamingRelationV2 => Some(stream.table).collect { case t: TopicTable if isKeyed(t.topic) => t }
      case _ => None
    }

    // A value that contains its own key may contradict the record's key.
    private def isKeyed(topic: TopicObject) = topic.kind == ObjectKind.Table &&
      (topic.verifiesKey || !topic.columns(Side.Key).exists(topic.isIn(_, Side.Value)))
  }
}
