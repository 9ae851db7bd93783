package io.kafkalyst.read

import java.nio.ByteBuffer

import io.kafkalyst.formats.BadBytes
import io.kafkalyst.metadata.{MetadataReader, RowTimeReader}
import io.kafkalyst.model.Side
import org.apache.kafka.clients.consumer.ConsumerRecord
import org.apache.spark.sql.catalyst.InternalRow

/**
 * Fills the columns of a row that come from neither key nor value.
 *
 * @param zone the session's time zone
 */
private[read] final class RecordMetadata(layout: RowLayout, zone: String) {
  private val timeAt = layout.rowTimeAt
  private val reader = new MetadataReader(
    layout.around.filter(_._2 != timeAt),
    layout.written,
    zone
  )
  private val timeColumn = layout.rowTime.map(of => layout.columns.find(c => of.isOf(c._1)).get)
  private val time: RowTimeReader =
    layout.rowTime.zip(timeColumn).fold[RowTimeReader](null) { case (of, column) => of.on(column._2, zone) }
  private val isOfValue = timeColumn.exists(_._1.isIn(Side.Value))

  /**
   * Fills the row's metadata columns, after its other columns. The ROWTIME of a tombstone is the record's own time if it
   * is otherwise in the value.
   *
   * @return null on success; else the fault of a record without ROWTIME, whose column is then null
   * @throws io.kafkalyst.errors.KafkalystTaskException METADATA_NOT_CASTABLE
   */
  def fill(record: ConsumerRecord[ByteBuffer, ByteBuffer], row: InternalRow): BadSide = {
    reader.fill(record, row)
    if (time == null) null
    else if (isOfValue && record.value == null) {
      row.setLong(timeAt, record.timestamp)
      null
    } else time.fill(row, timeAt) match {
      case None => null
      case Some(reason) =>
        row.setNullAt(timeAt)
        BadSide(Side.Value, record.value, new BadBytes(reason), isTime = true)
    }
  }
}
