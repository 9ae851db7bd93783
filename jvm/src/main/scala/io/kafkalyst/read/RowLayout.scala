package io.kafkalyst.read

import io.kafkalyst.formats.{Decoder, Target}
import io.kafkalyst.formats.events.EventDecoder
import io.kafkalyst.metadata.{PseudoColumns, RowTime}
import io.kafkalyst.model.{ErrorColumn, ObjectKind, Side, SideFormat, TopicColumn, TopicObject}
import io.kafkalyst.names.InternalSchema
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{DataType, StructField, StructType}

/**
 * The row that a task fills: the required fields, followed by the columns that these are computed from.
 *
 * @param asked the required fields under Spark's names, with nested fields pruned
 */
private[read] final class RowLayout(topic: TopicObject, asked: StructType) {
  private val declared = InternalSchema.of(topic.columns)
  private val hidden = PseudoColumns.hidden(topic)

  /** Ordinal of the error column, which covers the whole record; -1 if it is not required. */
  val errorAt: Int = hiddenAt(ErrorColumn.name)

  /** The column that ROWTIME is read from, if ROWTIME is required and is not the record's own timestamp. */
  val rowTime: Option[RowTime] = RowTime.of(topic).filter(_ => hiddenAt(PseudoColumns.rowTime.name) >= 0)
  val rowTimeAt: Int = rowTime.fold(-1)(_ => hiddenAt(PseudoColumns.rowTime.name))

  /** All fields of the row: Spark's required ones, then the additional ones. */
  val fields: Seq[StructField] = asked ++ declared.zip(topic.columns).collect {
    case (field, column)
        if (errorAt >= 0 || rowTime.exists(_.column == column) || (topic.verifiesKey && column.isIn(Side.Key)) ||
          isChecked(column)) &&
          !asked.exists(_.name == field.name) =>
      field
  }

  /** Whether a bad field of the column drops its record, so that the column is decoded even if it is not required. */
  private def isChecked(column: TopicColumn): Boolean = Side.all.exists { side =>
    topic.isIn(column, side) && topic.skipsBad(side) &&
    !topic.format(side).isSet(SideFormat.nullBadFields)
  }

  def types: Seq[DataType] = fields.map(_.dataType)

  /** The topic's columns among the fields, with their ordinals; a pruned column has its pruned type. */
  val columns: Seq[(TopicColumn, Int)] = fields.zipWithIndex.filter(_._2 != errorAt).map { case (field, ordinal) =>
    val at = declared.fieldNames.indexOf(field.name)
    val column =
      if (at < 0) TopicColumn.of(hidden.find(_.name == field.name).get)
      else {
        val full = topic.columns(at)
        full.copy(dataType = InternalSchema.external(field.dataType, declared(at).dataType, full.dataType))
      }
    column -> ordinal
  }

  /** Ordinal of the column for the value's fields without a column; -1 if it is not required. */
  val rescuedAt: Int = columns.collectFirst { case (c, ordinal) if PseudoColumns.isRescued(c) => ordinal }.getOrElse(-1)

  /** The columns that a side's decoder fills. */
  def targets(side: Side): Array[Target] = columns.collect {
    case (column, ordinal) if topic.isIn(column, side) =>
      Target(topic.named(column, side).name, column.dataType, ordinal)
  }.toArray

  /** Whether a side's bytes may be several rows, or none: events, and arrays in a stream that reads as Flink does. */
  def hasRows(side: Side): Boolean = side == Side.Value &&
    (topic.value.isEvent || topic.kind == ObjectKind.Stream && topic.value.isSet(SideFormat.coerce))

  /**
   * The column to decode when none of the side is required: if the side's own option skips bad records, they change the
   * number of rows. Events are always decoded.
   */
  def checked(side: Side): Option[Target] = {
    val isUnread = targets(side).isEmpty && rescuedAt < 0 && !topic.format(side).isEvent
    topic.columns(side).headOption.filter(_ => isUnread && topic.skipsBad(side)).map(c => Target(c.name, c.dataType, 0))
  }

  /** The additional columns that an event decoder fills, by the names of the format's keys. */
  def events: Array[Target] = columns.flatMap { case (column, ordinal) =>
    PseudoColumns.eventKey(topic, column).map(Target(_, column.dataType, ordinal, written(column)))
  }.toArray

  /** The columns that come from the record itself, outside its key and value. */
  def around: Seq[(TopicColumn, Int)] = columns.filter { case (column, _) =>
    column.metadata.isDefined && !PseudoColumns.isRescued(column) && PseudoColumns.eventKey(topic, column).isEmpty
  }

  /** A column's type as its statement declares it; empty if that adds nothing to the type. */
  def written(column: TopicColumn): String = topic.written(column).fold("")(_.written)

  private def hiddenAt(name: String) =
    if (hidden.exists(_.name == name)) asked.fieldNames.indexOf(name) else -1
}

/**
 * The decoder of one side and the ordinals that it fills.
 *
 * @param into    the row to fill; a separate one if the side is only checked
 * @param schemas null if the format has no schemas
 * @param header  name of the header that carries a record's schema id
 */
private[read] final class SideReader(
    val decoder: Decoder,
    val into: InternalRow,
    ordinals: Array[Int],
    own: Array[Int],
    val schemas: HeaderSchemas,
    val header: String
) {
  def clear(row: InternalRow): Unit = ordinals.foreach(row.setNullAt)

  val events: EventDecoder = decoder match {
    case changes: EventDecoder => changes
    case _ => null
  }

  /** If the value is missing, the key's columns keep the key's values. */
  def clearOwn(row: InternalRow): Unit = own.foreach(row.setNullAt)
}
