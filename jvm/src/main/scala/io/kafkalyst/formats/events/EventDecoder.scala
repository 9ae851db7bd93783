package io.kafkalyst.formats
package events

import org.apache.spark.sql.catalyst.InternalRow

/**
 * Reads values that contain several rows: events, and arrays of rows. [[decode]] sets a row to the value's first row
 * (of an event, its first change), [[next]] to each following one.
 */
private[kafkalyst] trait EventDecoder extends Decoder {

  /** Whether the last decoded value has no rows. */
  def isEmpty: Boolean

  /** Whether a row is left. */
  def hasNext: Boolean

  /** Sets the row's targets to the next row; false if none is left. */
  def next(row: InternalRow): Boolean

  /** Makes [[next]] return the value's first row again. */
  def restart(): Unit

  /** Drops the rows that are left. */
  def clear(): Unit
}
