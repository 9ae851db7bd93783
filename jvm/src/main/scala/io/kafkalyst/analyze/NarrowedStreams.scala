package io.kafkalyst.analyze

import io.kafkalyst.analyze.tables.TopicRelation
import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.metadata.{PseudoColumns, RowTime}
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.streaming.{StreamingRelationV2, WriteToStream}

/**
 * Reduces the hidden columns of a written stream to those that its query uses. Spark before 4.2 requests all columns of
 * a stream, so each record's headers would become an array, which also rules out columnar batches. All declared columns
 * stay, because ON_ERROR applies to each of them. Sources of state that stores rows also stay, because the state schema
 * is in checkpoints; only what a projection of a table's stream leaves out never reaches the state.
 */
object NarrowedStreams extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan match {
    case write: WriteToStream if write.resolved && write.child.find(!passes(_)).isEmpty =>
      write.withNewChildren(Seq(narrowed(write.child, write.child.outputSet)))
    case write: WriteToStream if write.resolved =>
      write.mapChildren(_.transform {
        case shown: Project if TopicRelation.isShown(shown) && shown.isStreaming => narrowed(shown, shown.outputSet)
      })
    case other => other
  }

  /** Whether an operator needs only the columns that it or an operator above names. */
  private def passes(operator: LogicalPlan): Boolean = !operator.isStreaming || (operator match {
    case _: Project | _: Filter | _: SubqueryAlias | _: View | _: EventTimeWatermark | _: CollectMetrics => true
    case _: Aggregate | _: Expand | _: StreamingRelationV2 => true
    case rows: Generate => rows.unrequiredChildIndex.isEmpty
    case join: Join => join.children.exists(!_.isStreaming)
    case _ => false
  })

  /** @param wanted what the operators above use */
  private def narrowed(plan: LogicalPlan, wanted: AttributeSet): LogicalPlan = plan match {
    case still if !still.isStreaming => still
    case stream: StreamingRelationV2 =>
      stream.table match {
        case table: TopicTable => only(stream, table, wanted)
        case _ => stream
      }
    case Project(list, child) =>
      val kept = list.filter(e => wanted.contains(e.toAttribute) || !e.deterministic)
      Project(kept, narrowed(child, AttributeSet(kept.flatMap(_.references))))
    case groups: Aggregate => groups.mapChildren(narrowed(_, groups.references))
    case other => other.mapChildren(narrowed(_, wanted ++ other.references))
  }

  private def only(stream: StreamingRelationV2, table: TopicTable, wanted: AttributeSet): LogicalPlan = {
    // With a row time, the column that ROWTIME is read from may be bad, so ROWTIME stays.
    val isTimed = RowTime.of(table.topic).isDefined
    def isTime(a: Attribute) = a.name == PseudoColumns.rowTime.name
    val (declared, hidden) = stream.output.splitAt(table.topic.columns.size)
    val kept = hidden.filter(a => wanted.contains(a) || isTimed && isTime(a))
    val names = kept.map(_.name).toSet
    if (table.hidden.contains(names) || isTimed && !hidden.exists(isTime)) stream
    else {
      // By makeCopy, because the relation's parameters differ between Spark's versions.
      stream.makeCopy(stream.productIterator.map {
        case _: TopicTable => table.showing(names)
        case all: Seq[_] if all eq stream.output => declared ++ kept
        case part => part.asInstanceOf[AnyRef]
      }.toArray)
    }
  }
}
