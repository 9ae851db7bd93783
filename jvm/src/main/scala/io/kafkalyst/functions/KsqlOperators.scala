package io.kafkalyst.functions

import java.util.Locale
import java.util.regex.Pattern

import io.kafkalyst.functions.KsqlFunction.{computed, expression, wrong}
import io.kafkalyst.metadata.{PseudoColumns, RowTime}
import io.kafkalyst.model.{TimeOfDay, Widening}
import io.kafkalyst.model.settings.Settings
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/** ksqlDB's operators that differ from Spark's; none has a callable name. */
object KsqlOperators {

  /** `array[i]`: counts from 1, negative from the end, null out of range; `map[k]`: null if the key is missing. */
  val subscript: KsqlFunction = computed("[](array or map, place) - The element at this position or key.") { args =>
    args.head.dataType match {
      // An index must be a whole number.
      case _: ArrayType if !Set[DataType](IntegerType, LongType)(args(1).dataType) =>
        throw wrong("array[place as INT]", args)
      case _: ArrayType =>
        expression(
          "try_element_at(_1, if(cast(_2 AS INT) = 0, NULL, cast(_2 AS INT)))",
          nullable(args.head),
          args(1)
        )
      case m: MapType if m.keyType != args(1).dataType && args(1).dataType != NullType =>
        throw wrong(s"map[key as ${m.keyType.sql}]", args)
      case _: MapType => expression("try_element_at(_1, _2)", args: _*)
      case _ if Settings.current.isKsqldb => throw wrong("array[place as INT] or map[key]", args)
      // A struct field by name, as in Spark.
      case _ => expression("_1[_2]", args: _*)
    }
  }

  // For an array constructor, Spark derives nullability and generated code from the constant index's element; this
  // hides the constructor.
  private def nullable(array: Expression): Expression = array match {
    case constructor: CreateArray => KnownNullable(constructor)
    case other => other
  }

  /**
   * Rejects dates and times as operands in ksqlDB's dialect: Spark would return an INTERVAL, or use a number as days.
   */
  private def arithmetic(usage: String)(build: Seq[Expression] => Expression): KsqlFunction = computed(usage) { args =>
    val types = args.map(_.dataType)
    def isOperand(t: DataType) = t.isInstanceOf[NumericType] || t == StringType || t == NullType
    if (!types.forall(isOperand) && Settings.current.isKsqldb) throw wrong(usage, args)
    build(args)
  }

  /** `+` joins texts. */
  val plus: KsqlFunction = arithmetic("+(x, y) - The sum, or the concatenated texts.") { args =>
    if (args.exists(_.dataType == StringType)) expression("concat(_1, _2)", args: _*)
    else KsqlNumbers.ofDecimals("+", besideDecimals(args))
  }

  /**
   * A BIGINT next to a DECIMAL has 19 digits; Spark uses 20. In ksqlDB's dialect an INT has 10 there; Spark gives a
   * literal as many as it needs.
   */
  private def besideDecimals(args: Seq[Expression]): Seq[Expression] =
    if (!args.exists(_.dataType.isInstanceOf[DecimalType])) args
    else args.map(a =>
      a.dataType match {
        case LongType => Cast(a, DecimalType(19, 0))
        case IntegerType if Settings.current.isKsqldb => Cast(a, DecimalType(10, 0))
        case _ => a
      }
    )

  val minus: KsqlFunction =
    arithmetic("-(x, y) - The difference.")(args => KsqlNumbers.ofDecimals("-", besideDecimals(args)))
  val times: KsqlFunction =
    arithmetic("*(x, y) - The product.")(args => KsqlNumbers.ofDecimals("*", besideDecimals(args)))

  val negative: KsqlFunction = computed("-x - The negated number.")(args => expression("-_1", args: _*))

