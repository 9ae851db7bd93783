package io.kafkalyst.lake

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

/**
 * Values for a table's nested columns that lack some of their fields, or have them in another order: fields are matched
 * by name, and those that are missing are NULL. Casts, as [[LosslessCast]] allows them, are left to the caller.
 */
private[lake] object NestedNulls {

  /** Whether a lossless cast fits once the missing fields are NULL. */
  def fits(from: DataType, to: DataType): Boolean = LosslessCast.fits(from, to) || ((from, to) match {
    case (f: ArrayType, t: ArrayType) => (t.containsNull || !f.containsNull) && fits(f.elementType, t.elementType)
    case (f: MapType, t: MapType) => (t.valueContainsNull || !f.valueContainsNull) &&
      LosslessCast.fits(f.keyType, t.keyType) && fits(f.valueType, t.valueType)
    case (f: StructType, t: StructType) => isWithin(f, t) && t.forall { field =>
        f.find(_.name == field.name).fold(field.nullable) { same =>
          (field.nullable || !same.nullable) && fits(same.dataType, field.dataType)
        }
      }
    case _ => false
  })

  /** The value with all fields of the type, which it fits. */
  def filled(value: Expression, to: DataType): Expression = (value.dataType, to) match {
    case (f, t) if LosslessCast.fits(f, t) => value
    case (f: StructType, t: StructType) =>
      val fields = t.flatMap { field =>
        val at = f.fields.indexWhere(_.name == field.name)
        val given =
          if (at < 0) Literal.create(null, field.dataType)
          else {
            val known = GetStructField(value, at, Some(field.name))
            // The field of a STRUCT that may be NULL is nullable itself, but is read only where the STRUCT is there.
            filled(if (f(at).nullable) known else KnownNotNull(known), field.dataType)
          }
        Seq(Literal(field.name), given)
      }
      val struct = CreateNamedStruct(fields)
      if (value.nullable) If(IsNull(value), Literal.create(null, struct.dataType), struct) else struct
    case (f: ArrayType, t: ArrayType) =>
      val element = NamedLambdaVariable("element", f.elementType, f.containsNull)
      ArrayTransform(value, LambdaFunction(filled(element, t.elementType), Seq(element)))
    case (f: MapType, t: MapType) =>
      val key = NamedLambdaVariable("key", f.keyType, nullable = false)
      val of = NamedLambdaVariable("value", f.valueType, f.valueContainsNull)
      TransformValues(value, LambdaFunction(filled(of, t.valueType), Seq(key, of)))
    case _ => value
  }

  private def isWithin(one: StructType, other: StructType) =
    one.fieldNames.distinct.length == one.length && one.forall(f => other.fieldNames.contains(f.name))
}
