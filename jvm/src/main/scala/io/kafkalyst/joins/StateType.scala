package io.kafkalyst.joins

import io.kafkalyst.model.TimeOfDay
import org.apache.spark.sql.types.{ArrayType, DataType, MapType, StructType, VariantType}

/**
 * The type that replaces another in Spark's state, with the same internal values: without TIME, and with field names
 * that Avro allows.
 */
private[joins] object StateType {
  def of(t: DataType): DataType = named(TimeOfDay.asNanos(t))

  /** Whether the type contains a VARIANT, which Spark's state cannot store. */
  def hasVariant(t: DataType): Boolean = t match {
    case VariantType => true
    case s: StructType => s.exists(f => hasVariant(f.dataType))
    case a: ArrayType => hasVariant(a.elementType)
    case m: MapType => hasVariant(m.valueType)
    case _ => false
  }

  private def named(t: DataType): DataType = t match {
    case s: StructType =>
      val isAllowed = s.fieldNames.forall(_.matches("[A-Za-z_][A-Za-z0-9_]*"))
      StructType(s.zipWithIndex.map { case (f, i) =>
        f.copy(name = if (isAllowed) f.name else s"f$i", dataType = named(f.dataType))
      })
    case a: ArrayType => a.copy(elementType = named(a.elementType))
    case m: MapType => m.copy(keyType = named(m.keyType), valueType = named(m.valueType))
    case other => other
  }
}
