package io.kafkalyst.metadata

import io.kafkalyst.errors.KafkalystTaskException
import io.kafkalyst.model.TopicColumn
import org.apache.kafka.clients.consumer.ConsumerRecord
import org.apache.spark.sql.catalyst.InternalRow

/**
 * Fills the metadata columns of a row from its record. Not thread-safe: one per task.
 *
 * @param columns metadata columns with their ordinals in the row
 * @param written a column's type as its statement declares it; empty if that adds nothing to the type
 * @param zone    the session's time zone, for casts
 */
final class MetadataReader(columns: Seq[(TopicColumn, Int)], written: TopicColumn => String, zone: String) {
  private final class Fill(val column: TopicColumn, val ordinal: Int) {
    val form: MetadataForm = column.metadata.flatMap(m => MetadataKeys.of(m.key)).flatMap(_.readAs(column.dataType)).get
    val cast: MetadataCast =
      Some(new MetadataCast(form.dataType, column.dataType, written(column), zone)).filterNot(_.isIdentity).orNull
  }

  private val fills = columns.map { case (column, ordinal) => new Fill(column, ordinal) }.toArray

  /** @throws io.kafkalyst.errors.KafkalystTaskException METADATA_NOT_CASTABLE if a value does not fit its column */
  def fill(record: ConsumerRecord[_, _], row: InternalRow): Unit = {
    var i = 0
    while (i < fills.length) {
      val fill = fills(i)
      val value = read(fill, record)
      if (value == null) row.setNullAt(fill.ordinal) else row.update(fill.ordinal, value)
      i += 1
    }
  }

  private def read(fill: Fill, record: ConsumerRecord[_, _]): Any =
    try {
      val native = fill.form.read(record)
      if (fill.cast == null || native == null) native else fill.cast(native)
    } catch {
      case e: Exception =>
        throw KafkalystTaskException(
          e,
          "METADATA_NOT_CASTABLE",
          "column" -> fill.column.name,
          "key" -> fill.column.metadata.fold("")(_.key),
          "type" -> fill.column.dataType.sql,
          "topic" -> record.topic,
          "partition" -> record.partition.toString,
          "offset" -> record.offset.toString,
          "reason" -> String.valueOf(e.getMessage)
        )
    }
}
