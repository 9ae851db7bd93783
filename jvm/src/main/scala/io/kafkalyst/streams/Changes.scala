package io.kafkalyst.streams

import io.kafkalyst.metadata.{PseudoColumns, WindowedKey}
import io.kafkalyst.write.SinkColumns
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types.MetadataBuilder

/**
 * A query's result as the records of a sink: the plan with the record metadata around its columns.
 *
 * @param rowTime   milliseconds: a row's own time, or the latest of a group; None if unknown
 * @param tombstone whether the row deletes its key; set only if the result is a table
 * @param window    start and end of the windowed key; empty if keys have no window
 * @param absent    whether the record had no value; set only for a stream's own records
 * @param order     the position of a table's change among those of its key, BIGINT or ARRAY<BIGINT>
 * @param headers   of the record that a row was made from, the last one for a join; None for groups
 * @param source    the record that a row was made from; None for joins and groups
 */
final case class Changes(
    plan: LogicalPlan,
    rowTime: Option[Attribute] = None,
    tombstone: Option[Attribute] = None,
    window: Seq[Attribute] = Nil,
    absent: Option[Attribute] = None,
    order: Option[Attribute] = None,
    headers: Option[Attribute] = None,
    source: Option[SourceRecord] = None
) {
  def isTable: Boolean = tombstone.isDefined

  /** The metadata columns, under the names by which the sink takes them. */
  def around: Seq[(String, Attribute)] = rowTime.map(PseudoColumns.rowTime.name -> _).toSeq ++
    tombstone.orElse(absent).map(PseudoColumns.tombstone.name -> _) ++
    WindowedKey.columns(None).map(_.name).zip(window) ++ headers.map(PseudoColumns.headers.name -> _)

  private[streams] def attributes: Seq[Attribute] =
    rowTime.toSeq ++ tombstone ++ window ++ absent ++ order ++ headers ++
      source.toSeq.flatMap(_.attributes)
}

/** The record that a row was made from, so that errors can name it: INT partition and BIGINT offset in one topic. */
final case class SourceRecord(topic: String, partition: Attribute, offset: Attribute) {
  private[streams] def attributes: Seq[Attribute] = Seq(partition, offset)
}

object Changes {
  private val carried = "kafkalyst.carried"

  /** The columns by which a sink's errors name the source record. */
  private[streams] def placing(source: SourceRecord): Seq[NamedExpression] = {
    val mark = new MetadataBuilder().withMetadata(carriedMark).putString(SinkColumns.sourceTopic, source.topic).build()
    Seq(SinkColumns.sourcePartition -> source.partition, SinkColumns.sourceOffset -> source.offset).map {
      case (name, a) => Alias(a, name)(explicitMetadata = Some(mark))
    }
  }

  /** Marks a metadata column of a result, as opposed to one of the sink's columns. */
  private[streams] val carriedMark = new MetadataBuilder().putBoolean(carried, true).build()

  def isCarried(metadata: org.apache.spark.sql.types.Metadata): Boolean = metadata.contains(carried)
}
