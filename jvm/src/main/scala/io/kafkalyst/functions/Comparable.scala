package io.kafkalyst.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.{ArrayData, MapData}
import org.apache.spark.sql.types._

/** Catalyst values compared by content: Spark itself does not compare MAPs. */
private[functions] object Comparable {

  /** A representation that is equal exactly for equal values of the type. */
  def of(value: Any, dataType: DataType): Any = (value, dataType) match {
    case (m: MapData, MapType(k, v, _)) => all(m.keyArray(), k).zip(all(m.valueArray(), v)).toMap
    case (a: ArrayData, ArrayType(element, _)) => all(a, element)
    case (row: InternalRow, s: StructType) =>
      s.fields.indices.map(i => of(row.get(i, s(i).dataType), s(i).dataType))
    case (bytes: Array[Byte], _) => bytes.toSeq
    // NaN equals itself, and -0.0 equals 0.0, as in Spark's comparisons.
    case (d: Double, _) => java.lang.Double.doubleToLongBits(d + 0.0d)
    case (f: Float, _) => java.lang.Float.floatToIntBits(f + 0.0f)
    case _ => value
  }

  private def all(array: ArrayData, element: DataType): Seq[Any] =
    array.toObjectArray(element).toSeq.map(of(_, element))
}

/** Maps BYTES so that their unsigned order is ksqlDB's signed order; applied twice, gives the original BYTES. */
private[kafkalyst] object SignedBytes {
  def apply(bytes: Expression): Expression = Computed("signed_bytes", Seq(bytes), BinaryType, Nil, nulls = false)(
    _(0).asInstanceOf[Array[Byte]].map(b => (b ^ 0x80).toByte)
  )
}
