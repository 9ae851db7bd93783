package io.kafkalyst.functions

import io.kafkalyst.functions.KsqlFunction.{computed, expression, sql, wrong}
import io.kafkalyst.functions.aggregates.KeptValues
import io.kafkalyst.model.settings.Settings
import org.apache.spark.sql.catalyst.expressions.{Expression, Literal}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/**
 * ksqlDB's aggregates, built from Spark's own, so that each works in a streaming aggregation. Rows are ordered as they
 * are read: by offset within a partition.
 */
private[functions] object KsqlAggregates {

  /** LATEST_ or EARLIEST_BY_OFFSET: one value, or an ARRAY of the last or first n. */
  private def byOffset(name: String, one: String, which: KeptValues.Which) = {
    val usage =
      s"$name(x[, n][, ignore nulls]) - The $one value by offset, or an ARRAY of the $one n; NULLs are ignored unless the last argument is FALSE."
    val function = if (one == "latest") "last" else "first"
    computed(usage) { args =>
      val (flags, numbers) = args.drop(1).partition(_.dataType == BooleanType)
      if (args.isEmpty || args.size > 3 || flags.size > 1 || numbers.size > 1 || !flags.forall(_.foldable))
        throw wrong(usage, args)
      numbers.foreach(checkCount(usage, args, _))
      val ignore = flags.forall(_.eval() == true)
      numbers match {
        case Seq(n) => kept(args.head, n, which, ignore)
        case _ => expression(s"$function(_1, $ignore)", args.head)
      }
    }
  }

  /** The number of values to keep must be constant. */
  private def checkCount(usage: String, args: Seq[Expression], n: Expression): Unit = {
    val given = if (n.foldable && Set[DataType](IntegerType, LongType)(n.dataType)) Option(n.eval()) else None
    if (!given.exists { case n: Number => n.longValue > 0 }) throw wrong(usage, args)
  }

  private def kept(value: Expression, n: Expression, which: KeptValues.Which, ignoreNulls: Boolean = true) = {
    val count = Literal(n.eval().asInstanceOf[Number].longValue.min(Int.MaxValue.toLong).toInt)
    KeptValues(value, count, which, ignoreNulls).toAggregateExpression()
  }

  private def top(name: String, distinct: Boolean) = {
    val usage =
      s"$name(x[, other, …], n) - The n greatest${if (distinct) " distinct" else ""} values in descending order; with further arguments an ARRAY of STRUCT<sort_col, col0, …>."
    computed(usage) { args =>
      if (args.size < 2 || args.size > 9 || !isOrdered(args.head.dataType)) throw wrong(usage, args)
      checkCount(usage, args, args.last)
      val which = if (distinct) KeptValues.TopDistinct else KeptValues.Top
      if (args.size == 2) kept(args.head, args.last, which)
      else {
        val others = args.indices.drop(1).dropRight(1).map(i => s"'col${i - 1}', _${i + 1}")
        val row = (s"'sort_col', _1" +: others).mkString("named_struct(", ", ", ")")
        kept(expression(s"if(_1 IS NULL, NULL, $row)", args: _*), args.last, which)
      }
    }
  }

  private def isOrdered(t: DataType): Boolean = t match {
    case BooleanType | _: ArrayType | _: MapType | _: StructType => false
    case _ => true
  }

  /** A sum of the same type as its input: Spark's own type is wider. */
  private def sumOf(summed: String, t: DataType) = s"cast(coalesce(sum($summed), cast(0 AS ${t.sql})) AS ${t.sql})"

  private val sum = computed(
    "SUM(x) - The sum, of x's type; without values it is 0, and NULL if it does not fit into a DECIMAL."
  ) {
    case Seq(x) if x.dataType.isInstanceOf[NumericType] => expression(sumOf("_1", x.dataType), x)
    case args => throw wrong("SUM(x)", args)
  }

  private def isNumbers(t: DataType): Boolean = t match {
    case ArrayType(_: NumericType, _) => true
    case _ => false
  }

  /** All the values of a group; supports retraction. */
  private def valuesOf(x: Expression) = SignedValues(x, Literal(1)).toAggregateExpression()

  private def ofSample(name: String, gives: String)(function: => String) =
    computed(s"$name(x) - $gives, DOUBLE; 0 for fewer than two values.") {
      case Seq(x) if x.dataType.isInstanceOf[NumericType] => expression(s"coalesce($function(_1), 0D)", x)
      case args => throw wrong(s"$name(x)", args)
    }

  private val attr = computed("ATTR(x) - The value if all rows have the same one, otherwise NULL.") {
    case Seq(x) =>
      val all = valuesOf(x)
      expression("if(size(_2) = 1, _1[0], NULL)", all, Comparable.distinct(all, x.dataType))
    case args => throw wrong("ATTR(x)", args)
  }

  private val histogram =
    computed("HISTOGRAM(text) - The number of occurrences of each text, MAP<STRING, BIGINT>; NULLs are ignored.") {
      case Seq(x) if x.dataType == StringType =>
        Comparable.counted(valuesOf(x), StringType, LongType)
      case args => throw wrong("HISTOGRAM(text)", args)
    }

  private val collectSet =
    computed("COLLECT_SET(x) - The distinct values as an ARRAY, in the order of their first rows, NULL included.") {
      case Seq(x) =>
        Comparable.distinct(expression("transform(collect_list(struct(_1 AS x)), s -> s.x)", x), x.dataType)
      case args => throw wrong("COLLECT_SET(x)", args)
    }

  /** Limits the number of values to ksqlDB's setting for the function, if it is set. */
  private def limited(name: String, function: KsqlFunction) = computed(function.usage) { args =>
    val all = function.build(args)
    SQLConf.get.getAllConfs.get(s"ksql.functions.$name.limit").flatMap(_.toIntOption).filter(_ >= 0).fold(all)(limit =>
      expression("slice(_1, 1, _2)", all, Literal(limit))
    )
  }

  val all: Seq[KsqlFunction] = Seq(
    attr,
    computed("AVG(x) - The mean, DOUBLE; NULLs are ignored, and without values it is 0.") {
      case Seq(x) if x.dataType.isInstanceOf[NumericType] => expression("coalesce(avg(cast(_1 AS DOUBLE)), 0D)", x)
      case args => throw wrong("AVG(x)", args)
    },
    limited(
      "collect_list",
      computed("COLLECT_LIST(x) - All values as an ARRAY, NULLs included.") {
        case Seq(x) => valuesOf(x)
        case args => throw wrong("COLLECT_LIST(x)", args)
      }
    ),
    limited("collect_set", collectSet),
    sql("CORRELATION(x, y) - The correlation coefficient.")("corr(_1, _2)"),
    sql("COUNT_DISTINCT(x) - The approximate number of distinct values, BIGINT; NULLs are ignored.")(
      "approx_count_distinct(_1, 0.01)"
    ),
    byOffset("EARLIEST_BY_OFFSET", "earliest", KeptValues.Earliest),
    histogram,
    byOffset("LATEST_BY_OFFSET", "latest", KeptValues.Latest),
    // ksqlDB's bug is reproduced only in ksqlDB mode.
    ofSample("STDDEV_SAMP", "As STDDEV_SAMPLE; with ksqlDB's names the sample variance, as in ksqlDB itself") {
      if (Settings.current.isKsqldb) "var_samp" else "stddev_samp"
    },
    ofSample("STDDEV_SAMPLE", "The sample standard deviation")("stddev_samp"),
    sum,
    computed("SUM_LIST(array) - The sum of the elements of all arrays, of the elements' type.") {
      case Seq(array) if isNumbers(array.dataType) =>
        val element = array.dataType.asInstanceOf[ArrayType].elementType
        val t = element.sql
        expression(
          sumOf(s"reduce(_1, cast(0 AS $t), (s, e) -> cast(s + coalesce(e, cast(0 AS $t)) AS $t))", element),
          array
        )
      case args => throw wrong("SUM_LIST(array)", args)
    },
    top("TOPK", distinct = false),
    top("TOPKDISTINCT", distinct = true)
  )
}
