package io.kafkalyst.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData, MapData}
import org.apache.spark.sql.types._

/** Values as Spark keeps them, compared by what they hold: Spark itself compares no MAPs. */
private[functions] object Comparable {

  /** What is equal for equal values of the type, and only for them. */
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

  /** The different values of an ARRAY, each where it stands first. */
  def distinct(array: Expression, element: DataType): Expression =
    Computed("distinct", Seq(array), ArrayType(element), Nil, nulls = false) { a =>
      val values = a(0).asInstanceOf[ArrayData].toObjectArray(element)
      new GenericArrayData(values.distinctBy(of(_, element)))
    }
}
