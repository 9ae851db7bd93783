package io.kafkalyst.functions
package flink

import io.kafkalyst.functions.KsqlFunction.{computed, nameIn, wrong}
import io.kafkalyst.model.settings.Settings
import org.apache.spark.sql.catalyst.expressions.{Concat, Expression}
import org.apache.spark.sql.types.ArrayType

/** ARRAY and MAP functions that ksqlDB and Flink define differently: ksqlDB's meaning in its dialect, else Flink's. */
private[flink] object FlinkCollections {
  private def unlessKsqldb(usage: String)(build: Seq[Expression] => Expression) = computed(usage) { args =>
    if (Settings.current.isKsqldb) KsqlFunctions.find(nameIn(usage)).get.build(args) else build(args)
  }

  private val arrayConcat = {
    val usage = "ARRAY_CONCAT(array, …)"
    unlessKsqldb(s"$usage - The elements of all arrays; NULL if one is NULL.") { given =>
      val args = KsqlSets.withNulls(given)
      if (args.isEmpty || !args.forall(_.dataType.isInstanceOf[ArrayType])) throw wrong(usage, given)
      Concat(args)
    }
  }

  private val mapUnion = {
    val usage = "MAP_UNION(map, …)"
    unlessKsqldb(s"$usage - The entries of all maps, the last map's for a key of several; NULL if one is NULL.")(
      KsqlCollections.united(usage, _, skipsNulls = false)
    )
  }

  val all: Seq[KsqlFunction] = Seq(arrayConcat, mapUnion)
}
