package io.kafkalyst.functions

import io.kafkalyst.errors.KafkalystTaskException
import io.kafkalyst.model.Widening
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Cast, Expression}
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback
import org.apache.spark.sql.types.DataType

import scala.util.control.NonFatal

/**
 * A ksqlDB function that no Spark expression provides. Its arguments and result are Catalyst values (UTF8String,
 * Decimal, days and microseconds).
 *
 * @param name  its identity: two expressions with the same name compute the same
 * @param nulls whether the body is called with nulls; otherwise a null argument gives null
 * @param body  its failures give null, as in ksqlDB, except for Kafkalyst's conditions
 */
final case class Computed private (name: String, children: Seq[Expression], dataType: DataType, nulls: Boolean)(
    val body: Array[Any] => Any
) extends Expression
    with CodegenFallback {
  override def nullable: Boolean = true
  override def prettyName: String = name
  override def otherCopyArgs: Seq[AnyRef] = Seq(body)

  override def eval(input: InternalRow): Any = {
    val values = new Array[Any](children.size)
    var i = 0
    while (i < values.length) {
      values(i) = children(i).eval(input)
      if (values(i) == null && !nulls) return null
      i += 1
    }
    try body(values)
    catch {
      case named: KafkalystTaskException => throw named
      // A text can be too deep for a recursive parser or pattern.
      case NonFatal(_) | _: StackOverflowError => null
    }
  }

  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): Computed =
    copy(children = newChildren)(body)
}

private[functions] object Computed {

  /** A function of arguments of one type, computed in Java; NULL if any argument is NULL. */
  def uniform(usage: String, counts: Seq[Int], of: DataType, result: DataType)(
      body: Array[Any] => Any
  ): KsqlFunction = KsqlFunction.computed(usage) { args =>
    if (!counts.contains(args.size)) throw KsqlFunction.wrong(usage, args)
    Computed(KsqlFunction.nameIn(usage), args, result, args.map(_ => of), nulls = false)(body)
  }

  /**
   * @param types the types of the first arguments; the others are not checked
   * @throws io.kafkalyst.errors.KafkalystException FUNCTION_ARGUMENTS if an argument has another type and does not
   *         widen
   */
  def apply(name: String, args: Seq[Expression], result: DataType, types: Seq[DataType], nulls: Boolean)(
      body: Array[Any] => Any
  ): Expression = {
    val typed = args.zipWithIndex.map { case (arg, i) =>
      types.lift(i).filter(_ != arg.dataType).fold(arg) { t =>
        if (!Widening.fits(arg.dataType, t))
          throw KsqlFunction.wrong(s"$name(${types.map(_.sql).mkString(", ")})", args)
        Cast(arg, t)
      }
    }
    new Computed(name, typed, result, nulls)(body)
  }
}

/** Keeps what was made of the last text, such as a pattern, which is the same in all rows unless it is a column. */
private[functions] final class LastMade[V](make: String => V) extends Serializable {
  // One reference, as threads may share an expression.
  @transient private var last: (String, V) = _

  def apply(value: Any): V = {
    val text = value.toString
    val known = last
    if (known != null && known._1 == text) known._2
    else {
      val made = make(text)
      last = text -> made
      made
    }
  }
}
