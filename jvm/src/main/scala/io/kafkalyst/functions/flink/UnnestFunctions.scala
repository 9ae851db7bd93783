package io.kafkalyst.functions
package flink

import io.kafkalyst.functions.KsqlFunction.{computed, expression, wrong}
import org.apache.spark.sql.catalyst.expressions.{Explode, Expression, Inline}
import org.apache.spark.sql.types.{ArrayType, MapType, StructType}

/** UNNEST, the table function of `analyze.tables.Unnest`. */
private[functions] object UnnestFunctions {
  private val usage =
    "UNNEST(array or map) - A row for each element, a ROW's fields as columns, or for each key and value."

  private def rows(of: Expression): Expression = of.dataType match {
    case ArrayType(_: StructType, _) => Inline(of)
    case _: ArrayType | _: MapType => Explode(of)
    case _ => throw wrong(usage, Seq(of))
  }

  private def counted(of: Expression): Expression = of.dataType match {
    case ArrayType(s: StructType, _) =>
      val fields = s.indices.map(i => s"x.`${s(i).name.replace("`", "``")}`").mkString(", ")
      Inline(expression(s"transform(_1, (x, i) -> struct($fields, i + 1))", of))
    case _: ArrayType => Inline(expression("transform(_1, (x, i) -> struct(x, i + 1))", of))
    case _ => throw wrong("UNNEST(array) WITH ORDINALITY", Seq(of))
  }

  val all: Seq[KsqlFunction] = Seq(
    computed(usage) { case Seq(of) => rows(of); case args => throw wrong(usage, args) },
    computed(
      "UNNEST_ORDINALITY(array) - UNNEST(array) WITH ORDINALITY: the place, from 1, stands behind the columns."
    ) {
      case Seq(of) => counted(of)
      case args => throw wrong("UNNEST(array) WITH ORDINALITY", args)
    }
  )
}
