package io.kafkalyst.streams
package over

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, UnaryExpression, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types.{BinaryType, DataType, StructType}

/** A STRUCT as bytes, in Spark's own row format: for state whose types only the computation needs to know. */
final case class RowBytes(child: Expression) extends UnaryExpression with CodegenFallback {
  @transient private lazy val toRow = UnsafeProjection.create(child.dataType.asInstanceOf[StructType])

  override def dataType: DataType = BinaryType
  override def prettyName: String = "row_bytes"
  override protected def nullSafeEval(row: Any): Any = toRow(row.asInstanceOf[InternalRow]).copy().getBytes
  override protected def withNewChildInternal(newChild: Expression): RowBytes = copy(child = newChild)
}

/** Converts the bytes of [[RowBytes]] back to the STRUCT. */
final case class BytesRow(child: Expression, override val dataType: StructType)
    extends UnaryExpression
    with CodegenFallback {
  override def prettyName: String = "bytes_row"
  override protected def nullSafeEval(bytes: Any): Any = BytesRow.of(bytes.asInstanceOf[Array[Byte]], dataType.size)
  override protected def withNewChildInternal(newChild: Expression): BytesRow = copy(child = newChild)
}

object BytesRow {
  private[streams] def of(bytes: Array[Byte], fields: Int): UnsafeRow = {
    val row = new UnsafeRow(fields)
    row.pointTo(bytes, bytes.length)
    row
  }
}
