package io.kafkalyst.formats
package protobuf

import org.apache.spark.sql.catalyst.InternalRow

/** Reads one scalar value as a column's type. The tag's wire type must be exactly this `kind`. */
private[formats] abstract class ProtoScalarReader(val kind: Int) {

  /** The value in Spark's internal representation. */
  def read(in: ProtoInput): Any

  /** Sets the value in a row, without boxing primitives. */
  def into(in: ProtoInput, row: InternalRow, ordinal: Int): Unit = row.update(ordinal, read(in))
}

/**
 * Reads a message that may come in several pieces, which are merged: call [[merge]] for each piece, then [[end]]. Holds
 * one message at a time.
 */
private[formats] abstract class ProtoMessageReader {
  def begin(in: ProtoInput): Unit

  /** Reads a piece; the input ends with the piece. */
  def merge(in: ProtoInput): Unit

  /** The whole message in Spark's internal representation. */
  def end(in: ProtoInput): Any
}
