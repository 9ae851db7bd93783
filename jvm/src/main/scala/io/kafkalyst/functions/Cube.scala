package io.kafkalyst.functions

import io.kafkalyst.errors.KafkalystTaskException
import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.types.ArrayType

/**
 * All combinations of an array's elements, each either itself or null, as arrays, those with most nulls first: `[1, 2]`
 * gives `[[null, null], [null, 2], [1, null], [1, 2]]`. A null element contributes only one alternative. More than 20
 * non-null elements fail with FUNCTION_CUBE_SIZE: one row would become millions.
 */
object Cube {
  private val mostElements = 20

  def apply(array: Expression): Expression = {
    val dataType = array.dataType.asInstanceOf[ArrayType]
    Computed("cube", Seq(array), ArrayType(dataType.copy(containsNull = true)), Nil, nulls = false) { args =>
      val elements = args(0).asInstanceOf[ArrayData].toObjectArray(dataType.elementType)
      val present = elements.indices.filter(elements(_) != null)
      if (present.size > mostElements) throw KafkalystTaskException(
        null,
        "FUNCTION_CUBE_SIZE",
        "found" -> present.size.toString,
        "most" -> mostElements.toString
      )
      val rows: Seq[Any] = (0 until (1 << present.size)).map { mask =>
        val row = new Array[Any](elements.length)
        present.zipWithIndex.foreach { case (at, i) =>
          if ((mask >> (present.size - 1 - i) & 1) == 1) row(at) = elements(at)
        }
        new GenericArrayData(row)
      }
      new GenericArrayData(rows.toArray[Any])
    }
  }
}
