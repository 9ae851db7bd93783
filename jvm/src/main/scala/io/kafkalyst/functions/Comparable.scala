package io.kafkalyst.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData, MapData}
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
    case _ => value
  }

  private def all(array: ArrayData, element: DataType): Seq[Any] =
    array.toObjectArray(element).toSeq.map(of(_, element))

  /** The distinct values of an ARRAY, in order of first occurrence. */
  def distinct(array: Expression, element: DataType): Expression =
    Computed("distinct", Seq(array), ArrayType(element), Nil, nulls = false) { a =>
      val values = a(0).asInstanceOf[ArrayData].toObjectArray(element)
      new GenericArrayData(values.distinctBy(of(_, element)))
    }
}
