package io.kafkalyst.formats
package events

import org.apache.spark.sql.catalyst.InternalRow

/** Reads events. [[decode]] sets a row to the event's first change, [[next]] to each following one. */
private[kafkalyst] trait EventDecoder extends Decoder {

  /** Whether the last decoded event has no changes: its record yields no row. */
  def isEmpty: Boolean

  /** Whether a change is left. */
  def hasNext: Boolean

  /** Sets the row's targets to the next change; false if none is left. */
  def next(row: InternalRow): Boolean

  /** Makes [[next]] return the event's first change again. */
  def restart(): Unit

  /** Drops the changes that are left. */
  def clear(): Unit
}