  /** Division of DOUBLE follows Java; Spark returns null for a divisor of 0. */
  private def ofDoubles(name: String, args: Seq[Expression])(body: (Double, Double) => Double): Option[Expression] =
    if (!args.exists(_.dataType == DoubleType) || !args.forall(_.dataType.isInstanceOf[NumericType])) None
    else
      Some(Computed(name, args, DoubleType, args.map(_ => DoubleType), nulls = false)(a =>
        body(a(0).asInstanceOf[Double], a(1).asInstanceOf[Double])
      ))

  val remainder: KsqlFunction = arithmetic("%(x, y) - The remainder; NaN for a DOUBLE divided by 0.")(args =>
    ofDoubles("%", args)(_ % _).getOrElse(expression("_1 % _2", besideDecimals(args): _*))
  )

  /** `/` of whole numbers is a whole number. */
  val divide: KsqlFunction =
    arithmetic("/(x, y) - The quotient, a whole number for whole numbers; an infinity for a DOUBLE divided by 0.") {
      args =>
        (args.head.dataType, args(1).dataType) match {
          case (IntegerType, IntegerType) => expression("cast(_1 div _2 AS INT)", args: _*)
          case (IntegerType | LongType, IntegerType | LongType) => expression("_1 div _2", args: _*)
          case _ =>
            ofDoubles("/", args)(_ / _).getOrElse(KsqlNumbers.ofDecimals("/", besideDecimals(args)))
        }
    }

  /** Comparisons are FALSE, not null, if a side is null. */
  val equal: KsqlFunction = comparison("=", "Whether x and y are equal", ordered = false)
  val notEqual: KsqlFunction = comparison("<>", "Whether x and y differ", ordered = false)
  val ordering: Map[String, KsqlFunction] =
    Seq("<", "<=", ">", ">=").map(sign =>
      sign -> comparison(sign, "Whether x and y are ordered so", ordered = true)
    ).toMap

  private def comparison(sign: String, what: String, ordered: Boolean): KsqlFunction = {
    val usage = s"$sign(x, y) - $what; FALSE if one is NULL. For numbers, texts, dates and times" +
      (if (ordered) "." else ", and other values of one type.")
    computed(usage) { given =>
      val args = besideMoments(given)
      val Seq(left, right) = args.map(_.dataType)
      if (!isComparable(left, right, ordered)) throw wrong(usage, args)
      KsqlNumbers.compared(sign, args).getOrElse((left, right) match {
        case (l, _) if KsqlSets.holdsMap(l) =>
          val same = equalValues(args)
          Coalesce(Seq(if (sign == "=") same else Not(same), Literal.FalseLiteral))
        case (BinaryType, BinaryType) if ordered && Settings.current.isKsqldb =>
          expression(s"coalesce(_1 $sign _2, FALSE)", args.map(SignedBytes(_)): _*)
        // As in Java, NaN is not equal to, different from, less or greater than any number.
        case (l, r) if Settings.current.isKsqldb && Seq(l, r).contains(DoubleType) =>
          expression(s"coalesce(_1 $sign _2 AND NOT isnan(_1) AND NOT isnan(_2), FALSE)", asDoubles(args): _*)
        case _ => expression(s"coalesce(_1 $sign _2, FALSE)", asTimes(args): _*)
      })
    }
  }

  private def asDoubles(args: Seq[Expression]): Seq[Expression] =
    args.map(a => if (a.dataType == DoubleType) a else Cast(a, DoubleType))

  /** Converts ROWTIME and window bounds, which are milliseconds, to TIMESTAMP next to a DATE or TIMESTAMP. */
  private def besideMoments(args: Seq[Expression]): Seq[Expression] =
    if (!args.map(_.dataType).exists(t => t == TimestampType || t == DateType)) args
    else args.map {
      case time: Attribute if time.dataType == LongType && PseudoColumns.isTime(time.name) => RowTime.moment(time)
      case other => other
    }

  /** Converts texts compared with a DATE, TIME or TIMESTAMP to that type. */
  private def asTimes(args: Seq[Expression]): Seq[Expression] =
    args.map(_.dataType).find(Widening.isTime).fold(args) { t =>
      args.map(a => if (a.dataType == StringType) KsqlCasts(t).build(Seq(a)) else a)
    }

