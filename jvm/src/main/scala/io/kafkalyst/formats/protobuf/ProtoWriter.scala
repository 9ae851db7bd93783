package io.kafkalyst.formats
package protobuf

import org.apache.spark.sql.catalyst.expressions.SpecializedGetters

/** Writes one non-null value from a row or an array, without its tag. */
private[formats] abstract class ProtoValueWriter(val kind: Int) {
  def write(out: ProtoOutput, row: SpecializedGetters, ordinal: Int): Unit

  /** Whether a plain proto3 field omits the value because it is its type's default. */
  def isDefault(row: SpecializedGetters, ordinal: Int): Boolean
}

/** Writes one field of a message with its tag, or nothing. */
private[formats] abstract class ProtoFieldWriter {
  def write(out: ProtoOutput, row: SpecializedGetters): Unit
}

/** A message with a length prefix. */
private[formats] abstract class ProtoMessageWriter extends ProtoValueWriter(ProtoInput.delimited) {
  override def write(out: ProtoOutput, row: SpecializedGetters, ordinal: Int): Unit = {
    val start = out.open()
    fields(out, row, ordinal)
    out.close(start)
  }
  override def isDefault(row: SpecializedGetters, ordinal: Int): Boolean = false

  protected def fields(out: ProtoOutput, row: SpecializedGetters, ordinal: Int): Unit

  protected def number(out: ProtoOutput, field: Int, n: Long): Unit = if (n != 0) {
    out.writeTag(field, ProtoInput.varint)
    out.writeVarint(n)
  }
}
