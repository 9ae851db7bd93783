package io.kafkalyst.analyze
package sinks

import io.kafkalyst.analyze.tables.TopicRelation
import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.metadata.PseudoColumns
import io.kafkalyst.model.ObjectKind
import io.kafkalyst.streams.ChangeStream
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation

/**
 * The rows of a change stream, as a statement writes them: a deleted row is a tombstone in a keyed table, and a stream
 * cannot store it. If the query itself reads the change columns, it is written unchanged.
 */
private[analyze] object WrittenChanges {

  /**
   * The query with the column that marks deleted rows; None if it reads no changes, or uses the change columns itself.
   *
   * @throws io.kafkalyst.errors.KafkalystException INSERT_OF_CHANGES if the sink or the query cannot represent deletes
   */
  def apply(query: LogicalPlan, sink: TopicTable): Option[(LogicalPlan, Attribute)] =
    if (ChangeStream.namesChanges(query)) None
    else sourcesOf(query).headOption.map { source =>
      val takesThem = sink.topic.kind == ObjectKind.Table || sink.topic.value.isEvent
      val rows = if (takesThem) carried(query) else None
      rows.getOrElse(throw KafkalystException("INSERT_OF_CHANGES", "object" -> sink.name, "source" -> source.name))
    }

  /** The streams whose changes the query sees, see [[NetRows]]. */
  private def sourcesOf(query: LogicalPlan): Seq[TopicTable] = {
    val asChanges = NetRows.uncombined(query)
    query.collectLeaves().collect {
      case read: TopicRelation => (read.relation, read.exposed || asChanges.exists(_ eq read))
    }.collect { case (relation: DataSourceV2Relation, hasChanges) => (relation.table, hasChanges) }
      .collect {
        case (t: TopicTable, hasChanges) if ChangeStream.is(t) && (hasChanges || !ChangeStream.combinesRows(t)) => t
      }
  }

  private def carried(query: LogicalPlan): Option[(LogicalPlan, Attribute)] =
    CarriedUp[Attribute](query, o => o.isInstanceOf[Filter] || o.isInstanceOf[SubqueryAlias], Seq(_)) {
      case relation: TopicRelation =>
        val exposed = relation.withMetadataColumns()
        exposed.output.find(_.name.equalsIgnoreCase(PseudoColumns.tombstone.name)).map(exposed -> _)
      case _ => None
    }
}