  private def isComparable(left: DataType, right: DataType, ordered: Boolean): Boolean = (left, right) match {
    case (_: NumericType, _: NumericType) => true
    case (StringType, r) => r == StringType || Widening.isTime(r)
    case (l, StringType) => Widening.isTime(l)
    // A TIME has no date, so it is comparable only with a TIME.
    case (l, r) if TimeOfDay.is(l) || TimeOfDay.is(r) => l == r
    case (l, r) if Widening.isTime(l) => Widening.isTime(r)
    case (BinaryType, BinaryType) => true
    case (_: DayTimeIntervalType, _: DayTimeIntervalType) => true
    case (_: YearMonthIntervalType, _: YearMonthIntervalType) => true
    case (NullType, _) | (_, NullType) => false
    case (l, r) => !ordered && DataType.equalsStructurally(l, r, ignoreNullability = true)
  }

  /** Spark does not compare MAPs. */
  private def equalValues(args: Seq[Expression], nulls: Boolean = false): Expression = {
    val t = args.head.dataType
    Computed("equal", args, BooleanType, Nil, nulls)(values =>
      Comparable.of(values(0), t) == Comparable.of(values(1), t)
    )
  }

  /** Spark's, and that of MAPs. */
  val nullIf: KsqlFunction = computed("NULLIF(x, y) - x, or NULL if x equals y.") {
    case args @ Seq(x, y) if KsqlSets.holdsMap(x.dataType) && isComparable(x.dataType, y.dataType, ordered = false) =>
      If(equalValues(args), Literal.create(null, x.dataType), x)
    case Seq(x, y) => new NullIf(x, y)
    case args => throw wrong("NULLIF(x, y)", args)
  }

  /** Two nulls are equal; a null and a non-null value are not. */
  val same: KsqlFunction = computed("IS NOT DISTINCT FROM(x, y) - Whether both are equal or both are NULL.") { args =>
    if (Settings.current.isKsqldb && args.exists(_.dataType == NullType))
      throw wrong("IS [NOT] DISTINCT FROM(x, y)", args)
    else if (args.exists(a => KsqlSets.holdsMap(a.dataType))) equalValues(args, nulls = true)
    else KsqlNumbers.compared("<=>", args).getOrElse(expression("_1 <=> _2", asTimes(besideMoments(args)): _*))
  }

  val between: KsqlFunction =
    computed("BETWEEN(x, from, to) - Whether x is within both bounds; FALSE if one of them is NULL.") {
      args => And(ordering(">=").build(Seq(args(0), args(1))), ordering("<=").build(Seq(args(0), args(2))))
    }

  /** A pattern without an escape: a backslash is itself. */
  val like: KsqlFunction = matching(None)

  /** In ksqlDB's dialect `%` and `_` do not match the end of a line. */
  def matching(escape: Option[Char]): KsqlFunction =
    computed("LIKE(text, pattern) - Whether the text matches the pattern.") { args =>
      if (args.exists(a => a.dataType != StringType && a.dataType != NullType)) throw wrong("LIKE(text, pattern)", args)
      if (Settings.current.isKsqldb) {
        val compiled = new LastMade(pattern => Pattern.compile(regex(pattern, escape)))
        Computed(s"like${escape.mkString}", args, BooleanType, args.map(_ => StringType), nulls = false)(values =>
          compiled(values(1)).matcher(values(0).toString).matches
        )
      } else
        escape.fold(Like(args.head, expression("replace(_1, _2, _3)", args(1), Literal("\\"), Literal("\\\\")), '\\'))(
          Like(args.head, args(1), _)
        )
    }

