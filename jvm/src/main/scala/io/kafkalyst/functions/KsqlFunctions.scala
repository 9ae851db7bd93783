package io.kafkalyst.functions

import java.util.Locale

import org.apache.spark.sql.catalyst.expressions.Concat
import org.apache.spark.sql.types.{BinaryType, DataType, NullType, StringType}

/**
 * ksqlDB's functions that Spark lacks or defines differently. In a continuous query into a topic, each replaces a Spark
 * function of the same name; elsewhere only names unknown to Spark are available.
 */
object KsqlFunctions {
  val families: Seq[(String, Seq[KsqlFunction])] = Seq(
    "Strings" -> KsqlStrings.all,
    "Bytes and JSON" -> KsqlJson.all,
    "Arrays and maps" -> KsqlCollections.all,
    "Dates and times" -> KsqlTimes.all,
    "Numbers" -> (KsqlNumbers.all ++ KsqlOperators.extremes :+ KsqlOperators.nullIf),
    "Aggregates" -> KsqlAggregates.all
  )

  val all: Seq[KsqlFunction] = families.flatMap(_._2)

  /** ksqlDB functions that Spark has with the same name and meaning. */
  val sharedWithSpark: Seq[String] = Seq(
    "abs", "acos", "array_max", "array_min", "asin",
    "atan", "atan2", "cbrt", "coalesce", "corr", "cos", "cosh", "cot", "count", "degrees", "elt",
    "ifnull", "lcase", "max", "min", "pi",
    "radians", "random", "sin", "sinh", "sqrt", "tan", "tanh", "ucase"
  )

  /** Table functions, which `analyze.ResolveKsqlCalls` turns into rows. */
  val tableFunctions: Set[String] = Set("explode", "cube_explode")

  def isAggregate(call: KsqlCall): Boolean = KsqlAggregates.all.contains(call.function)

  /** Whether the name is an aggregate's, including Spark's aggregates. */
  def isAggregate(name: String): Boolean =
    Set("count", "max", "min")(name.toLowerCase(Locale.ROOT)) || KsqlAggregates.all.exists(
      _.name.equalsIgnoreCase(name)
    )

  private val byName = all.map(f => f.name -> f).toMap

  def find(name: String): Option[KsqlFunction] = byName.get(name.toLowerCase(Locale.ROOT))

  /** `||`: CONCAT for texts and BYTES; for other types, such as ARRAYs, Spark's operator. */
  val concatenation: KsqlFunction = KsqlFunction("||", "||(x, y) - The concatenation.") { args =>
    val joins = args.forall(a => Set[DataType](StringType, BinaryType, NullType)(a.dataType))
    if (joins) byName("concat").build(args) else Concat(args)
  }

  /** Functions available in every statement: Spark's names stay Spark's. */
  def everywhere: Seq[KsqlFunction] = all.filterNot(_.isSparkBuiltin)
}
