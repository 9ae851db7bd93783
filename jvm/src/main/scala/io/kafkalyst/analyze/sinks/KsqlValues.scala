package io.kafkalyst.analyze.sinks

import io.kafkalyst.functions.KsqlCasts
import io.kafkalyst.model.{TimeOfDay, Widening}
import io.kafkalyst.write.FieldsByName
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.types._

/**
 * The values of INSERT … VALUES under ksqlDB's rules: strings are cast to more types than in Spark, and to BYTES from
 * base64; numbers must not lose digits; fields that a STRUCT omits are null.
 */
private[sinks] object KsqlValues {
  def isStorable(from: DataType, to: DataType): Boolean = (from, to) match {
    case (f: StructType, t: StructType) =>
      val places = FieldsByName.places(f, t)
      f.indices.forall(places.contains) &&
      t.zip(places).forall { case (field, i) => i < 0 || isField(f(i).dataType, field.dataType) }
    case (ArrayType(f, _), ArrayType(t, _)) => isField(f, t)
    case (MapType(k, f, _), MapType(l, t, _)) if k == l => isField(f, t)
    case (StringType, BinaryType) => true
    case _ =>
      from == NullType || DataType.equalsIgnoreNullability(from, to) || isOfText(from, to) ||
      (Cast.canANSIStoreAssign(from, to) && !isCut(from, to))
  }

  /** Strings for a TIME are checked in top-level columns only, so fields do not accept them. */
  private def isField(from: DataType, to: DataType) =
    isStorable(from, to) && !(from == StringType && TimeOfDay.is(to))

  /** The rows as written: undoes Spark's positional renaming of STRUCT fields to the column's field names. */
  def unrenamed(query: LogicalPlan): LogicalPlan = query.transformDown {
    case p @ Project(list, child) => p.copy(projectList = list.map {
        case a @ Alias(Cast(row: Attribute, _: StructType, _, _), _) if row.dataType.isInstanceOf[StructType] =>
          a.withNewChildren(Seq(row)).asInstanceOf[NamedExpression]
        case other => other
      })
  }

  /** The stored value; the cast fails if a string is not of the type. */
  def cast(value: Expression, to: DataType): Expression = FieldsByName(value, value.dataType, to)(stored)

  private def stored(value: Expression, to: DataType): Expression = (value.dataType, to) match {
    case (NullType, _) => Literal.create(null, to)
    case (StringType, BinaryType) => UnBase64(value, failOnError = true)
    case (StringType, DateType | TimestampType) =>
      refusing(value, KsqlCasts(to).build(Seq(value)))
    case (StringType, digits: DecimalType) => refusing(value, KsqlCasts.exact(value, digits))
    case (from, _) if TimeOfDay.is(to) && (from == StringType || TimeOfDay.is(from)) => KsqlCasts(to).build(Seq(value))
    case _ => Cast(value, to, Some("UTC"), ansiEnabled = true)
  }

  private def refusing(text: Expression, value: Expression): Expression = {
    // This is not the start of a time or number, so the cast fails with its own error.
    val refused = Cast(Concat(Seq(Literal("'"), text)), value.dataType, Some("UTC"), ansiEnabled = true)
    If(And(IsNotNull(text), IsNull(value)), refused, value)
  }

  private def isOfText(from: DataType, to: DataType): Boolean = (from, to) match {
    case (StringType, _: NumericType | BooleanType) => true
    case (StringType, t) => Widening.isTime(t)
    case _ => false
  }

  /** Whether numbers could lose digits behind the point. */
  private def isCut(from: DataType, to: DataType): Boolean = (from, to) match {
    case (f: DecimalType, t: DecimalType) => f.scale > t.scale
    case (DoubleType | FloatType, _: DecimalType) => true
    case (f, t: NumericType) => isFraction(f) && !isFraction(t)
    case _ => false
  }

  private def isFraction(t: DataType): Boolean = t match {
    case d: DecimalType => d.scale > 0
    case DoubleType | FloatType => true
    case _ => false
  }
}
