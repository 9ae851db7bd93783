package io.kafkalyst.joins

import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.EventTimeWatermark
import org.apache.spark.sql.types.{Metadata, MetadataBuilder}

/**
 * The mark with which Spark recognises a column with a watermark: the delay in milliseconds, in the column's metadata.
 */
private[kafkalyst] object WatermarkMark {
  def isOn(a: Attribute): Boolean = a.metadata.contains(EventTimeWatermark.delayKey)

  /** The delay of a column that has the mark. */
  def delay(a: Attribute): Long = a.metadata.getLong(EventTimeWatermark.delayKey)

  def put(a: Attribute, delay: Long): Attribute =
    a.withMetadata(copy(a).putLong(EventTimeWatermark.delayKey, delay).build())

  /** The column's metadata without the mark. */
  def without(a: Attribute): Metadata = copy(a).remove(EventTimeWatermark.delayKey).build()

  private def copy(a: Attribute) = new MetadataBuilder().withMetadata(a.metadata)
}