  private def regex(pattern: String, escape: Option[Char]): String = {
    val out = new StringBuilder
    var i = 0
    while (i < pattern.length) {
      val isEscaped = escape.contains(pattern(i)) && i + 1 < pattern.length
      if (isEscaped) i += 1
      out.append(pattern(i) match {
        case '%' if !isEscaped => ".*"
        case '_' if !isEscaped => "."
        case c => Pattern.quote(c.toString)
      })
      i += 1
    }
    out.toString
  }

  /** In ksqlDB the left side is evaluated first, and the result is null if that is null, whatever the right side is. */
  private def logical(name: String, decides: Boolean)(build: (Expression, Expression) => Expression) =
    computed(s"$name(x, y) - Both or one of two conditions; in ksqlDB's dialect NULL if x is.") {
      case args @ Seq(left, right) =>
        if (left.nullable && left.dataType == BooleanType && Settings.current.isKsqldb)
          Computed(name, args, BooleanType, Nil, nulls = true)(values =>
            if (values(0) == null || values(0) == decides) values(0) else values(1)
          )
        else build(left, right)
    }
  val and: KsqlFunction = logical("AND", decides = false)(And(_, _))
  val or: KsqlFunction = logical("OR", decides = true)(Or(_, _))

  /** Takes the value first, then the list. */
  val in: KsqlFunction = computed("IN(x, one, …) - Whether x equals one of the list; FALSE if x is NULL.") { args =>
    val all = common(besideMoments(args))
    val others =
      all.tail.map(_.dataType).filterNot(t => t == NullType || isComparable(all.head.dataType, t, ordered = false))
    if (all.head.dataType != NullType && others.nonEmpty) throw wrong("IN(x, one, …), all of them comparable", args)
    val found =
      if (!KsqlSets.holdsMap(all.head.dataType)) In(all.head, all.tail)
      else all.tail.map(one => equalValues(Seq(all.head, one))).reduce[Expression](Or(_, _))
    Coalesce(Seq(found, Literal.FalseLiteral))
  }

  val array: KsqlFunction = computed("ARRAY[x, …] - The ARRAY of values of one type, not all of them NULL.") { args =>
    if (args.forall(_.dataType == NullType)) throw wrong("ARRAY[x, …]", args)
    CreateArray(merged(common(args)))
  }

  /** Merges STRUCT types, also those within STRUCTs: each gets all fields, with null for those that it lacks. */
  private def merged(args: Seq[Expression]): Seq[Expression] =
    args.map(_.dataType).collect { case s: StructType => s }.reduceOption(union).fold(args) { whole =>
      args.map(a => if (a.dataType.isInstanceOf[StructType]) filled(a, whole) else a)
    }

  private def union(one: StructType, other: StructType): StructType = {
    val ofBoth = one.map { f =>
      (f.dataType, other.find(_.name == f.name).map(_.dataType)) match {
        case (s: StructType, Some(t: StructType)) => f.copy(dataType = union(s, t))
        case _ => f
      }
    }
    StructType(ofBoth ++ other.filterNot(f => one.fieldNames.contains(f.name)))
  }

  private def filled(one: Expression, whole: StructType): Expression = {
    val own = one.dataType.asInstanceOf[StructType]
    if (names(own) == names(whole)) one
    else {
      val all = CreateNamedStruct(whole.flatMap { f =>
        val at = own.fieldNames.indexOf(f.name)
        def value = GetStructField(one, at)
        val field = f.dataType match {
          case _ if at < 0 => Literal.create(null, f.dataType)
          case s: StructType if value.dataType.isInstanceOf[StructType] => filled(value, s)
          case _ => value
        }
        Seq(Literal(f.name), field)
      })
      if (one.nullable) If(IsNull(one), Literal.create(null, all.dataType), all) else all
    }
  }

  /** The fields' names, at all depths. */
  private def names(t: DataType): Seq[Any] = t match {
    case s: StructType => s.map(f => f.name -> names(f.dataType))
    case _ => Nil
  }

