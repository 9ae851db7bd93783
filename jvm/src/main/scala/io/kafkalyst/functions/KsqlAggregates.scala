package io.kafkalyst.functions

import io.kafkalyst.functions.KsqlFunction.{computed, expression, nameIn, sql, wrong}
import io.kafkalyst.functions.aggregates.{Kept, KeptValues, SampleVariance}
import io.kafkalyst.model.settings.Settings
import io.kafkalyst.errors.KafkalystException
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateFunction
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

/**
 * ksqlDB's aggregates, built from Spark's own where the order of rows does not matter. Rows are ordered by batch, then
 * as they are read: by offset within a partition.
 */
private[functions] object KsqlAggregates {

  /** LATEST_ or EARLIEST_BY_OFFSET: one value, or an ARRAY of the last or first n. */
  private def byOffset(name: String, one: String, kept: Kept) = {
    val usage =
      s"$name(x[, n][, ignore nulls]) - The $one value by offset, or an ARRAY of the $one n; NULLs are ignored unless the last argument is FALSE."
    computed(usage) { args =>
      val (flags, numbers) = args.drop(1).partition(_.dataType == BooleanType)
      if (args.isEmpty || args.size > 3 || flags.size > 1 || numbers.size > 1 || !flags.forall(_.foldable))
        throw wrong(usage, args)
      numbers.foreach(checkCount(usage, args, _))
      val ignore = flags.forall(_.eval() == true)
      val most = numbers.headOption.fold(1)(countOf)
      val values = KeptValues(nameIn(usage), args.head, kept, most, nulls = !ignore).toAggregateExpression()
      if (numbers.isEmpty) expression("get(_1, 0)", values) else values
    }
  }

  /** The number of values to keep must be constant. */
  private def checkCount(usage: String, args: Seq[Expression], n: Expression): Unit = {
    val given = if (n.foldable && Set[DataType](IntegerType, LongType)(n.dataType)) Option(n.eval()) else None
    if (!given.exists { case n: Number => n.longValue > 0 }) throw wrong(usage, args)
  }

  private def countOf(n: Expression): Int = n.eval() match {
    case n: Number => math.min(n.longValue, Int.MaxValue).toInt
  }

  private def top(name: String, distinct: Boolean) = {
    val usage =
      s"$name(x[, other, …], n) - The n greatest${if (distinct) " distinct" else ""} values in descending order; with further arguments an ARRAY of STRUCT<sort_col, col0, …>."
    computed(usage) { args =>
      if (args.size < 2 || args.size > 9 || !isOrdered(args.head.dataType)) throw wrong(usage, args)
      checkCount(usage, args, args.last)
      val x = args.head
      val others = args.slice(1, args.size - 1).zipWithIndex
        .flatMap { case (other, i) => Seq(Literal(s"col$i"), other) }
      val row = CreateNamedStruct(Seq(Literal("sort_col"), x) ++ others)
      val value = if (others.isEmpty) x else If(IsNull(x), Literal.create(null, row.dataType), row)
      KeptValues(nameIn(usage), value, Kept.Greatest, countOf(args.last), nulls = false, distinct)
        .toAggregateExpression()
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

  /** The correlation as ksqlDB computes it, from the sums of the pairs without a null: Spark's last digits differ. */
  private def ofSums(x: Expression, y: Expression): Expression = {
    def paired(a: Expression, b: Expression) = expression("if(_2 IS NULL, NULL, cast(_1 AS DOUBLE))", a, b)
    val n = paired(Literal(1d), expression("if(_1 IS NULL, NULL, _2)", x, y))
    def spread(a: Expression, b: Expression) = expression("sum(_3) * sum(_1 * _2) - sum(_1) * sum(_2)", a, b, n)
    val (a, b) = (paired(x, y), paired(y, x))
    val both = expression("nullif(sqrt(_1 * _2), 0D)", spread(a, a), spread(b, b))
    expression("coalesce(_1 / _2, _3)", spread(a, b), both, Literal(Double.NaN))
  }

  private def ofSample(name: String, gives: String, asKsqldb: Expression => Expression) =
    computed(s"$name(x) - $gives, DOUBLE; 0 for fewer than two values.") {
      case Seq(x) if x.dataType.isInstanceOf[NumericType] && Settings.current.isKsqldb =>
        val double = if (x.dataType == DoubleType) x else Cast(x, DoubleType)
        Coalesce(Seq(asKsqldb(SampleVariance(double).toAggregateExpression()), Literal(0d)))
      case Seq(x) if x.dataType.isInstanceOf[NumericType] => expression(s"coalesce(stddev_samp(_1), 0D)", x)
      case args => throw wrong(s"$name(x)", args)
    }

  private val attr = computed("ATTR(x) - The value if all rows have the same one, otherwise NULL.") {
    case Seq(x) =>
      // Two distinct values suffice to detect several.
      val values = KeptValues("attr", x, Kept.First, most = 2, distinct = true, undoes = true)
      expression("if(size(_1) = 1, _1[0], NULL)", values.toAggregateExpression())
    case args => throw wrong("ATTR(x)", args)
  }

  private val histogram =
    computed("HISTOGRAM(text) - The number of occurrences of each text, MAP<STRING, BIGINT>; NULLs are ignored.") {
      case Seq(x) if x.dataType == StringType => counted("histogram", x, LongType, undoes = true)
      case args => throw wrong("HISTOGRAM(text)", args)
    }

  /** A MAP of how often each value occurs. */
  def counted(name: String, x: Expression, count: DataType, undoes: Boolean): Expression =
    KeptValues(name, x, Kept.First, nulls = false, distinct = true, counts = Some(count), undoes = undoes)
      .toAggregateExpression()

  /** ksqlDB's limit on a function's number of values; None if it is not set, or negative. Errors: INVALID_SETTING. */
  private def limit(name: String): Option[Int] = {
    val setting = s"ksql.functions.$name.limit"
    SQLConf.get.getAllConfs.get(setting).map { value =>
      value.trim.toIntOption.getOrElse(throw KafkalystException(
        "INVALID_SETTING",
        "setting" -> setting,
        "value" -> value,
        "expected" -> "a number of values; a negative one means no limit"
      ))
    }.filter(_ >= 0)
  }

  private val collectSet =
    computed("COLLECT_SET(x) - The distinct values as an ARRAY, in the order of their first rows, NULL included.") {
      case Seq(x) =>
        val most = limit("collect_set").getOrElse(Int.MaxValue)
        KeptValues("collect_set", x, Kept.First, most, distinct = true).toAggregateExpression()
      case args => throw wrong("COLLECT_SET(x)", args)
    }

  private val collectList = computed("COLLECT_LIST(x) - All values as an ARRAY, NULLs included.") {
    case Seq(x) => limit("collect_list").fold[AggregateFunction](SignedValues(x, Literal(1)))(
        KeptValues("collect_list", x, Kept.First, _, undoes = true)
      ).toAggregateExpression()
    case args => throw wrong("COLLECT_LIST(x)", args)
  }

  val all: Seq[KsqlFunction] = Seq(
    attr,
    computed("AVG(x) - The mean, DOUBLE; NULLs are ignored, and without values it is 0.") {
      case Seq(x) if x.dataType.isInstanceOf[NumericType] => expression("coalesce(avg(cast(_1 AS DOUBLE)), 0D)", x)
      case args => throw wrong("AVG(x)", args)
    },
    collectList,
    collectSet,
    computed("CORRELATION(x, y) - The correlation coefficient; NaN where there is none.") {
      case Seq(x, y) if Settings.current.isKsqldb && Seq(x, y).forall(_.dataType.isInstanceOf[NumericType]) =>
        ofSums(x, y)
      case Seq(x, y) => expression("coalesce(corr(_1, _2), _3)", x, y, Literal(Double.NaN))
      case args => throw wrong("CORRELATION(x, y)", args)
    },
    sql("COUNT_DISTINCT(x) - The approximate number of distinct values, BIGINT; NULLs are ignored.")(
      "approx_count_distinct(_1, 0.01)"
    ),
    byOffset("EARLIEST_BY_OFFSET", "earliest", Kept.First),
    histogram,
    byOffset("LATEST_BY_OFFSET", "latest", Kept.Last),
    // ksqlDB's bug is reproduced only in ksqlDB mode.
    ofSample("STDDEV_SAMP", "As STDDEV_SAMPLE; with ksqlDB's names the sample variance, as in ksqlDB itself", identity),
    ofSample("STDDEV_SAMPLE", "The sample standard deviation", Sqrt(_)),
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
