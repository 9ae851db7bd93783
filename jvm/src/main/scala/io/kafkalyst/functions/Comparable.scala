package io.kafkalyst.functions

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, ArrayData, GenericArrayData, MapData}
import org.apache.spark.sql.types._

import scala.collection.mutable

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

  /** The distinct values of an ARRAY, in order of first occurrence. */
  def distinct(array: Expression, element: DataType): Expression =
    Computed("distinct", Seq(array), ArrayType(element), Nil, nulls = false) { a =>
      val values = a(0).asInstanceOf[ArrayData].toObjectArray(element)
      new GenericArrayData(values.distinctBy(of(_, element)))
    }

  /** How often each value of an ARRAY occurs, as a MAP of INT or BIGINT in order of first occurrence; not for nulls. */
  def counted(array: Expression, element: DataType, count: DataType): Expression =
    Computed("counted", Seq(array), MapType(element, count, valueContainsNull = false), Nil, nulls = false) { a =>
      val counts = mutable.LinkedHashMap.empty[Any, (Any, Int)]
      a(0).asInstanceOf[ArrayData].foreach(
        element,
        (_, value) =>
          if (value != null)
            counts.updateWith(of(value, element))(had => Some((had.fold(value)(_._1), had.fold(1)(_._2 + 1))))
      )
      val (values, times) = counts.values.toSeq.unzip
      ArrayBasedMapData(
        values.toArray[Any],
        times.map(n => if (count == LongType) Long.box(n.toLong) else Int.box(n)).toArray[Any]
      )
    }
}
