package io.kafkalyst.lake

import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.metadata.PseudoColumns
import io.kafkalyst.model.{ObjectKind, Side, TopicObject}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.streaming.StreamingRelationV2

/** Rows that are merged by key, of which each batch needs only the last change of each key. */
private[lake] object LatestChanges {

  /**
   * The plan, whose source may leave out the records that a later one of the same key in the batch supersedes, if its
   * rows are one table's and the last change of each of their keys is that of a key of the table. A condition on other
   * columns would choose another change as the last one; that of a WHERE is part of the rows, which it deletes.
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

  /** A read without end of a table whose rows have the keys of their records. */
  private object Keyed {
    def unapply(plan: LogicalPlan): Option[TopicTable] = plan match {
      case stream: StreamingRelationV2 => Some(stream.table).collect { case t: TopicTable if isKeyed(t.topic) => t }
      case _ => None
    }

    // A value with a key of its own may say another one than its record.
    private def isKeyed(topic: TopicObject) = topic.kind == ObjectKind.Table &&
      (topic.verifiesKey || !topic.columns(Side.Key).exists(topic.isIn(_, Side.Value)))
  }
}