  /** GREATEST or LEAST: nulls are ignored. Texts next to dates and times are converted to them. */
  private def extreme(name: String, what: String)(of: Seq[Expression] => Expression) =
    computed(s"$name(x, …) - The $what argument; NULLs are ignored.") {
      case args if Settings.current.isKsqldb && !args.forall(a => hasExtremes(a.dataType)) =>
        throw wrong(s"$name(x, …) of numbers, texts, BYTES, dates or times", args)
      case Seq(one) => one
      case args if Settings.current.isKsqldb && args.exists(_.dataType == BinaryType) =>
        SignedBytes(of(args.map(a => if (a.dataType == BinaryType) SignedBytes(a) else a)))
      case args => of(asTimes(args))
    }

  private def hasExtremes(t: DataType): Boolean = t match {
    case _: NumericType | StringType | BinaryType | NullType => true
    case _ => Widening.isTime(t)
  }

  val extremes: Seq[KsqlFunction] =
    Seq(extreme("GREATEST", "greatest")(Greatest(_)), extreme("LEAST", "least")(Least(_)))

  /** Keys and values alternate. */
  val map: KsqlFunction =
    computed("MAP(key := value, …) - The MAP; of several entries with a key, the last one.") { args =>
      val (keys, values) = args.zipWithIndex.partition(_._2 % 2 == 0)
      def isNull(all: Seq[(Expression, Int)]) = all.forall(_._1.dataType == NullType)
      val isTwice = Settings.current.isKsqldb && keys.map(_._1.canonicalized).distinct.size < keys.size
      if (args.size % 2 == 1 || isNull(keys) || isNull(values) || isTwice)
        throw wrong("MAP(key := value, …)", args)
      val Seq(k, v) = Seq(keys, values).map(all => merged(common(all.map(_._1))))
      KsqlCall(KsqlCollections.ofEntries, Seq(expression("arrays_zip(_1, _2)", CreateArray(k), CreateArray(v))))
    }

  /**
   * Converts a list's literals to the type of the first non-null one: anything to STRING, texts to a number or BOOLEAN.
   */
  private def common(args: Seq[Expression]): Seq[Expression] = {
    def texts = args.filter(a => a.foldable && a.dataType == StringType).map(a => a -> String.valueOf(a.eval())).toMap
    args.map(_.dataType).find(_ != NullType) match {
      case Some(StringType) =>
        args.map(a => if (a.foldable && a.dataType != StringType) expression("cast(_1 AS STRING)", a) else a)
      case Some(_: NumericType) => args.map(a => texts.get(a).flatMap(number).getOrElse(a))
      case Some(BooleanType) =>
        args.map(a => texts.get(a).flatMap(KsqlCasts.boolean).map(Literal(_)).getOrElse(a))
      case _ => asTimes(args)
    }
  }

  /** In ksqlDB's dialect a DECIMAL literal has a digit before its point: 0.5 is DECIMAL(2,1), in Spark DECIMAL(1,1). */
  val literal: PartialFunction[Expression, Literal] = {
    case Literal(d: Decimal, t: DecimalType)
        if t.precision == t.scale && t.scale < DecimalType.MAX_PRECISION && Settings.current.isKsqldb =>
      Literal(Decimal(d.toJavaBigDecimal, t.scale + 1, t.scale), DecimalType(t.scale + 1, t.scale))
  }

  private def number(text: String): Option[Literal] =
    text.toIntOption.map(Literal(_)).orElse(text.toLongOption.map(Literal(_)))
      .orElse(text.toDoubleOption.map(d =>
        if (!text.toLowerCase(Locale.ROOT).contains('e')) Literal(BigDecimal(text))
        else if (!Settings.current.isKsqldb) Literal(d)
        else {
          val exact = new java.math.BigDecimal(text)
          if (exact.precision.toLong - exact.scale > DecimalType.MAX_PRECISION) Literal(d)
          else Literal(BigDecimal(if (exact.scale < 0) exact.setScale(0) else exact))
        }
      )).map(n => literal.applyOrElse(n, identity[Literal]))
}
