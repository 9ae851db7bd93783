package io.kafkalyst.read

import io.kafkalyst.bridge.RealTime
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.SpecificInternalRow
import org.apache.spark.sql.connector.read.{InputPartition, PartitionReader, PartitionReaderFactory}
import org.apache.spark.sql.vectorized.ColumnarBatch

/** Creates the tasks' readers: of rows, of batches of columns, or of the number of rows alone. */
private[read] final case class TopicReaderFactory(reading: TopicReading) extends PartitionReaderFactory {
  override def createReader(partition: InputPartition): PartitionReader[InternalRow] = partition match {
    case part: TopicInputPartition =>
      val reader = new TopicPartitionReader(reading, part, new SpecificInternalRow(reading.layout.types))
      if (part.isOpen) RealTime.reader(reader)
      else if (reading.isCounted) new RowCountReader(reader)
      else reader
    case older: OlderInputPartition => new OlderReader(reading, older)
    case RowCount.OfNothing => new RowCountReader(RowCount.Nothing)
  }

  override def createColumnarReader(partition: InputPartition): PartitionReader[ColumnarBatch] =
    new TopicBatchReader(reading, partition.asInstanceOf[TopicInputPartition])

  override def supportColumnarReads(partition: InputPartition): Boolean = partition match {
    case part: TopicInputPartition => reading.isColumnar && !part.isOpen && !part.inRows
    case _ => false
  }
}
