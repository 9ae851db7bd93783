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
    else sourceOf(query).map { source =>
      val takesThem = sink.topic.kind == ObjectKind.Table || sink.topic.value.isEvent
      val rows = if (takesThem) carried(query) else None
      rows.getOrElse(throw refused(sink.name, source))
    }

  /** Rejects a query for a sink that has no deletes: INSERT_OF_CHANGES. */
  def refuse(query: LogicalPlan, sink: => String): Unit =
    if (!ChangeStream.namesChanges(query)) sourceOf(query).foreach(source => throw refused(sink, source))

  private def refused(sink: String, source: TopicTable) =
    KafkalystException("INSERT_OF_CHANGES", "object" -> sink, "source" -> source.name)

  /** The stream whose changes the query sees, see [[NetRows]]; None if it sees rows only. */
  private def sourceOf(query: LogicalPlan): Option[TopicTable] = {
    lazy val asChanges = NetRows.uncombined(query)
    query.collectLeaves().flatMap(leaf => changesOf(leaf).map(leaf -> _)).collectFirst {
      case (leaf, (stream, isExposed))
          if isExposed || !ChangeStream.combinesRows(stream) || asChanges.exists(_ eq leaf) => stream
    }
  }

  /**
   * The change stream of a leaf, and whether its hidden columns are read. Plans that were analysed earlier, such as
   * views or DataFrames, contain the relation itself.
   */
  private def changesOf(leaf: LogicalPlan): Option[(TopicTable, Boolean)] = leaf match {
    case read: TopicRelation => changesOf(read.relation).map { case (stream, _) => (stream, read.exposed) }
    case relation: DataSourceV2Relation if ChangeStream.is(relation.table) =>
      val stream = relation.table.asInstanceOf[TopicTable]
      Some((stream, relation.output.size > stream.topic.columns.size))
    case _ => None
  }

  private def carried(query: LogicalPlan): Option[(LogicalPlan, Attribute)] =
    CarriedUp[Attribute](query, passes, Seq(_)) {
      case relation: LeafNode with ExposesMetadataColumns =>
        val exposed = relation.withMetadataColumns()
        exposed.output.find(_.name.equalsIgnoreCase(PseudoColumns.tombstone.name)).map(exposed -> _)
      case _ => None
    }

  private def passes(node: LogicalPlan): Boolean = node match {
    case _: Filter | _: SubqueryAlias | _: View => true
    case _ => false
  }
}
