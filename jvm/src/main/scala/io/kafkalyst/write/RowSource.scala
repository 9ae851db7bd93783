package io.kafkalyst.write

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.{StructField, StructType}

/**
 * Names the record from which a row was made, for errors.
 *
 * @param partition ordinal of the INT column with the record's partition
 * @param offset    ordinal of the BIGINT column with the record's offset
 */
private[write] final case class RowSource(topic: String, partition: Int, offset: Int) {
  def of(row: InternalRow): String =
    s"The row was made from topic $topic, partition ${row.getInt(partition)}, offset ${row.getLong(offset)}."
}

private[write] object RowSource {
  private val names = Set(SinkColumns.sourcePartition, SinkColumns.sourceOffset)

  def isPart(field: StructField): Boolean = names(field.name) && field.metadata.contains(SinkColumns.sourceTopic)

  /** None if the rows do not have these columns. */
  def in(rows: StructType): Option[RowSource] = {
    def ordinal(name: String) = rows.indexWhere(f => f.name == name && isPart(f))
    val (partition, offset) = (ordinal(SinkColumns.sourcePartition), ordinal(SinkColumns.sourceOffset))
    if (partition < 0 || offset < 0) None
    else Some(RowSource(rows(partition).metadata.getString(SinkColumns.sourceTopic), partition, offset))
  }
}
