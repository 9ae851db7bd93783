package io.kafkalyst.formats
package events

import io.kafkalyst.metadata.MetadataCast
import io.kafkalyst.model.{Side, SideFormat}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/**
 * Shared code of event decoders. In a table, an update that keeps the row's key is one change, the row after it; in a
 * stream, every update is two.
 *
 * @tparam R a row within an event
 */
private[formats] abstract class ChangesDecoder[R](request: DecodeRequest, format: EventFormat) extends EventDecoder {
  private val upserts = request.format.options.get(SideFormat.events).contains(SideFormat.upserts)
  private val asked = request.event.map(new AskedKey(_))
  private var changes: IndexedSeq[(ChangeKind, R)] = IndexedSeq.empty
  private var at = 0

  /** The names of a table's key columns. */
  protected val keyNames: Seq[String] = request.declared.filter(_.side == Side.Key).map(_.name)

  /**
   * The changes of an event.
   *
   * @throws BadBytes if the bytes are not such an event
   */
  protected def changesOf(bytes: Array[Byte], offset: Int, length: Int): Seq[(ChangeKind, R)]

  /** Sets the required columns; BadBytes if one does not fit. */
  protected def fill(change: R, row: InternalRow): Unit

  /** The values of the key's columns. */
  protected def keyOf(change: R): InternalRow

  /** The last event's value of one of the format's metadata keys, in the key's type; null if absent. */
  protected def about(key: EventKey): Any

  override def isEmpty: Boolean = changes.isEmpty

  override def decode(bytes: Array[Byte], offset: Int, length: Int, row: InternalRow): Unit = {
    changes = IndexedSeq.empty
    asked.foreach(_.forget())
    val read = changesOf(bytes, offset, length).toIndexedSeq
    val all = if (upserts) upserted(read) else read
    // All changes are decoded before the first row is returned: the record is good or bad as a whole.
    all.indices.reverse.foreach(i => set(all(i), i, row))
    changes = all
    at = 1
  }

  override def hasNext: Boolean = at < changes.size

  override def next(row: InternalRow): Boolean = hasNext && {
    set(changes(at), at, row)
    at += 1
    true
  }

  override def restart(): Unit = at = 0

  override def clear(): Unit = changes = IndexedSeq.empty

  private def set(change: (ChangeKind, R), place: Int, row: InternalRow): Unit = {
    fill(change._2, row)
    asked.foreach(_.fill(change._1, place, row))
  }

  private def upserted(all: IndexedSeq[(ChangeKind, R)]): IndexedSeq[(ChangeKind, R)] =
    all.indices.filter { i =>
      all(i)._1 != ChangeKind.UpdateBefore || i + 1 == all.size || keyOf(all(i)._2) != keyOf(all(i + 1)._2)
    }.map(all)

  /**
   * The changes of an update.
   *
   * @param before null if the event has none, as databases omit it by default
   * @throws BadBytes if `before` is missing but needed to identify the replaced row
   */
  protected def update(before: R, after: R): Seq[(ChangeKind, R)] = {
    if (after == null) throw new BadBytes("an update without the row after it")
    if (before != null) Seq(ChangeKind.UpdateBefore -> before, ChangeKind.UpdateAfter -> after)
    else if (upserts) Seq(ChangeKind.UpdateAfter -> after)
    else throw new BadBytes(
      "an update without the row before it. Let the database log whole rows (PostgreSQL: REPLICA IDENTITY FULL), " +
        "or declare a TABLE, which needs the row after it only"
    )
  }

  protected def insert(after: R): Seq[(ChangeKind, R)] =
    if (after == null) throw new BadBytes("an insert without its row") else Seq(ChangeKind.Insert -> after)

  protected def delete(before: R): Seq[(ChangeKind, R)] =
    if (before == null) throw new BadBytes("a delete without the row that it deletes")
    else Seq(ChangeKind.Delete -> before)

  private final class AskedKey(target: Target) {
    private val key = format.keys.find(_.name == target.name)
    private val cast: MetadataCast = key.map { own =>
      new MetadataCast(own.dataType, target.dataType, target.written, SQLConf.get.sessionLocalTimeZone)
    }.filterNot(_.isIdentity).orNull

    // Computed once per event: all its changes share the value, which may be as large as the event.
    private var ofEvent: Any = _
    private var isKnown = false

    def forget(): Unit = {
      ofEvent = null
      isKnown = false
    }

    def fill(kind: ChangeKind, place: Int, row: InternalRow): Unit = {
      val value = key match {
        case None => casted(kind.gone)
        case Some(EventKey.op) => casted(kind.text)
        case Some(EventKey.change) => casted(place)
        case Some(own) =>
          if (!isKnown) ofEvent = casted(read(own))
          isKnown = true
          ofEvent
      }
      if (value == null) row.setNullAt(target.ordinal) else row.update(target.ordinal, value)
    }

    private def read(own: EventKey): Any =
      try about(own)
      catch {
        case e @ (_: ArithmeticException | _: NumberFormatException) =>
          throw new BadBytes(s"key value.${target.name}: ${e.getMessage}", e)
      }

    private def casted(value: Any): Any =
      if (cast == null || value == null) value
      else if (key.exists(_.dataType == TimestampType) && target.dataType == LongType) {
        Math.floorDiv(value.asInstanceOf[Long], 1000L)
      } else {
        try cast(value)
        catch { case e: Exception => throw new BadBytes(s"key value.${target.name}: ${e.getMessage}", e) }
      }
  }
}
