package io.kafkalyst.functions

import java.util.Locale

import io.kafkalyst.functions.KsqlFunction.{computed, expression, sql, wrong}
import io.kafkalyst.model.Widening
import io.kafkalyst.model.settings.Settings
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.util.{ArrayBasedMapData, ArrayData, GenericArrayData, MapData}
import org.apache.spark.sql.types._

import scala.jdk.CollectionConverters._

/** ksqlDB's functions on arrays and maps, and those with lambdas. */
private[functions] object KsqlCollections {

  /** A map of these entries; for a repeated key, the last one wins. */
  private[functions] def map(entries: Seq[(Any, Any)]): MapData = {
    val last = scala.collection.mutable.LinkedHashMap.from(entries)
    new ArrayBasedMapData(new GenericArrayData(last.keys.toArray[Any]), new GenericArrayData(last.values.toArray[Any]))
  }

  /** Entries as a MAP; Spark's own function rejects duplicate keys. */
  private[functions] val ofEntries: KsqlFunction =
    computed("MAP(entries) - The MAP; of several entries with a key, the last one.")(collected("map", _)(map))

  /** The MAP of TRANSFORM's entries; null in ksqlDB's dialect if a value is null or two keys are equal. */
  private val transformed: KsqlFunction = computed("TRANSFORM(entries) - The MAP of the entries.") { args =>
    if (!Settings.current.isKsqldb) ofEntries.build(args)
    else
      collected("transform", args) { entries =>
        val isOne = entries.forall(_._2 != null) && entries.map(_._1).distinct.size == entries.size
        if (isOne) map(entries) else null
      }
  }

  private def collected(name: String, args: Seq[Expression])(as: Seq[(Any, Any)] => MapData): Expression = args match {
    case Seq(list) =>
      val entry = list.dataType.asInstanceOf[ArrayType].elementType.asInstanceOf[StructType]
      val Seq(k, v) = entry.map(_.dataType)
      Computed(name, args, MapType(k, v), Nil, nulls = false) { a =>
        as(a(0).asInstanceOf[ArrayData].toObjectArray(entry).toSeq.map { case row: InternalRow =>
          row.get(0, k) -> row.get(1, v)
        }.filter(_._1 != null))
      }
    case _ => throw wrong(s"${name.toUpperCase(Locale.ROOT)}(entries)", args)
  }

  /**
   * In ksqlDB's dialect, entries have the order of Java's HashMap, which ksqlDB uses. The order is visible where
   * entries become a list or a text.
   */
  private[functions] def hashed(map: Expression): Expression = map.dataType match {
    case t @ MapType(StringType, _, _) if Settings.current.isKsqldb =>
      Computed("hashed", Seq(map), t, Nil, nulls = false) { a =>
        KsqlCollections.map(inHashOrder(entries(a(0), t)))
      }
    case _ => map
  }

  private[functions] def inHashOrder(entries: Seq[(Any, Any)]): Seq[(Any, Any)] = {
    val ordered = new java.util.HashMap[String, (Any, Any)](entries.size)
    entries.foreach(entry => ordered.put(entry._1.toString, entry))
    ordered.values.asScala.toSeq
  }

  /** In ksqlDB, the map that FILTER returns cannot have null values: the whole result is then null. */
  private def whole(map: Expression): Expression =
    if (!Settings.current.isKsqldb) map else expression("if(exists(map_values(_1), v -> v IS NULL), NULL, _1)", map)

  /** The value types that ksqlDB's ENTRIES accepts. */
  private def hasEntries(t: DataType): Boolean = t match {
    case MapType(_, IntegerType | LongType | DoubleType | BooleanType | StringType | _: StructType, _) => true
    case _ => false
  }

  private[functions] def entries(data: Any, t: MapType): Seq[(Any, Any)] = {
    val m = data.asInstanceOf[MapData]
    m.keyArray().toObjectArray(t.keyType).toSeq.zip(m.valueArray().toObjectArray(t.valueType))
  }

  private def typed[T <: DataType](usage: String, args: Seq[Expression], at: Int)(of: PartialFunction[DataType, T]): T =
    args.lift(at).map(_.dataType).flatMap(of.lift).getOrElse(throw wrong(usage, args))

  private def mapAt(usage: String, args: Seq[Expression], at: Int) = typed(usage, args, at) { case m: MapType => m }
  private def arrayAt(usage: String, args: Seq[Expression], at: Int) = typed(usage, args, at) { case a: ArrayType => a }

  private def withTypes(usage: String)(build: (String, Seq[Expression]) => Expression) =
    computed(usage)(build(usage, _))

  private val asMap =
    withTypes(
      "AS_MAP(keys, values) - The MAP of an ARRAY of keys and an ARRAY of values; keys without a value have NULL."
    ) { (usage, given) =>
      val args = KsqlSets.withNulls(given.take(1), Some(ArrayType(StringType))) ++ given.drop(1)
      val (k, v) = (arrayAt(usage, args, 0), arrayAt(usage, args, 1))
      Computed("as_map", args, MapType(k.elementType, v.elementType), Nil, nulls = false) { a =>
        val keys = a(0).asInstanceOf[ArrayData].toObjectArray(k.elementType)
        val values = a(1).asInstanceOf[ArrayData].toObjectArray(v.elementType).take(keys.length)
        map(keys.toSeq.zipAll(values.toSeq, null, null).filter(_._1 != null))
      }
    }

  private val mapUnion =
    withTypes("MAP_UNION(map, map) - The entries of both maps; for a key of both, the second map's.") {
      (usage, given) =>
        if (given.size != 2) throw wrong(usage, given)
        united(usage, given, skipsNulls = true)
    }

  /** @param skipsNulls whether maps that are null are left out; else the result is null */
  private[functions] def united(usage: String, given: Seq[Expression], skipsNulls: Boolean): Expression = {
    val args = KsqlSets.withNulls(given)
    val types = args.indices.map(mapAt(usage, args, _))
    val t = types.find(t => types.forall(o => o.keyType == t.keyType && fits(o.valueType, t.valueType)))
      .getOrElse(throw wrong(usage, args))
    val alike = args.map(a => if (a.dataType.sql == t.sql) a else Cast(a, t.copy(valueContainsNull = true)))
    Computed("map_union", alike, t.copy(valueContainsNull = true), Nil, nulls = skipsNulls) { a =>
      if (a.forall(_ == null)) null else map(a.toSeq.filter(_ != null).flatMap(entries(_, t)))
    }
  }

  private def fits(from: DataType, to: DataType) = from.sql == to.sql || Widening.fits(from, to)

  private val slice =
    withTypes("SLICE(array, from, to) - The elements from one 1-based position to another, both included.") {
      (usage, args) =>
        val t = arrayAt(usage, args, 0)
        if (args.size != 3) throw wrong(usage, args)
        Computed("slice", args, t, Seq(args.head.dataType, IntegerType, IntegerType), nulls = true) { a =>
          if (a(0) == null) null
          else {
            val elements = a(0).asInstanceOf[ArrayData].toObjectArray(t.elementType)
            val from = Option(a(1)).fold(0)(_.asInstanceOf[Int] - 1)
            val to = Option(a(2)).fold(elements.length)(_.asInstanceOf[Int])
            if (from < 0 || to > elements.length || from > to) null
            else new GenericArrayData(elements.slice(from, to).toArray[Any])
          }
        }
    }

  // 80 MB: a row's numbers must not fill the memory.
  private val longestSeries = 10000000

  private val series = withTypes(
    "GENERATE_SERIES(from, to[, step]) - The numbers from one to the other, both included, as an ARRAY; NULL if the step has the wrong sign, or they are more than 10,000,000."
  ) { (usage, args) =>
    if (args.size < 2 || args.size > 3) throw wrong(usage, args)
    val isInt = args.take(2).forall(_.dataType == IntegerType)
    val number = if (isInt) IntegerType else LongType
    Computed(
      "generate_series",
      args,
      ArrayType(number),
      Seq(number, number, IntegerType).take(args.size),
      nulls = false
    ) {
      a =>
        val Seq(from, to) = a.toSeq.take(2).map(_.asInstanceOf[Number].longValue)
        val step = if (a.length > 2) a(2).asInstanceOf[Int].toLong else if (from > to) -1L else 1L
        if (step == 0 || (step > 0 && from > to) || (step < 0 && from < to)) null
        else {
          val count = (BigInt(to) - from) / step + 1
          if (count > longestSeries) null
          else if (isInt) UnsafeArrayData.fromPrimitiveArray(Array.tabulate(count.toInt)(i => (from + i * step).toInt))
          else UnsafeArrayData.fromPrimitiveArray(Array.tabulate(count.toInt)(i => from + i * step))
        }
    }
  }

  /** A lambda over a map's entries, with its parameters bound to an entry's parts. */
  private def overEntries(lambda: Expression, last: Int): Expression = lambda match {
    case LambdaFunction(body, parameters, _) if parameters.size >= last =>
      val (before, names) = parameters.splitAt(parameters.size - last)
      val part = names.map(_.asInstanceOf[UnresolvedNamedLambdaVariable].nameParts.head).zip(Seq("key", "value")).toMap
      val entry = UnresolvedNamedLambdaVariable(Seq("kafkalyst_entry"))
      def replaced(e: Expression): Expression = e match {
        case v: UnresolvedNamedLambdaVariable if part.contains(v.nameParts.head) =>
          UnresolvedNamedLambdaVariable(entry.nameParts ++ (part(v.nameParts.head) +: v.nameParts.tail))
        case a: UnresolvedAttribute if part.contains(a.nameParts.head) =>
          UnresolvedNamedLambdaVariable(entry.nameParts ++ (part(a.nameParts.head) +: a.nameParts.tail))
        case other => other.mapChildren(replaced)
      }
      LambdaFunction(replaced(body), before :+ entry)
    case other => other
  }

  /** Whether a lambda has `count` parameters. */
  private def takes(lambda: Expression, count: Int): Boolean = lambda match {
    case LambdaFunction(_, parameters, _) => parameters.size == count
    case _ => false
  }

  private def pair(key: Expression, value: Expression): Expression = (key, value) match {
    case (LambdaFunction(k, parameters, _), LambdaFunction(v, _, _)) =>
      LambdaFunction(CreateNamedStruct(Seq(Literal("key"), k, Literal("value"), v)), parameters)
    case _ => key
  }

  private val transform =
    withTypes(
      "TRANSFORM(array, x => …) or (map, (k, v) => new key, (k, v) => new value) - The results of the lambda for each element, or of the lambdas for each entry."
    ) {
      (usage, args) =>
        (args.headOption.map(_.dataType), args.size) match {
          case (Some(_: ArrayType), 2) if takes(args(1), 1) => expression("transform(_1, _2)", args: _*)
          case (Some(_: MapType), 3) if takes(args(1), 2) && takes(args(2), 2) =>
            val lambda = pair(overEntries(args(1), 2), overEntries(args(2), 2))
            KsqlCall(transformed, Seq(expression("transform(map_entries(_1), _2)", args.head, lambda)))
          case _ => throw wrong(usage, args)
        }
    }

  private val filter =
    withTypes("FILTER(array, x => …) or (map, (k, v) => …) - The elements or entries for which the lambda is true.") {
      (usage, args) =>
        args.headOption.map(_.dataType) match {
          case Some(_: ArrayType) if args.size == 2 && takes(args(1), 1) => expression("filter(_1, _2)", args: _*)
          case Some(_: MapType) if args.size == 2 && takes(args(1), 2) =>
            whole(expression("map_filter(_1, _2)", args: _*))
          case _ => throw wrong(usage, args)
        }
    }

  private val reduce = withTypes(
    "REDUCE(array, start, (s, x) => …) or (map, start, (s, k, v) => …) - The result of applying the lambda to the start value and, in turn, each element or entry; NULL if the start is."
  ) {
    (usage, args) =>
      args.headOption.map(_.dataType) match {
        case Some(_: ArrayType) if args.size == 3 && takes(args(2), 2) =>
          expression("if(_1 IS NULL OR _2 IS NULL, _2, reduce(_1, _2, _3))", args: _*)
        case Some(_: MapType) if args.size == 3 && takes(args(2), 3) =>
          expression(
            "if(_1 IS NULL OR _2 IS NULL, _2, reduce(map_entries(_1), _2, _3))",
            hashed(args(0)),
            args(1),
            overEntries(args(2), 2)
          )
        case _ => throw wrong(usage, args)
      }
  }

  private def ofMap(usage: String, name: String) = withTypes(usage) { (usage, args) =>
    if (args.size != 1) throw wrong(usage, args)
    expression(s"$name(_1)", hashed(args.head))
  }

  val all: Seq[KsqlFunction] = KsqlSets.all ++ Seq(
    withTypes(
      "ARRAY_CONCAT(array, array) - The elements of the first array, then those of the second; if one array is NULL, the other."
    ) {
      (usage, args) =>
        if (args.size != 2) throw wrong(usage, args)
        expression(
          "CASE WHEN _1 IS NULL THEN _2 WHEN _2 IS NULL THEN _1 ELSE concat(_1, _2) END",
          KsqlSets.arrays(usage, args): _*
        )
    },
    computed(
      "ARRAY_JOIN(array[, delimiter]) - The elements as one text; NULL elements become 'null', and the delimiter is a comma by default. NULL if the elements are not numbers, texts or BOOLEANs."
    ) { args =>
      args.headOption.map(_.dataType) match {
        case Some(ArrayType(_: NumericType | StringType | BooleanType | NullType, _)) if args.size <= 2 =>
          val delimiter = args.lift(1).fold[Expression](Literal(","))(d => expression("coalesce(_1, '')", d))
          expression("array_join(transform(_1, e -> cast(e AS STRING)), _2, 'null')", args.head, delimiter)
        case Some(_: ArrayType | NullType) if args.size <= 2 => Literal.create(null, StringType)
        case _ => throw wrong("ARRAY_JOIN(array[, delimiter])", args)
      }
    },
    sql("ARRAY_LENGTH(array) - The number of elements; NULL for a NULL array.")("array_size(_1)"),
    sql("ARRAY_SORT(array[, 'ASC'|'DESC']) - The sorted array, NULLs last; NULL if the order is another text.")(
      "array_sort(_1)",
      "CASE WHEN upper(_2) IN ('ASC', 'ASCENDING') THEN array_sort(_1) " +
        "WHEN upper(_2) IN ('DESC', 'DESCENDING') THEN sort_array(_1, false) END"
    ),
    asMap,
    withTypes("ENTRIES(map, sorted) - The entries as ARRAY<STRUCT<K, V>>, ordered by key if sorted is TRUE.") {
      (usage, args) =>
        if (args.size != 2 || Settings.current.isKsqldb && !hasEntries(args.head.dataType)) throw wrong(usage, args)
        val list = "transform(map_entries(_1), e -> named_struct('K', e.key, 'V', e.value))"
        expression(s"if(_2, array_sort($list), $list)", hashed(args.head), args(1))
    },
    ofMap("MAP_KEYS(map) - The keys, an ARRAY.", "map_keys"),
    ofMap("MAP_VALUES(map) - The values, an ARRAY.", "map_values"),
    filter,
    series,
    mapUnion,
    reduce,
    slice,
    transform
  )
}
