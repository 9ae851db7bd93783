package io.kafkalyst.streams

import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.errors.KafkalystException
import io.kafkalyst.metadata.{MetadataKeys, PseudoColumns}
import io.kafkalyst.model.{ObjectKind, TopicColumn}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{Filter, Join, LogicalPlan}
import org.apache.spark.sql.connector.catalog.Table

/**
 * A stream of change data capture. Its rows are changes: an update is the row as it was and the row as it is. A query
 * that names none of the columns that tell them apart means the rows; one that does means the changes.
 */
object ChangeStream {
  private val telling = Seq(PseudoColumns.op, PseudoColumns.change, PseudoColumns.tombstone)
  private val names = telling.map(_.name.toLowerCase)
  private val keys = telling.flatMap(_.metadata).map(_.key)

  def is(table: Table): Boolean = table match {
    case t: TopicTable => t.topic.value.isEvent && t.topic.kind == ObjectKind.Stream
    case _ => false
  }

  /** Whether a resolved query uses the columns that tell changes apart: by their own names, or to choose rows. */
  def isNamed(query: LogicalPlan): Boolean = {
    val used = UsedColumns(query)
    query.collectLeaves().exists(_.output.exists(a => names.contains(a.name.toLowerCase) && used(a))) ||
    query.exists(node => node.isInstanceOf[Filter] && node.references.exists(tells))
  }

  /** Whether a column tells changes apart, under any name. */
  private[kafkalyst] def tells(a: Attribute): Boolean = keyOf(a).exists(keys.contains)

  /** Whether a column differs between the record that adds a row and the one that deletes it. */
  private[kafkalyst] def isOfRecord(a: Attribute): Boolean = keyOf(a).exists(key => ofRecord.exists(key.endsWith))

  private val ofRecord = Seq(
    MetadataKeys.timestamp,
    MetadataKeys.offset,
    MetadataKeys.headers,
    MetadataKeys.headerList,
    MetadataKeys.leaderEpoch
  ).map(_.name) :+ "source.properties"

  private def keyOf(a: Attribute) = TopicColumn.of(a).metadata.map(_.key)

  /** INT: 1 for a row that is added, -1 for one that is deleted or replaced. */
  def sign(op: Expression): Expression = If(In(op, Seq("+I", "+U").map(Literal(_))), Literal(1), Literal(-1))

  /** Throws CHANGES_AS_ROWS for a query without end that joins the rows of a stream of changes. */
  def checkJoined(query: LogicalPlan): Unit =
    if (query.exists(node => node.isInstanceOf[Join] && node.isStreaming) && !isNamed(query))
      in(query).foreach(refuse(_, "joined"))

  /** The first stream of changes that a query reads without end. */
  private[streams] def in(query: LogicalPlan): Option[TopicTable] = AnalyzedQuery.sources(query).find(is)

  /**
   * @param doing what the query does, after "deleted and replaced rows would be"
   * @throws io.kafkalyst.errors.KafkalystException CHANGES_AS_ROWS
   */
  private[streams] def refuse(source: TopicTable, doing: String): Nothing =
    throw KafkalystException("CHANGES_AS_ROWS", "source" -> source.name, "doing" -> doing)
}
