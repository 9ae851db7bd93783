package io.kafkalyst.analyze.sinks

import io.kafkalyst.functions.KsqlCasts
import io.kafkalyst.model.{TimeOfDay, Widening}
import io.kafkalyst.write.FieldsByName
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, Project}
import org.apache.spark.sql.types._

/**
 * The values of INSERT … VALUES under ksqlDB's rules: more is cast from texts than in Spark, BYTES from base64, numbers
 * lose no digits, and fields that a STRUCT leaves out are null.
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

  /** Texts for a TIME are checked in columns only, so none is taken for a field. */
  private def isField(from: DataType, to: DataType) =
    isStorable(from, to) && !(from == StringType && TimeOfDay.is(to))

  /** The rows as they are written: Spark has renamed the fields of STRUCTs to those of the column at their places. */
  def unrenamed(query: LogicalPlan): LogicalPlan = query.transformDown {
    case p @ Project(list, child) => p.copy(projectList = list.map {
        case a @ Alias(Cast(row: Attribute, _: StructType, _, _), _) if row.dataType.isInstanceOf[StructType] =>
          a.withNewChildren(Seq(row)).asInstanceOf[NamedExpression]
        case other => other
      })
  }

  /** A storable value; it fails where a text is not of the type. */
  def cast(value: Expression, to: DataType): Expression = FieldsByName(value, value.dataType, to)(stored)

  private def stored(value: Expression, to: DataType): Expression = (value.dataType, to) match {
    case (NullType, _) => Literal.create(null, to)
    case (StringType, BinaryType) => UnBase64(value, failOnError = true)
    case (StringType, DateType | TimestampType) =>
      val time = KsqlCasts(to).build(Seq(value))
      // No time begins so: the cast fails, and says why.
      val refused = Cast(Concat(Seq(Literal("'"), value)), to, Some("UTC"), ansiEnabled = true)
      If(And(IsNotNull(value), IsNull(time)), refused, time)
    case (from, _) if TimeOfDay.is(to) && (from == StringType || TimeOfDay.is(from)) => KsqlCasts(to).build(Seq(value))
    case _ => Cast(value, to, Some("UTC"), ansiEnabled = true)
  }

  private def isOfText(from: DataType, to: DataType): Boolean = (from, to) match {
    case (StringType, _: NumericType | BooleanType) => true
    case (StringType, t) => Widening.isTime(t)
    case _ => false
  }

  /** Whether numbers would lose their fraction, or digits of it. */
  private def isCut(from: DataType, to: DataType): Boolean = (from, to) match {
    case (f: DecimalType, t: DecimalType) => f.scale > t.scale
    case (f, t: NumericType) => isFraction(f) && !isFraction(t)
    case _ => false
  }

  private def isFraction(t: DataType): Boolean = t match {
    case d: DecimalType => d.scale > 0
    case DoubleType | FloatType => true
    case _ => false
  }
}
