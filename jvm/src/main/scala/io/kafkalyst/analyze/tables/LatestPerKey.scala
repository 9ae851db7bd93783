package io.kafkalyst.analyze
package tables

import io.kafkalyst.catalog.TopicTable
import io.kafkalyst.metadata.{MetadataKeys, PseudoColumns}
import io.kafkalyst.model.{Side, TopicColumn}
import org.apache.spark.sql.catalyst.analysis.MultiInstanceRelation
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.MaxBy
import org.apache.spark.sql.catalyst.plans.logical._

/**
 * A table's rows from its topic, which holds its changes. A bounded read returns the last change of each key by offset,
 * and no row if that is a tombstone; an unbounded read returns the changes. Both ignore records without a key.
 */
object LatestPerKey {

  /** @param columns the topic's columns, which come first in the relation's output, before the hidden ones */
  def apply(relation: LogicalPlan, columns: Seq[TopicColumn]): LogicalPlan = {
    val isKey = (place: Int) => place < columns.size && PseudoColumns.isKey(columns(place))
    if (relation.isStreaming) Filter(hasKey(relation.output, columns), relation)
    else {
      // The rows below get new ids, so that those above can have the relation's ids.
      val changes = ofLatest(relation) match {
        case r: MultiInstanceRelation => exposed(r.newInstance())
        case other => other
      }
      val source = changes.output
      val order = CreateNamedStruct(place(source).flatMap(a => Seq(Literal(a.name), a)))
      def last(a: Attribute) = MaxBy(a, order).toAggregateExpression()
      val rows = relation.output.zipWithIndex.map { case (a, place) =>
        val change = if (place < columns.size) source(place) else source.find(_.name == a.name).get
        Alias(if (isKey(place)) change else last(change), a.name)(a.exprId, a.qualifier, Some(a.metadata))
      }
      val deleted = Alias(last(own(source, MetadataKeys.tombstone.name).get), PseudoColumns.tombstone.name)()
      val keys = columns.indices.filter(isKey).map(source)
      val latest = Aggregate(keys, rows :+ deleted, Filter(hasKey(source, columns), changes))
      Project(relation.output, Filter(Not(deleted.toAttribute), latest))
    }
  }

  /** Allows the scan to skip records that a later record of the same key supersedes. */
  private def ofLatest(relation: LogicalPlan) = relation.makeCopy(relation.productIterator.map {
    case table: TopicTable => table.latest
    case other => other.asInstanceOf[AnyRef]
  }.toArray)

  /** The column of a metadata key. */
  private[analyze] def own(output: Seq[Attribute], key: String): Option[Attribute] = output.find(isOf(_, key))

  /** Whether the attribute is the column of a metadata key, under any name. */
  private[tables] def isOf(a: Attribute, key: String): Boolean =
    TopicColumn.of(a).metadata.exists(_.key == key)

  /** A read of a topic with its metadata columns. */
  private[analyze] def exposed(relation: LogicalPlan): LogicalPlan = relation match {
    case exposing: ExposesMetadataColumns => exposing.withMetadataColumns()
    case other => other
  }

  /**
   * The columns that order the changes of a key. The partition breaks ties, because a key in two partitions can have
   * equal offsets; the change index orders the changes of one event, which share an offset.
   */
  private[analyze] def place(output: Seq[Attribute]): Seq[Attribute] =
    Seq(MetadataKeys.offset.name, MetadataKeys.partition.name).map(own(output, _).get) ++
      PseudoColumns.change.metadata.flatMap(change => own(output, change.key))

  /** A key of several columns is missing only if all of them are null. */
  private[tables] def hasKey(output: Seq[Attribute], columns: Seq[TopicColumn]): Expression =
    output.zip(columns).collect { case (a, column) if column.isIn(Side.Key) => IsNotNull(a): Expression }.reduce(Or)
}
