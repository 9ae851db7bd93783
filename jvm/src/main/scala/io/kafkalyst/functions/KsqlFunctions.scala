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
    "Numbers" -> KsqlNumbers.all,
    "Aggregates" -> KsqlAggregates.all
  )

  val all: Seq[KsqlFunction] = families.flatMap(_._2)

  /** Table functions, which `analyze.ResolveKsqlCalls` makes rows of. */
  val tableFunctions: Set[String] = Set("explode", "cube_explode")

  private val byName = all.map(f => f.name -> f).toMap

  def find(name: String): Option[KsqlFunction] = byName.get(name.toLowerCase)

  /** Those that every statement may call: a name of Spark's stays Spark's. */
  def everywhere: Seq[KsqlFunction] = all.filterNot(_.isSparks)
}
