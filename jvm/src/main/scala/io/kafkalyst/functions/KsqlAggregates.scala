package io.kafkalyst.functions

import io.kafkalyst.functions.KsqlFunction.{computed, expression, sql, wrong}
import org.apache.spark.sql.types._

/**
 * ksqlDB's aggregates, as Spark's own: each may stand in a streaming aggregation. The order of rows is that in which
 * they are read: by offset within a partition.
 */
private[functions] object KsqlAggregates {

  /** LATEST_ or EARLIEST_BY_OFFSET: one value, or an ARRAY of the last or first n. */
  private def byOffset(name: String, one: String, places: String) = {
    val usage =
      s"$name(x[, n][, ignore nulls]) - The $one value by offset, or an ARRAY of the $one n; nulls do not count unless the last argument is FALSE."
    val function = if (one == "latest") "last" else "first"
    computed(usage) { args =>
      val (flags, numbers) = args.drop(1).partition(_.dataType == BooleanType)
      if (args.isEmpty || args.size > 3 || flags.size > 1 || numbers.size > 1 || !args.drop(1).forall(_.foldable))
        throw wrong(usage, args)
      val ignore = flags.forall(_.eval() == true)
      numbers match {
        case Seq(n) =>
          val kept = if (ignore) "collect_list(_1)" else "transform(collect_list(struct(_1 AS x)), s -> s.x)"
          expression(places.replace("list", kept), args.head, n)
        case _ => expression(s"$function(_1, $ignore)", args.head)
      }
    }
  }

  private def top(name: String, distinct: Boolean) = {
    val usage =
      s"$name(x[, other, …], n) - The n greatest${if (distinct) " different" else ""} values, the greatest first; with others an ARRAY of STRUCT<sort_col, col0, …>."
    computed(usage) { args =>
      if (args.size < 2 || args.size > 9) throw wrong(usage, args)
      val collect = if (distinct) "collect_set" else "collect_list"
      if (args.size == 2) expression(s"slice(sort_array($collect(_1), false), 1, cast(_2 AS INT))", args: _*)
      else {
        val others = args.indices.drop(1).dropRight(1).map(i => s"'col${i - 1}', _${i + 1}")
        val row = (s"'sort_col', _1" +: others).mkString("named_struct(", ", ", ")")
        expression(
          s"slice(sort_array($collect($row), false), 1, cast(_${args.size} AS INT))",
          args: _*
        )
      }
    }
  }

  private val sum = computed("SUM(x) - The sum, of x's type.") {
    case Seq(x) if x.dataType == IntegerType => expression("cast(sum(_1) AS INT)", x)
    case Seq(x) => expression(s"cast(sum(_1) AS ${x.dataType.sql})", x)
    case args => throw wrong("SUM(x)", args)
  }

  val all: Seq[KsqlFunction] = Seq(
    sql("ATTR(x) - The one value of all rows; null where they differ.")(
      "if(approx_count_distinct(_1, 0.01) = 1 AND count(*) = count(_1), first(_1), NULL)"
    ),
    sql("AVG(x) - The mean, DOUBLE; nulls do not count.")("avg(cast(_1 AS DOUBLE))"),
    sql("COLLECT_LIST(x) - All values as an ARRAY, nulls too.")("transform(collect_list(struct(_1 AS x)), s -> s.x)"),
    sql("COLLECT_SET(x) - The different values as an ARRAY, in the order of their first rows, null too.")(
      "array_distinct(transform(collect_list(struct(_1 AS x)), s -> s.x))"
    ),
    sql("CORRELATION(x, y) - The coefficient of correlation.")("corr(_1, _2)"),
    sql("COUNT_DISTINCT(x) - About how many different values there are, BIGINT; nulls do not count.")(
      "approx_count_distinct(_1, 0.01)"
    ),
    byOffset("EARLIEST_BY_OFFSET", "earliest", "slice(list, 1, cast(_2 AS INT))"),
    sql("HISTOGRAM(x) - How often each value occurs, MAP<STRING, BIGINT>; nulls do not count.")(
      "reduce(collect_list(cast(_1 AS STRING)), cast(map() AS MAP<STRING, BIGINT>), (m, e) -> " +
        "map_concat(map_filter(m, (k, v) -> k <> e), map(e, coalesce(try_element_at(m, e), 0L) + 1L)))"
    ),
    byOffset(
      "LATEST_BY_OFFSET",
      "latest",
      "slice(list, -least(cast(_2 AS INT), greatest(size(list), 1)), cast(_2 AS INT))"
    ),
    sql("STDDEV_SAMPLE(x) - The standard deviation of a sample.")("stddev_samp(_1)"),
    sum,
    computed("SUM_LIST(array) - The sum of all elements of all rows, of their type.") {
      case Seq(array) if array.dataType.isInstanceOf[ArrayType] =>
        val t = array.dataType.asInstanceOf[ArrayType].elementType.sql
        expression(
          s"cast(sum(reduce(_1, cast(0 AS $t), (s, e) -> cast(s + coalesce(e, cast(0 AS $t)) AS $t))) AS $t)",
          array
        )
      case args => throw wrong("SUM_LIST(array)", args)
    },
    top("TOPK", distinct = false),
    top("TOPKDISTINCT", distinct = true)
  )
}
