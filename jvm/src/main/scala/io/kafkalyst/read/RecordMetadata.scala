package io.kafkalyst.read

import io.kafkalyst.errors.KafkalystTaskException
import io.kafkalyst.metadata.{MetadataReader, PseudoColumns, RowTime, RowTimeReader}
import io.kafkalyst.model.{OnError, TopicColumn}
import org.apache.kafka.clients.consumer.ConsumerRecord
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructField

/**
 * What the asked columns want of a record besides key and value. Where ROWTIME is the value of a column that is not
 * asked for itself, that column stands behind the asked ones in the row.
 */
private[read] final class RecordMetadata(factory: TopicReaderFactory) {
  private val asked = factory.asked.fields.toSeq
  private val topic = factory.topic

  // ROWTIME of an object with the property TIMESTAMP: its place in the row.
  private val rowTime: Option[(RowTime, Int)] = RowTime.of(topic).flatMap { of =>
    Some(asked.indexWhere(f => TopicColumn.of(f) == PseudoColumns.rowTime)).filter(_ >= 0).map(of -> _)
  }

  /** The fields of the row: those asked for, and what ROWTIME is read from. */
  val fields: Seq[StructField] =
    asked ++ rowTime.collect { case (of, _) if !asked.exists(_.name == of.column.name) => of.column.field }

  private val columns = fields.map(TopicColumn.of)
  private val reader = new MetadataReader(
    columns.zipWithIndex.filter { case (c, i) => c.metadata.isDefined && !rowTime.exists(_._2 == i) },
    factory.zone
  )
  private val time: RowTimeReader = rowTime.fold[RowTimeReader](null)(_._1.on(columns, factory.zone))
  private val timeAt = rowTime.fold(-1)(_._2)

  /**
   * Fills the row's metadata columns, after its other columns. False where the record has no ROWTIME and the object's
   * policy is to skip.
   *
   * @throws io.kafkalyst.errors.KafkalystTaskException METADATA_NOT_CASTABLE; ROWTIME_NOT_READABLE under ON_ERROR=fail
   */
  def fill(record: ConsumerRecord[_, _], row: InternalRow): Boolean = {
    reader.fill(record, row)
    if (time == null) true
    else time.fill(row, timeAt) match {
      case None => true
      case Some(_) if topic.onError == OnError.Skip => false
      case Some(reason) =>
        throw KafkalystTaskException(
          null,
          "ROWTIME_NOT_READABLE",
          "topic" -> record.topic,
          "partition" -> record.partition.toString,
          "offset" -> record.offset.toString,
          "reason" -> reason
        )
    }
  }
}
