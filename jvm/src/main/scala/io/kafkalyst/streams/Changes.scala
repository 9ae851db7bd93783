package io.kafkalyst.streams

import io.kafkalyst.metadata.{PseudoColumns, WindowedKey}
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.types.{Metadata, MetadataBuilder}

/**
 * A query's result as the records of a sink: the plan with the record metadata around its columns.
 *
 * @param rowTime   milliseconds: a row's own time, or the latest of a group; None if unknown
 * @param tombstone whether the row deletes its key; set only if the result is a table
 * @param window    start and end of the windowed key; empty if keys have no window
 * @param absent    whether the record had no value; set only for a stream's own records
 * @param order     the position of a table's change among those of its key, BIGINT or ARRAY<BIGINT>
 * @param headers   the headers of the record from which a row was made, in a join the last record's; None for groups
 * @param source    the record from which a row was made; None for joins and groups
 * @param op        the kind of the row's change; set only for a [[ChangeStream]] whose changes the query does not name
 */
final case class Changes(
    plan: LogicalPlan,
    rowTime: Option[Attribute] = None,
    tombstone: Option[Attribute] = None,
    window: Seq[Attribute] = Nil,
    absent: Option[Attribute] = None,
    order: Option[Attribute] = None,
    headers: Option[Attribute] = None,
    source: Option[SourceRecord] = None,
    op: Option[Attribute] = None
) {
  def isTable: Boolean = tombstone.isDefined

  /** Whether the record had no value and so is not a row; a deleted row of a [[ChangeStream]] is a row. */
  private[streams] def empty: Option[Attribute] = absent.filter(_ => op.isEmpty)

  /** The metadata columns, under the names that the sink expects. */
  def around: Seq[(String, Attribute)] = rowTime.map(PseudoColumns.rowTime.name -> _).toSeq ++
    tombstone.orElse(absent).map(PseudoColumns.tombstone.name -> _) ++
    WindowedKey.columns(None).map(_.name).zip(window) ++ headers.map(PseudoColumns.headers.name -> _)

  private[streams] def attributes: Seq[Attribute] =
    rowTime.toSeq ++ tombstone ++ window ++ absent ++ order ++ headers ++ op ++
      source.toSeq.flatMap(_.attributes)
}

object Changes {
  private val carried = "kafkalyst.carried"

  /** Marks a metadata column of a result, as opposed to one of the sink's columns. */
  private[streams] val carriedMark = new MetadataBuilder().putBoolean(carried, true).build()

  def isCarried(metadata: Metadata): Boolean = metadata.contains(carried) || SourceRecord.isPart(metadata)
}
