package io.kafkalyst.functions

/**
 * The functions of ksqlDB's that Spark does not have, or has in another way. In a continuous query into a topic each
 * stands for its name; elsewhere those whose name Spark does not know.
 */
object KsqlFunctions {
  val families: Seq[(String, Seq[KsqlFunction])] = Seq(
    "Strings" -> KsqlStrings.all,
    "Bytes and JSON" -> KsqlJson.all,
    "Arrays and maps" -> KsqlCollections.all,
    "Dates and times" -> KsqlTimes.all,
    "Numbers" -> (KsqlNumbers.all ++ KsqlOperators.extremes),
    "Aggregates" -> KsqlAggregates.all
  )

  val all: Seq[KsqlFunction] = families.flatMap(_._2)

  /** Functions of ksqlDB's that Spark has under the same name and with the same meaning. */
  val sparks: Seq[String] = Seq(
    "abs", "acos", "array_max", "array_min", "asin",
    "atan", "atan2", "cbrt", "coalesce", "corr", "cos", "cosh", "cot", "count", "degrees", "elt",
    "ifnull", "json_array_length", "lcase", "map_keys", "map_values", "max", "min", "nullif", "pi",
    "radians", "random", "sin", "sinh", "sqrt", "tan", "tanh", "ucase"
  )

  /** Table functions, which `analyze.ResolveKsqlCalls` makes rows of. */
  val tableFunctions: Set[String] = Set("explode", "cube_explode")

  def isAggregate(call: KsqlCall): Boolean = KsqlAggregates.all.contains(call.function)

  private val byName = all.map(f => f.name -> f).toMap

  def find(name: String): Option[KsqlFunction] = byName.get(name.toLowerCase)

  /** Those that every statement may call: a name of Spark's stays Spark's. */
  def everywhere: Seq[KsqlFunction] = all.filterNot(_.isSparks)
}
