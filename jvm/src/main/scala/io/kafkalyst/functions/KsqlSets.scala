package io.kafkalyst.functions

import io.kafkalyst.functions.KsqlFunction.{computed, expression, nameIn, wrong}
import io.kafkalyst.model.Widening
import org.apache.spark.sql.catalyst.expressions.{Cast, Expression, Literal}
import org.apache.spark.sql.catalyst.util.{ArrayData, GenericArrayData}
import org.apache.spark.sql.types.{ArrayType, BooleanType, DataType, MapType, NullType, StringType, StructType}

/** ksqlDB's functions that search arrays for equal elements; Spark's own do not compare MAPs. */
private[functions] object KsqlSets {

  /** Whether the type is or contains a MAP. */
  def holdsMap(t: DataType): Boolean = t match {
    case _: MapType => true
    case a: ArrayType => holdsMap(a.elementType)
    case s: StructType => s.exists(f => holdsMap(f.dataType))
    case _ => false
  }

  private def elementOf(args: Seq[Expression]): Option[DataType] =
    args.map(_.dataType).collectFirst { case ArrayType(element, _) if element != NullType => element }

  /** Gives NULL literals the type of the other arguments' ARRAY or MAP, or else the type `of`. */
  def withNulls(args: Seq[Expression], of: Option[DataType] = None): Seq[Expression] =
    args.map(_.dataType).find(t => t.isInstanceOf[ArrayType] || t.isInstanceOf[MapType]).orElse(of).fold(args)(t =>
      args.map(a => if (a.dataType == NullType) Literal.create(null, t) else a)
    )

  /**
   * The arguments as arrays of the widest element type; of STRING if all are NULL. FUNCTION_ARGUMENTS unless all are
   * arrays whose elements fit that type.
   */
  def arrays(usage: String, given: Seq[Expression]): Seq[Expression] = {
    val args = withNulls(given, Some(ArrayType(StringType)))
    val elements = args.map(_.dataType).collect { case ArrayType(element, _) => element }
    val widest = elements.find(to => elements.forall(Widening.fits(_, to)))
    if (elements.size < args.size) throw wrong(usage, given)
    val element = widest.getOrElse(throw wrong(usage, given))
    args.map(a =>
      if (DataType.equalsStructurally(a.dataType, ArrayType(element), true)) a else Cast(a, ArrayType(element))
    )
  }

  /** A function of one or two arrays; null if one is null. */
  private def ofArrays(usage: String, count: Int)(elements: Seq[Seq[(Any, Any)]] => Seq[(Any, Any)]) = {
    val name = nameIn(usage)
    val params = (1 to count).map(i => s"_$i").mkString(", ")
    computed(usage) { given =>
      if (given.size != count) throw wrong(usage, given)
      val args = arrays(usage, given)
      elementOf(args).filter(holdsMap).fold(expression(s"$name($params)", args: _*)) { element =>
        Computed(name, args, ArrayType(element), Nil, nulls = false) { values =>
          val known = values.toSeq.map(_.asInstanceOf[ArrayData].toObjectArray(element).toSeq.map(e =>
            Comparable.of(e, element) -> e
          ))
          new GenericArrayData(elements(known).distinctBy(_._1).map(_._2).toArray[Any])
        }
      }
    }
  }

  /** A function of an array and an element. */
  private def ofElement(usage: String, text: String, result: DataType => DataType, none: Any)(
      body: (Seq[(Any, Any)], Any) => Any
  ) = computed(usage) { given =>
    if (given.size != 2) throw wrong(usage, given)
    val args = withNulls(given.take(1), Some(ArrayType(given(1).dataType))) ++ given.drop(1)
    elementOf(args.take(1)).filter(holdsMap).fold(expression(text, args: _*)) { element =>
      Computed(nameIn(usage), args, result(element), Nil, nulls = true) { values =>
        if (values(0) == null) none
        else {
          val known = values(0).asInstanceOf[ArrayData].toObjectArray(element).toSeq.map(e =>
            Comparable.of(e, element) -> e
          )
          body(known, Comparable.of(values(1), element))
        }
      }
    }
  }

  val all: Seq[KsqlFunction] = Seq(
    ofElement(
      "ARRAY_CONTAINS(array, element) - Whether the array contains the element, which may be NULL; FALSE for a NULL array.",
      "coalesce(exists(_1, e -> e <=> _2), false)",
      _ => BooleanType,
      false
    )((known, sought) => known.exists(_._1 == sought)),
    ofArrays("ARRAY_DISTINCT(array) - The distinct elements, in the order of their first occurrence.", 1)(_.head),
    ofArrays(
      "ARRAY_EXCEPT(array, array) - The distinct elements of the first array that the second does not have.",
      2
    ) {
      case Seq(left, right) => left.filterNot(l => right.exists(_._1 == l._1))
    },
    ofArrays("ARRAY_INTERSECT(array, array) - The distinct elements that both arrays have.", 2) {
      case Seq(left, right) => left.filter(l => right.exists(_._1 == l._1))
    },
    ofElement(
      "ARRAY_REMOVE(array, element) - The array without the elements that equal the given one, which may be NULL.",
      "filter(_1, e -> NOT (e <=> _2))",
      ArrayType(_),
      null
    )((known, sought) => new GenericArrayData(known.filterNot(_._1 == sought).map(_._2).toArray[Any])),
    ofArrays("ARRAY_UNION(array, array) - The distinct elements of both arrays.", 2)(_.flatten)
  )
}
