package io.kafkalyst.formats

import org.apache.spark.sql.catalyst.InternalRow

/** Sets an integer, which fits the type, in a row; avoids the boxing of a Scala function. */
private[formats] trait SetWhole {
  def apply(row: InternalRow, ordinal: Int, n: Long): Unit
}

private[formats] object SetWhole {
  val byte: SetWhole = (row, ordinal, n) => row.setByte(ordinal, n.toByte)
  val short: SetWhole = (row, ordinal, n) => row.setShort(ordinal, n.toShort)
  val int: SetWhole = (row, ordinal, n) => row.setInt(ordinal, n.toInt)
  val long: SetWhole = (row, ordinal, n) => row.setLong(ordinal, n)
}
